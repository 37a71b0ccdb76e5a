"""Commands of a person's own: what they run, on what kind of thing, and the words of one run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from difflib import get_close_matches
from typing import Literal, TypeAlias

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean

Show: TypeAlias = Literal["status", "pager", "terminal", "none"]
Then: TypeAlias = Literal["", "refresh"]
Event: TypeAlias = Literal["after_merge", "after_apply", "on_news"]

FIELDS = (
    "id", "number", "title", "url", "space", "site", "organization", "author", "status", "path",
    "query", "profile",
)  # fmt: skip
"""What stands in braces and is filled in: of the row under the cursor, or of what is open."""

KINDS = (
    "any", "answer", "block", "change request", "cluster", "collection", "comment",
    "conversation", "event", "file", "finding", "group", "installation", "integration",
    "invite link", "issue", "link", "member", "OpenAPI specification", "organization", "page",
    "provider", "question", "record", "result", "reusable content", "revision", "section", "site",
    "site space", "source", "space", "team", "term", "thread", "topic", "translation", "version",
    "way to sign in",
)  # fmt: skip
"""The kinds of things that a command may be for."""

PREFIX = "COPYDESK_"
"""What the names of the variables begin with by which a shell gets the fields."""

LONGEST = 10_000
"""Characters of a field that are handed over."""

_FIELD = re.compile(r"\{\{([a-z]+)\}\}|\{([a-z]+)\}")
_VARIABLE = re.compile(rf"\$\{{?{PREFIX}([A-Z_]+)")


@dataclass(frozen=True, slots=True)
class Thing:
    """What a command is run on: its kind, and the fields that are known of it."""

    kind: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """A command of the settings.

    ``run`` is one word of the program after the other; with ``shell`` a single text for ``sh``.
    ``on`` are the kinds of things that it is for. ``writes``: it is shown and asked about first,
    and away in a session that only reads. ``each``: it runs once for each marked row. ``replaces``
    is the action whose key it takes.
    """

    name: str
    run: tuple[str, ...]
    key: str = ""
    on: tuple[str, ...] = ("any",)
    shell: bool = False
    show: Show = "status"
    then: Then = ""
    writes: bool = True
    each: bool = False
    replaces: str = ""

    @property
    def line(self) -> str:
        """What it runs, as it stands in the settings."""
        return clean(" ".join(self.run))

    @property
    def fields(self) -> Sequence[str]:
        """The fields that it takes, each once."""
        return fields_in(self.run, shell=self.shell)


@dataclass(frozen=True, slots=True)
class Hook:
    """A program that runs after something happened."""

    event: Event
    run: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ready:
    """One run of a command: its words, and the variables that a shell gets."""

    words: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)


def fields_in(words: Sequence[str], *, shell: bool) -> Sequence[str]:
    """Return what a command calls a field, known or not."""
    found = dict[str, None]()
    for word in words:
        if shell:
            found.update((each[1].lower(), None) for each in _VARIABLE.finditer(word))
        else:
            found.update((each[2], None) for each in _FIELD.finditer(word) if each[2])
    return list(found)


def wrong_words(words: Sequence[str], *, shell: bool) -> Iterator[str]:
    """Yield what is wrong with the words of a command, before anything is known of its thing."""
    for name in fields_in(words, shell=shell):
        if name not in FIELDS:
            near = get_close_matches(name, FIELDS, n=1)
            said = _written(near[0], shell=shell) if near else ""
            meant = f"did you mean {said}?" if near else f"the fields are {', '.join(FIELDS)}"
            yield f"{_written(name, shell=shell)} is not a field: {meant}"
    if shell:
        for name in fields_in(words, shell=False):
            if name in FIELDS:
                yield f"a shell gets {{{name}}} as ${PREFIX}{name.upper()} only"
    elif _FIELD.search(words[0]):
        yield "the program itself cannot be a field"


def _written(name: str, *, shell: bool) -> str:
    return f"${PREFIX}{name.upper()}" if shell else f"{{{name}}}"


def ready(run: Sequence[str], values: Mapping[str, str], *, shell: bool = False) -> Ready:
    """Return the words of a run, with its fields filled in: each stays within its word.

    What stands in braces twice (``{{title}}``) stays there once. Raises ``ValueError`` with a
    sentence where a field is not known, or would be taken for an option.
    """
    known = {name: clean(values[name], limit=LONGEST) for name in FIELDS if name in values}
    for name in fields_in(run, shell=shell):
        if name not in known:
            raise ValueError(f"{_written(name, shell=shell)} is not known here.")
    if shell:
        variables = {f"{PREFIX}{name.upper()}": known.get(name, "") for name in FIELDS}
        return Ready(("sh", "-c", *run), variables)
    words, ended = list[str](), False
    for word in run:
        filled = _FIELD.sub(lambda each: f"{{{each[1]}}}" if each[1] else known[each[2]], word)
        begins = _FIELD.match(word)
        if begins is not None and begins[2] and filled.startswith("-") and not ended:
            raise ValueError(
                f"{begins[0]} begins with - here, which the program would take for an option. "
                "Put -- before it in the settings."
            )
        ended = ended or word == "--"
        words.append(filled)
    return Ready(tuple(words))
