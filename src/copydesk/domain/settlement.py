"""Pages that a change request and main both changed, and their results.

Each has the hunks of its texts and settings, and of what is not text: whether the page stays, where
it stands, and who has an address that two pages want. A choice for each that conflicts makes the
page that is wanted; what turns the pages that are there into those is one or more content writes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from copydesk.domain.hunks import Choice, Hunk, chosen, named, result_of, text_hunks
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_source import (
    FLAGS,
    OTHERS,
    TEXTS,
    page_source,
    page_update,
    parts_of_three,
    title_of,
    with_setting,
)
from copydesk.domain.reversal import JSON
from copydesk.domain.text import shown_title

PAGE, PLACE, ADDRESS, FILE = "page", "place", "address", "file"
"""The fields of hunks that are no text and no setting."""

SETTINGS = "settings"
"""The field of a hunk about settings that nothing tells but that they conflict."""


@dataclass(frozen=True, slots=True)
class PageSide:
    """A page in one revision: its text with its settings, and its place.

    ``others`` are the settings that its text does not have, as JSON.
    """

    source: str
    parent: str | None = None
    position: int = 0
    others: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageSides:
    """A page before, in main, and in the change request; None where it is not there.

    ``held`` says that the side which kept a page that the other deleted has pages below it which
    the other lacks, ``shifted`` that the request put it elsewhere among those beside it. ``rival``
    is a page of main that has its address, and ``free`` are two slugs that nobody has there.
    ``hidden`` says that settings conflict which the service does not tell.
    """

    id: str
    before: PageSide | None
    main: PageSide | None
    request: PageSide | None
    held: bool = False
    shifted: bool = False
    rival: str = ""
    free: tuple[str, str] = ("", "")
    hidden: bool = False

    @property
    def title(self) -> str:
        """What the page is called."""
        side = self.request or self.main or self.before
        return title_of(side.source) if side is not None else ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a page is to be: its text (None: it is not there), and where it stands.

    ``placed`` says that it is put there also where it stands below the same page already.
    ``others`` are the settings that its text does not have, by name, and ``origin`` the side from
    which the whole page is taken where it has others ("" for none); ``whole``: in any case.
    """

    id: str
    source: str | None
    parent: str | None = None
    at: int = 0
    placed: bool = False
    others: Mapping[str, str] = field(default_factory=dict)
    origin: Literal["", "request", "main", "before"] = ""
    whole: bool = False


@dataclass(frozen=True, slots=True)
class SettledPage:
    """A page with its hunks: those of structure and settings first, then its text."""

    sides: PageSides
    hunks: tuple[Hunk, ...]

    @property
    def id(self) -> str:
        """The id of the page."""
        return self.sides.id

    @property
    def title(self) -> str:
        """What the page is called; clean text."""
        return shown_title(self.sides.title)

    @property
    def conflicts(self) -> list[Hunk]:
        """The hunks that a person chooses of."""
        return [hunk for hunk in self.hunks if hunk.conflicts]

    @property
    def merged(self) -> int:
        """How many changes were merged by themselves."""
        return sum(not hunk.conflicts and not hunk.same for hunk in self.hunks)

    @property
    def near(self) -> bool:
        """Whether a merge by lines, as services make it, would find a conflict here."""
        return any(hunk.near or hunk.conflicts for hunk in self.hunks)

    @property
    def reverted(self) -> bool:
        """Whether the whole page is made main's before an update: else its settings conflict."""
        return any(hunk.field in (*OTHERS, SETTINGS) for hunk in self.conflicts)

    def mixed(self, choices: Mapping[str, Choice]) -> str:
        """Return the settings that no side has together and no write makes; "" for none."""
        wanted = self.wanted(choices)
        if wanted is None or wanted.origin or not wanted.others:
            return ""
        return ", ".join(wanted.others)

    def _others(self, choices: Mapping[str, Choice]) -> Wanted:
        """Return what its settings are to be that its text does not have."""
        hunks = [hunk for hunk in self.hunks if hunk.field in OTHERS]
        others = {hunk.field: chosen(hunk, choices.get(hunk.key)) or "" for hunk in hunks}
        hidden = next((hunk for hunk in self.hunks if hunk.field == SETTINGS), None)
        choice = None if hidden is None else choices.get(hidden.key)
        if hidden is not None and choice is not None:
            others[SETTINGS] = chosen(hidden, choice) or ""
        for origin in ("main", "request", "before"):
            side: PageSide | None = getattr(self.sides, origin)
            if others and side is not None:
                has = {**side.others, SETTINGS: origin}
                if all(has.get(name, "") == value for name, value in others.items()):
                    shown = {name: value for name, value in others.items() if name != SETTINGS}
                    whole = hidden is not None and origin != "main"
                    return Wanted(self.id, None, others=shown, origin=origin, whole=whole)
        return Wanted(self.id, None, others=others)

    def open(self, choices: Mapping[str, Choice]) -> list[Hunk]:
        """Return the hunks for which nothing is chosen yet."""
        return [hunk for hunk in self.conflicts if hunk.key not in choices]

    def wanted(self, choices: Mapping[str, Choice]) -> Wanted | None:
        """Return what the page is to be; None while a choice is missing."""
        if self.open(choices):
            return None
        sides = self.sides
        fields = {hunk.field: hunk for hunk in self.hunks if hunk.field}

        def side_of(name: str) -> PageSide | None:
            hunk = fields.get(name)
            choice = None if hunk is None else choices.get(hunk.key)
            if choice is not None and choice.side == "before":
                return sides.before
            if choice is not None:
                return sides.main if choice.side in ("main", "turned") else sides.request
            if hunk is not None and hunk.main == hunk.before:
                return sides.request
            return sides.main

        if sides.main is None or sides.request is None:
            if PAGE in fields:
                side = side_of(PAGE)
            else:
                side = None if sides.before is not None else sides.main or sides.request
            if side is None:
                return Wanted(self.id, None)
            source = side.source
        else:
            side = side_of(PLACE) or sides.main
            source = page_text(sides, self.hunks, choices) or ""
        if (hunk := fields.get(ADDRESS)) is not None:
            slug = chosen(hunk, choices.get(hunk.key)) or hunk.main
            source = with_setting(source, "slug", slug)
        found = replace(self._others(choices), source=source, parent=side.parent)
        own = sides.request
        if own is not None and sides.main is not None and sides.shifted and PLACE not in fields:
            side = own
        return replace(found, at=side.position, placed=side is own and sides.shifted)

    def rival(self, choices: Mapping[str, Choice]) -> str:
        """Return the slug that the page of main gets whose address this one takes; "" for none."""
        hunk = next((each for each in self.hunks if each.field == ADDRESS), None)
        taken = hunk is not None and chosen(hunk, choices.get(hunk.key)) == hunk.request
        return self.sides.free[1] if taken else ""


def settled_page(sides: PageSides) -> SettledPage:
    """Return a page with its hunks."""
    return SettledPage(sides, named([*_structure(sides), *_hunks(sides)], sides.id))


def _structure(sides: PageSides) -> Iterable[Hunk]:
    before, main, request = sides.before, sides.main, sides.request
    if before is not None and (main is None) != (request is None):

        def said(side: PageSide | None) -> str:
            if side is None:
                return "deleted"
            if sides.held:
                return "has new pages below it"
            return "kept" if _alike(side, before) else "edited"

        yield Hunk("kept", said(main), said(request), field=PAGE)
    if main is not None and request is not None:
        old, one, other = (side.parent or "" for side in (before or main, main, request))
        if not old == one == other:
            yield Hunk(old, one, other, field=PLACE)
    if sides.rival and request is not None:
        yield Hunk("", sides.free[0], _slug(request.source), field=ADDRESS)


def _alike(one: PageSide, other: PageSide) -> bool:
    return (one.source, one.parent) == (other.source, other.parent)


def _hunks(sides: PageSides) -> Iterable[Hunk]:
    main, request = sides.main, sides.request
    if main is None or request is None:
        return
    before = None if sides.before is None else sides.before.source
    parts = parts_of_three(before, main.source, request.source)
    for name in (*TEXTS, *FLAGS):
        old, one, other = (_word(part.settings.get(name)) for part in parts)
        if not old == one == other:
            yield Hunk(old, one, other, field=name)
    sides_ = (main if sides.before is None else sides.before, main, request)
    for name in OTHERS:
        old, one, other = (side.others.get(name, "") for side in sides_)
        if not old == one == other:
            yield Hunk(old, one, other, field=name)
    if sides.hidden:
        yield Hunk("before", "main", "request", field=SETTINGS)
    yield from text_hunks(*(part.markdown for part in parts))


def _word(value: JSON) -> str:
    return "true" if value is True else str(value or "")


def page_text(sides: PageSides, hunks: Sequence[Hunk], choices: Mapping[str, Choice]) -> str | None:
    """Return the text of a page that is on both sides; None while a choice is missing."""
    if sides.main is None or sides.request is None:
        return None
    before = None if sides.before is None else sides.before.source
    _, main, _ = parts_of_three(before, sides.main.source, sides.request.source)
    markdown = result_of([hunk for hunk in hunks if not hunk.field], choices)
    if markdown is None or main.whole:
        return markdown
    settings = dict(main.settings)
    for hunk in hunks:
        if hunk.field in (*TEXTS, *FLAGS):
            value = chosen(hunk, choices.get(hunk.key))
            if value is None:
                return None
            settings[hunk.field] = value == "true" if hunk.field in FLAGS else value.strip()
    return page_source(settings, markdown)


# What is kept, and sent


@dataclass(frozen=True, slots=True)
class Settling:
    """What is chosen of a change request, with the revisions that it was chosen of, and the run.

    ``head`` is the request's own revision. ``how`` is "joined" where the service updated the
    request in spite of conflicts, and "write" where one is made that has all of main: then only
    results are written. ``named`` are pages that the service called conflicting. ``steps`` say how
    each choice is taken back. While it is "sending", ``wanted`` is what its pages are to be, and
    ``known`` the revision that the last write made, ``label`` what the request is called,
    and ``restored`` the pages that were taken whole from a revision in this step of it.
    """

    id: str
    made: float
    space: str
    request: str
    base: str
    main: str
    head: str
    how: Literal["update", "joined", "write"] = "update"
    named: tuple[str, ...] = ()
    choices: Mapping[str, Choice] = field(default_factory=dict)
    steps: tuple[Mapping[str, Choice | None], ...] = ()
    state: Literal["open", "sending", "sent"] = "open"
    wanted: tuple[Wanted, ...] = ()
    known: str = ""
    label: str = ""
    restored: tuple[str, ...] = ()

    def choose(self, choices: Mapping[str, Choice | None]) -> Settling:
        """Return it with other choices, by the keys of hunks; None takes one away. One step."""
        step = {key: self.choices.get(key) for key in choices}
        if all(choices[key] == before for key, before in step.items()):
            return self
        return replace(self, choices=_with(self.choices, choices), steps=(*self.steps, step))

    def undo(self) -> Settling:
        """Return it without its newest step, if there is one."""
        if not self.steps:
            return self
        return replace(self, choices=_with(self.choices, self.steps[-1]), steps=self.steps[:-1])


def _with(
    choices: Mapping[str, Choice], changed: Mapping[str, Choice | None]
) -> Mapping[str, Choice]:
    both = {**choices, **changed}
    return {key: choice for key, choice in both.items() if choice is not None}


@dataclass(frozen=True, slots=True)
class Now:
    """The change request as it is: which pages it has, in reading order.

    Of some there are texts, and the settings that those do not have.
    """

    parents: Mapping[str, str | None]
    sources: Mapping[str, str]
    others: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def lacks(self, page: Wanted) -> bool:
        """Whether a page has other settings than it is to have."""
        now = self.others.get(page.id, {})
        return page.whole or any(now.get(name, "") != value for name, value in page.others.items())


def clearing(
    pages: Sequence[SettledPage],
    now: Now,
    main: str,
    main_parents: Mapping[str, str | None],
    slugs: Mapping[str, str],
    restored: Collection[str] = (),
) -> list[dict[str, JSON]]:
    """Return what makes pages of a change request those of main, at its revision ``main``.

    After it an update meets no conflict on them, for equal changes do not conflict. ``slugs`` are
    those that pages get whose address main has given to another, and ``restored`` the pages that
    were taken whole from main already.
    """
    changes: list[dict[str, JSON]] = []
    gone: list[str] = []
    for page in _in_order(pages, main_parents, now.parents):
        there, side = page.id in now.parents, page.sides.main
        if page.sides.rival:
            if there and _slug(now.sources.get(page.id)) != slugs[page.id]:
                changes.append(_update(page.id, slug=slugs[page.id]))
            continue
        if side is None:
            if there:
                gone.append(page.id)
            continue
        source = now.sources.get(page.id)
        alike = (source, now.others.get(page.id, {})) == (side.source, side.others)
        if there and not page.reverted:
            # Only what conflicts is made main's: an update merges the other settings by itself.
            if told := page_update(source or "", side.source):
                changes.append(_update(page.id, **told))
        elif not (alike and not page.sides.hidden) and page.id not in restored:
            changes.append(_revert(page.id, main))
        parent = now.parents.get(page.id)
        if there and parent != side.parent:
            before = page.sides.before
            # Where main's is not there yet, the old place: where main has put it holds then.
            places = [side.parent, *([] if before is None else [before.parent]), None]
            into = next(place for place in places if place is None or place in now.parents)
            if into != parent:
                changes.append(_update(page.id, into=into))
    # What main keeps goes out first: a page is deleted with all below it.
    kept = [
        page
        for page, parent in now.parents.items()
        if page in main_parents and page not in gone and parent in gone
    ]
    for each in kept:
        above = main_parents[each]
        into = above if above in now.parents and above not in gone else None
        changes.append(_update(each, into=into))
    return [*changes, *_deleting(gone, now.parents)]


def _update(page: str, **told: JSON) -> dict[str, JSON]:
    return {"operation": "update_page", "page": page, **told}


def _revert(page: str, revision: str) -> dict[str, JSON]:
    return {"operation": "revert_page", "page": page, "revision": revision}


def _deleting(gone: Sequence[str], parents: Mapping[str, str | None]) -> Iterable[dict[str, JSON]]:
    """Yield what deletes pages: each goes with all below it."""
    for page in gone:
        if not _below(page, gone, parents):
            yield {"operation": "delete_page", "page": page}


def lost_with(pages: Sequence[SettledPage], parents: Mapping[str, str | None]) -> set[str]:
    """Return the pages of a request that go while pages above them are made those of main."""
    gone = [page.id for page in pages if page.sides.main is None and page.id in parents]
    return {page for page in parents if page not in gone and _below(page, gone, parents)}


def writing(
    wanted: Sequence[Wanted],
    now: Now,
    known: Callable[[str], str],
    origin: Callable[[Wanted], tuple[str, str]] = lambda page: ("", ""),
) -> list[dict[str, JSON]]:
    """Return the changes that bring pages of a change request to the wanted state.

    ``known`` gives the revision that a page which is not there is brought back from, ``origin``
    the revision from which a page has its settings, with its text there.
    """
    changes: list[dict[str, JSON]] = []
    there = now.parents
    order = _Order(wanted, there)
    for page in _parents_first(wanted):
        if page.source is None:
            continue
        if page.id not in there:
            into, at = order.place(page.id)
            changes += [_revert(page.id, known(page.id)), _update(page.id, into=into, at=at)]
            continue
        source = now.sources.get(page.id, "")
        if page.origin and now.lacks(page):
            revision, source = origin(page)
            changes.append(_revert(page.id, revision))
        told = page_update(source, page.source)
        place: dict[str, JSON] = {}
        if not order.stands(page.id):
            into, at = order.place(page.id)
            place = {"into": into, "at": at}
        if told or place:
            changes.append(_update(page.id, **told, **place))
    return [*changes, *_deleting([page for page in there if page in order.gone], there)]


class _Order:
    """The pages of a request while changes put them where they are wanted, one after another.

    Where pages are wanted is counted without those that are deleted, which only the last changes
    do: a page is put behind the one that is wanted before it, wherever that stands by then.
    """

    def __init__(self, wanted: Sequence[Wanted], there: Mapping[str, str | None]) -> None:
        self.gone = {page.id for page in wanted if page.source is None}
        stay = {page.id: page for page in wanted if page.source is not None}
        known = {*stay, *there} - self.gone
        self._into = {
            page.id: page.parent if page.parent in known else None for page in stay.values()
        }
        self._waiting = {
            page.id: page
            for page in stay.values()
            if page.placed or page.id not in there or there[page.id] != self._into[page.id]
        }
        self._now: dict[str | None, list[str]] = {}
        for each, parent in there.items():
            self._now.setdefault(parent, []).append(each)
        self._parents = dict(there)
        goal: dict[str | None, list[str]] = {}
        for each, parent in there.items():
            if each in known and each not in self._waiting:
                goal.setdefault(parent, []).append(each)
        for page in sorted(self._waiting.values(), key=lambda page: page.at):
            goal.setdefault(self._into[page.id], []).insert(page.at, page.id)
        self._rank = {page: rank for pages in goal.values() for rank, page in enumerate(pages)}

    def stands(self, page: str) -> bool:
        """Whether a page stands where it is wanted, among those that do; it does from now on."""
        if page not in self._waiting:
            return True
        if self._parents[page] != self._into[page]:
            return False
        beside = self._now[self._into[page]]
        at, rank = beside.index(page), self._rank[page]
        if any(self._rank[each] > rank for each in beside[:at] if self._settled(each)) or any(
            self._rank[each] < rank for each in beside[at:] if self._settled(each)
        ):
            return False
        del self._waiting[page]
        return True

    def place(self, page: str) -> tuple[str | None, int]:
        """Put a page where it is wanted, and return below which page and at which index."""
        self._waiting.pop(page, None)
        if page in self._parents:
            self._now[self._parents[page]].remove(page)
        into = self._parents[page] = self._into[page]
        beside, rank = self._now.setdefault(into, []), self._rank[page]
        before = (
            at
            for at in reversed(range(len(beside)))
            if self._settled(beside[at]) and self._rank[beside[at]] < rank
        )
        at = next(before, -1) + 1
        beside.insert(at, page)
        return into, at

    def _settled(self, page: str) -> bool:
        return page not in self._waiting and page in self._rank


def _slug(source: str | None) -> str:
    if source is None:
        return ""
    return str(parts_of_three(None, source, source)[1].settings.get("slug", ""))


def _below(page: str, above: Iterable[str], parents: Mapping[str, str | None]) -> bool:
    """Whether a page stands below one of some pages."""
    outer = {*above}
    parent = parents.get(page)
    seen = {page}
    while parent is not None and parent not in seen:
        if parent in outer:
            return True
        seen.add(parent)
        parent = parents.get(parent)
    return False


def _in_order(pages: Sequence[SettledPage], *trees: Mapping[str, str | None]) -> list[SettledPage]:
    """Return pages as they stand in trees: a page before those below it."""
    at: dict[str, int] = {}
    for tree in trees:
        for page in tree:
            at.setdefault(page, len(at))
    return sorted(pages, key=lambda page: at.get(page.id, len(at)))


def _parents_first(wanted: Sequence[Wanted]) -> list[Wanted]:
    """Return pages in their order, but each behind the one that it stands below."""
    waiting = {page.id: page for page in wanted}
    found: list[Wanted] = []

    for start in wanted:
        way = []
        page: Wanted | None = waiting.get(start.id)
        while page is not None and page not in way:
            way.append(page)
            page = waiting.get(page.parent or "")
        found += [each for each in reversed(way) if waiting.pop(each.id, None) is not None]
    return found


def with_rivals(
    pages: Sequence[SettledPage], choices: Mapping[str, Choice], mains: Mapping[str, PageSide]
) -> list[Wanted] | None:
    """Return all wanted pages, first those that must give up an address to another.

    None while a choice is missing. ``mains`` are pages of main, by id.
    """
    found: list[Wanted] = []
    for page in pages:
        wanted = page.wanted(choices)
        if wanted is None:
            return None
        slug, side = page.rival(choices), mains.get(page.sides.rival)
        if slug and side is not None:
            source = with_setting(side.source, "slug", slug)
            found.insert(0, Wanted(page.sides.rival, source, side.parent, side.position))
        found.append(wanted)
    return found
