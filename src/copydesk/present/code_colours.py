"""Code as spans of text and tone. It loads a library and takes its time: for a thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from copydesk.domain.blocks import BlockText, read_fence
from copydesk.present.markdown import Line

_NAMES = """
bash c cpp csharp css diff docker dockerfile go graphql html http ini java javascript js json jsx
kotlin lua make makefile php py python rb ruby rust scss sh shell sql swift toml ts tsx typescript
xml yaml yml zsh
"""

LANGUAGES = frozenset(_NAMES.split())
"""The languages that are coloured: of others the reader is not known to end on any text."""

MOST_CHARACTERS = 20_000
"""Characters of a block that are coloured."""

_TONES = (
    ("Comment", "muted"),
    ("Keyword", "keyword"),
    ("Literal.String", "good"),
    ("Literal.Number", "accent"),
    ("Name.Function", "title"),
    ("Name.Class", "title"),
    ("Name.Tag", "keyword"),
    ("Name.Attribute", "accent"),
    ("Generic.Deleted", "bad"),
    ("Generic.Inserted", "good"),
)


def coloured(language: str, lines: Sequence[str]) -> list[Line] | None:
    """Return lines of code with a tone for each part; None where it stays as it is."""
    text = "\n".join(lines)
    language = language.partition(" ")[0]
    if language not in LANGUAGES or len(text) > MOST_CHARACTERS:
        return None
    from rich.syntax import Syntax

    lexer = Syntax("", language).lexer
    found: list[Line] = [[]]
    for kind, value in () if lexer is None else lexer.get_tokens(f"{text}\n"):
        name = str(kind).removeprefix("Token.")
        tone = next((tone for of, tone in _TONES if name.startswith(of)), "")
        for nth, part in enumerate(value.split("\n")):
            if nth:
                found.append([])
            if part:
                found[-1].append((part, tone))
    same = ["".join(part for part, _ in line) for line in found] == [*lines, ""]
    return found[:-1] if same else None


def rows_coloured(text: BlockText, block: int) -> Mapping[int, Line]:
    """Return the rows of a block of code in a fence with their tones, by number."""
    first, stop = text.blocks[block].first, text.blocks[block].stop
    closed = stop - first > 1 and set(text.said(stop - 1).strip()) in ({"`"}, {"~"})
    inside = range(first + 1, stop - closed)
    fence = read_fence(text.said(first))
    found = coloured(fence[1], [text.said(row) for row in inside]) if fence else None
    return {} if found is None else dict(zip(inside, found, strict=True))
