"""Make the table of words' translations that clusters read, from catalogues of messages.

``python -m benchmarks.translations FOLDER…`` reads the catalogues of packages that were unpacked
into the folders (``*.mo``, and ``*.json`` of texts by name beside the same in English), and writes
`server/clustering/data/translations.tsv`. Which
word means which is learned from messages in two languages, by IBM's first model in both directions.
Only packages under permissive licences may be read; they are named in `translations.licences.txt`.
"""

from __future__ import annotations

import json
import re
import struct
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from copydesk.server.clustering.words import DATA, LANGUAGES, common_words, lemma

ROUNDS = 6
LEAST_SURE = 0.2
MOST_BYTES = 390_000
LONGEST = 300  # characters of a message that is read

_HOLES = re.compile(r"%\([^)]*\)[sd]|%[sd]|\{[^}]*\}|<[^>]+>|&\w+;|https?://\S+|&(?=\w)|_(?=\w)")
_WORD = re.compile(r"[^\W\d_]{2,}")

Message = tuple[tuple[str, ...], tuple[str, ...]]
"""The words of a message in English, and in another language."""


def main() -> None:
    """Write the table."""
    rows: list[tuple[int, str]] = []
    for language in LANGUAGES[1:]:
        messages = sorted(set(_messages([Path(each) for each in sys.argv[1:]], language)))
        found = _translations(messages)
        counted = Counter(word for _, said in messages for word in set(said))
        print(f"{language}: {len(messages)} messages, {len(found)} words")
        for word, meant in found.items():
            told = "\t".join(f"{english} {sure * 100:.0f}" for english, sure in meant)
            rows.append((counted[word], f"{language}\t{word}\t{told}"))
    rows.sort(key=lambda row: (-row[0], row[1]))
    size, kept = 0, []
    for _, line in rows:
        size += len(line.encode()) + 1
        if size > MOST_BYTES:
            break
        kept.append(line)
    (DATA / "translations.tsv").write_text("\n".join(sorted(kept)) + "\n", "utf-8")
    print(f"{len(kept)} of {len(rows)} words kept")


def _messages(folders: Iterable[Path], language: str) -> Iterator[Message]:
    wanted = re.compile(rf"{language}([_-]({language}|br))?", re.IGNORECASE)
    for folder in folders:
        for path in sorted(folder.rglob("*.mo")):
            if any(wanted.fullmatch(each) for each in path.parent.parts):
                yield from _pairs(_catalogue(path.read_bytes()).items(), language)
        named = {_place(path): path for path in sorted(folder.rglob("*.json"))}
        for (code, place), path in named.items():
            if wanted.fullmatch(code) and (english := named.get(("en", place))):
                ours = _texts(json.loads(english.read_bytes()))
                said = _texts(json.loads(path.read_bytes()))
                yield from _pairs(((ours[n], said[n]) for n in ours if n in said), language)


def _place(path: Path) -> tuple[str, str]:
    """Return the language of a file of texts by name, and what is the same in each language."""
    code = re.compile(r"[a-z]{2}([_-][A-Za-z]{2})?")
    if match := re.fullmatch(r"([a-z]{2}(?:-[A-Z]{2})?)-[0-9a-f]{8,}", path.stem):
        return match[1], str(path.parent)
    parts = path.parts
    found = [each for each in parts[:-1] if code.fullmatch(each)]
    return (found[-1] if found else ""), "/".join(each for each in parts if each not in found[-1:])


def _texts(named: object, name: str = "") -> dict[str, str]:
    """Return all texts below an object by their names."""
    if isinstance(named, str):
        return {name: named}
    if not isinstance(named, dict):
        return {}
    below = (_texts(each, f"{name}.{key}") for key, each in named.items())
    return {key: text for each in below for key, text in each.items()}


def _pairs(texts: Iterable[tuple[str, str]], language: str) -> Iterator[Message]:
    for english, said in texts:
        if len(english) <= LONGEST and len(said) <= LONGEST and english != said:
            pair = _words(english, "en"), _words(said, language)
            if all(pair):
                yield pair


def _catalogue(data: bytes) -> dict[str, str]:
    """Return the messages of a compiled catalogue, the plural ones by their first form."""
    order = "<" if struct.unpack("<I", data[:4])[0] == 0x950412DE else ">"
    count, ours, theirs = struct.unpack(f"{order}III", data[8:20])

    def text(table: int, number: int) -> str:
        length, start = struct.unpack_from(f"{order}II", data, table + number * 8)
        whole = data[start : start + length].decode("utf-8", "replace")
        return whole.split("\0")[0].rpartition("\4")[2]

    return {text(ours, number): text(theirs, number) for number in range(count)}


def _words(text: str, language: str) -> tuple[str, ...]:
    found = (lemma(word, language) for word in _WORD.findall(_HOLES.sub("", text).lower()))
    return tuple(word for word in found if word not in common_words()[language])


def _translations(messages: Sequence[Message]) -> dict[str, list[tuple[str, float]]]:
    there = _learned(messages)
    back = _learned([(said, english) for english, said in messages])
    found: dict[str, list[tuple[str, float]]] = {}
    for word, meant in there.items():
        both = {
            english: (sure * back.get(english, {}).get(word, 0.0)) ** 0.5
            for english, sure in meant.items()
        }
        best = sorted(both.items(), key=lambda each: (-each[1], each[0]))[:2]
        kept = [(english, sure) for english, sure in best if sure >= LEAST_SURE]
        if kept and kept[0][0] != word:
            found[word] = kept
    return found


def _learned(messages: Sequence[Message]) -> Mapping[str, Mapping[str, float]]:
    """Return for each word of the second language how likely each of the first is meant by it."""
    likely: dict[tuple[str, str], float] = defaultdict(lambda: 1e-3)
    for _ in range(ROUNDS):
        counted: dict[tuple[str, str], float] = defaultdict(float)
        total: dict[str, float] = defaultdict(float)
        for english, said in messages:
            for word in said:
                whole = sum(likely[each, word] for each in english)
                for each in english:
                    part = likely[each, word] / whole
                    counted[each, word] += part
                    total[word] += part
        likely = defaultdict(
            lambda: 1e-9,
            {
                pair: count / total[pair[1]]
                for pair, count in counted.items()
                if count / total[pair[1]] > 0.01
            },
        )
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for (each, word), sure in likely.items():
        found[word][each] = sure
    return found


if __name__ == "__main__":
    main()
