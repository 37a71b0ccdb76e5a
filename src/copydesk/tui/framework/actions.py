"""One declaration per user action.

``@action`` on a method of a place or of a widget is the only mention of that action anywhere. The
Textual binding, the footer entry, the palette entry, the help row, the line of ``docs/keys.md`` and
the "reached by" column of the operations are all derived from it. ``@command`` does the same for
words of the command line (``:move 3``).

A class that declares wrongly does not come into being: a missing docstring, an id twice, or a key
twice in one scope raises `DeclarationError` while the module is imported.
"""

from __future__ import annotations

import inspect
import re
import string
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, cast

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS

from copydesk.domain.keymap import with_second
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean
from copydesk.session.declarations import DANGERS

if TYPE_CHECKING:
    from copydesk.domain.own_command import Thing
    from copydesk.present.passages import Passage
    from copydesk.session.session import Session
    from copydesk.tui.framework.base_app import BaseApp
    from copydesk.tui.framework.inside_textual import SteadyScreen

Guard = Callable[[Any], str | None]
"""Takes the place (or widget) and returns None, or why the action is off, as a sentence."""


SHOWN = {"escape": "esc", "pagedown": "pgdn", "pageup": "pgup", "delete": "del"}
"""Short forms for the eye; every other key is shown as it is declared."""


@lru_cache(maxsize=512)
def textual_name(key: str) -> str:
    """Return Textual's name of one declared key, such as ``colon`` for ``:``."""
    modifiers, plus, last = key.rpartition("+")
    if plus and not last:  # "+" itself, or "ctrl++"
        modifiers, last = modifiers.removesuffix("+"), "+"
    if len(last) == 1 and not last.isalnum():
        name = unicodedata.name(last).lower().replace("-", "_").replace(" ", "_")
        last = KEY_NAME_REPLACEMENTS.get(name, name)
    return f"{modifiers}+{last}" if modifiers else last


@lru_cache(maxsize=512)
def chord(keys: str) -> tuple[str, ...]:
    """Split declared keys into the presses they need, in Textual's names: ``"g s"`` is two."""
    return tuple(textual_name(key) for key in keys.split(" "))


def shown(keys: str) -> str:
    """Return declared keys as the footer and the help write them: ``"g s"`` is ``gs``."""
    parts = [SHOWN.get(key, key) for key in keys.split(" ")]
    return "".join(parts) if all(len(part) == 1 for part in parts) else " ".join(parts)


_SIGNS = {textual_name(sign): sign for sign in string.punctuation}


def declared_name(textual_key: str) -> str:
    """Return the form people type for a key that Textual reported (``:`` for ``colon``)."""
    modifiers, plus, last = textual_key.rpartition("+")
    return f"{modifiers}{plus}{_SIGNS.get(last, last)}"


class NotYet(str):
    """Why an action is off only until something is read: said by a `Guard` in place of a plain one.

    What is typed after an action that opens a field waits for it then (`tui.framework.early_keys`).
    """

    __slots__ = ()


class NoRowYet(NotYet):
    """Why an action is off until the rows are read: nobody knows yet which one it is about."""

    __slots__ = ()


Takes = Literal["one", "marked", "none"]
"""Which rows of a list an action is for: the one under the cursor, those marked (or else the one
under the cursor), or none of them."""

Uses = str | Callable[[], Iterable[str]]
"""An operation name, or a callable that lists some: names, so that no model is imported early."""

F = TypeVar("F", bound=Callable[..., Any])


def while_free(label: str, *guards: Guard) -> Callable[[Any], str]:
    """Return a function that gives ``label``, or "" while a guard says why not, for the footer.

    What is only not read yet has its label: nothing comes and goes while one waits for it.
    """

    def now(here: Any) -> str:
        said = (guard(here) for guard in guards)
        return "" if any(why is not None and not isinstance(why, NotYet) for why in said) else label

    return now


READS = ("get_", "list_", "search_", "aggregate_")
"""What the names of the operations begin with that read; all others write."""


_MARK = "__copydesk_action__"
_WORD = "__copydesk_command__"


class DeclarationError(TypeError):
    """An action or command that is declared wrongly; raised while its class is created."""


def is_read(operation: str) -> bool:
    """Whether the operation of that name only reads."""
    return operation.startswith(READS)


def _named(uses: Iterable[Uses]) -> Iterator[str]:
    """Yield the names of the operations that a declaration uses."""
    for use in uses:
        if callable(use):
            yield from use()
        else:
            yield use


def _for_one(owner: object, each: Action | Command) -> str | None:
    """Return why an action for the row under the cursor alone is refused while rows are marked.

    Said here, and not by each action: one that says nothing of rows never writes to a row beside
    those that are marked.
    """
    if each.takes == "one" or (each.takes is None and each.writes):
        rows = getattr(getattr(owner, "screen", None), "marking", None)
        if rows is not None and rows.marks:
            return f"{rows.count_marks()}: “{each.label}” does one at a time. {CLEARS}"
    return None


def _not_there(owner: object, each: Action | Command) -> str | None:
    session: Session | None = getattr(getattr(owner, "app", None), "session", None)
    return None if session is None else lack(session, each)


def lack(session: Session, each: Action | Command) -> str | None:
    """Return why the service of a session has nothing of what an action or a word is for.

    That is all that it writes, or else all that it reads; of a place the first read, which gives
    its rows.
    """
    if not session.lacks_any:
        return None
    names = list(each.operations())
    writes = [name for name in names if not is_read(name)]
    if isinstance(each, Action) and each.group == "Go" and not writes:
        names = names[:1]
    return session.without(writes or names) if names else None


CLEARS = "ctrl+\\ clears the marks."


class _Declared:
    uses: tuple[Uses, ...]
    stages: bool

    def operations(self) -> Iterator[str]:
        """Yield the names of the API operations that it uses."""
        return _named(self.uses)

    @property
    def writes(self) -> bool:
        """Whether it writes, or leads to nothing else: it is away in a read-only session."""
        return self.stages or not all(map(is_read, self.operations()))


@dataclass(frozen=True)
class Action(_Declared):
    """One user action as it was declared.

    ``keys`` are as declared (``"g s"``); ``danger`` is the level of the confirmation ladder (0 to
    3; docs/tui.md, Dialogs); ``show`` is its footer priority (0 keeps it out, higher stays longer
    on a short line); ``scope`` names the place, or
    the class, that declared it; ``stages`` says that it sends
    nothing itself and leads to nothing but writes, ``types`` that it opens a field: what is typed
    after it is text, and never a command; ``takes`` which rows it is for.
    """

    scope: str
    method: str
    keys: tuple[str, ...]
    label: str
    written: str
    named: str = ""
    unless: tuple[Guard, ...] = ()
    danger: int = 0
    uses: tuple[Uses, ...] = ()
    show: int = 0
    group: str = ""
    override: bool = False
    inline: bool = False
    now: Callable[[Any], str] | None = None
    stages: bool = False
    types: bool = False
    takes: Takes | None = None

    def label_for(self, owner: object) -> str:
        """Return its label for ``owner`` now."""
        return self.label if self.now is None else self.now(asked(owner))

    @property
    def word(self) -> str:
        """What it means, in a word that other actions of the same meaning have too."""
        return self.named or self.method

    @property
    def id(self) -> str:
        """Its stable name, for keymaps, logs and documentation: `place.word`."""
        return f"{self.scope}.{self.word}"

    @cached_property
    def doc(self) -> str:
        """The docstring as it is told; worked out for the help, and not for every start."""
        return _told(self.written)

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        return self.doc.split("\n", 1)[0]

    @cached_property
    def binding(self) -> Binding | None:
        """Textual's binding of its single keys, made once for all classes that inherit it."""
        single = [key for key in self.keys if len(chord(key)) == 1]
        if not single:
            return None
        return Binding(
            ",".join(chord(key)[0] for key in single),
            f"press('{self.method}')",
            self.label,
            show=bool(self.show),
            key_display=shown(single[0]),
            id=self.id,
        )

    def reason(self, owner: object) -> str | None:
        """Return why it is off for ``owner`` now, or None when it can be used."""
        if (why := _for_one(owner, self)) is not None:
            return why
        for guard in self.unless:
            if (why := guard(asked(owner))) is not None:
                return why
        return _not_there(owner, self)


@dataclass(frozen=True)
class Command(_Declared):
    """A word of the command line: ``:name usage``."""

    scope: str
    method: str
    name: str
    usage: str
    written: str
    complete: Callable[[Any], Sequence[str]] | None = None
    uses: tuple[Uses, ...] = ()
    stages: bool = False
    takes: Takes | None = None

    @cached_property
    def doc(self) -> str:
        """The docstring as it is told; worked out for the help, and not for every start."""
        return _told(self.written)

    def reason(self, owner: object) -> str | None:
        """Return why it is off for ``owner`` now, whatever follows it, or None."""
        return _for_one(owner, self) or _not_there(owner, self)

    @property
    def id(self) -> str:
        """The stable name that documentation uses."""
        return f"{self.scope}:{self.name}"

    @property
    def label(self) -> str:
        """Its name where an action has its label."""
        return f":{self.name}"


def away(session: Session, each: Action | Command) -> bool:
    """Whether an action or a word is not there, because the session only reads."""
    return session.read_only and each.writes


def refusal(session: Session, label: str) -> str:
    """Return why the action ``label`` is off in a read-only session."""
    return f"Read-only: {label} is off ({why(session)})."


def why(session: Session) -> str:
    """Return what makes a session read-only, in a few words."""
    if session.read_only_by:
        return clean(session.read_only_by)
    return f"profile {clean(session.profile)}" if session.profile else "--read-only"


def _told(written: str) -> str:
    """Return a docstring as it is told: each paragraph one line, which breaks where it is shown.

    Words between double backticks are as they are typed: those signs are for readers of the code.
    """
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(written))
    return "\n".join(" ".join(each.split()) for each in paragraphs).replace("``", "")


def action(
    key: str,
    label: str,
    *,
    word: str = "",
    unless: Guard | Sequence[Guard] = (),
    danger: int = 0,
    uses: Uses | Sequence[Uses] = (),
    show: bool | int = True,
    group: str = "",
    also: Sequence[str] = (),
    override: bool = False,
    inline: bool = False,
    now: Callable[[Any], str] | None = None,
    stages: bool = False,
    types: bool = False,
    takes: Takes | None = None,
) -> Callable[[F], F]:
    """Declare a method as a user action.

    A plain method acts at once; an ``async`` one runs in a worker and may await sheets. ``key`` and
    ``also`` are single keys or chords (``"g s"``); one that browsers keep gets a second key.
    ``word`` is its name in ids, where it means the same as another action: that of the method
    without. ``show`` is the footer priority: ``True`` is 10. ``group`` is its heading in the help.
    ``override`` allows a key, or an action of the same name, that a base class already has.
    ``inline`` finishes an async action before the next key is read: only for what waits for nobody.
    ``now`` takes the owner and returns the label of the footer where it follows a state.
    ``stages``: it sends nothing itself, and all that it leads to are writes. ``types``: it opens a
    field, for which keys are kept until it is there (`framework.early_keys`). ``takes``: which
    rows it is for, where some can be marked; one that writes is for "one" unless it says so.
    """

    def declare(function: F) -> F:
        if not function.__doc__:
            raise DeclarationError(f"action {function.__qualname__} has no docstring")
        setattr(
            function,
            _MARK,
            Action(
                scope="",
                method=function.__name__,
                keys=with_second((key, *also)),
                label=label,
                written=function.__doc__,
                named=word,
                unless=(unless,) if callable(unless) else tuple(unless),
                danger=danger,
                uses=(uses,) if isinstance(uses, str) or callable(uses) else tuple(uses),
                show=10 if show is True else int(show),
                group=group,
                override=override,
                inline=inline,
                now=now,
                stages=stages,
                types=types,
                takes=takes,
            ),
        )
        return function

    return declare


def command(
    name: str,
    usage: str = "",
    *,
    complete: Callable[[Any], Sequence[str]] | None = None,
    uses: Uses | Sequence[Uses] = (),
    stages: bool = False,
    takes: Takes | None = None,
) -> Callable[[F], F]:
    """Declare a method ``(self, rest: str)`` as a word of the command line."""

    def declare(function: F) -> F:
        if not function.__doc__:
            raise DeclarationError(f"command {function.__qualname__} has no docstring")
        names = (uses,) if isinstance(uses, str) or callable(uses) else tuple(uses)
        word = Command(
            "", function.__name__, name, usage, function.__doc__, complete, names, stages, takes
        )
        setattr(function, _WORD, word)
        return function

    return declare


SCOPES: dict[str, tuple[type[Acts], ...]] = {}
"""The classes that declare actions, by scope: what documentation and completeness tests walk."""

JUMPS: dict[str, tuple[Action, Sequence[type[Acts]]]] = {}
"""The actions that go to a place, by the word after ``:``, and whose actions one can do there.

There are none of these before the place is imported.
"""


class Acts:
    """Something with actions: the base of places, sheets and of widgets with keys of their own.

    Subclass with ``scope="…"``; without one a class shares its base's scope and declares nothing.
    Textual bindings are derived here, so no class needs ``BINDINGS``.
    """

    SCOPE: ClassVar[str] = ""
    ACTIONS: ClassVar[Mapping[str, Action]] = MappingProxyType({})
    LINE_COMMANDS: ClassVar[Mapping[str, Command]] = MappingProxyType({})
    OVERRIDES: ClassVar[bool] = False
    """Whether its actions with ``override`` take their keys from owners that are asked later."""
    TYPES_TEXT: ClassVar[bool] = False
    """Whether letters are text for it: then Textual's own order of handling keys is kept."""
    first: Sequence[Acts] = ()  # what else acts on what is in it: its keys come before its own

    def __init_subclass__(cls, *, scope: str = "", **kwargs: Any) -> None:
        own_actions: list[Action] = [
            replace(getattr(value, _MARK), scope=scope)
            for value in vars(cls).values()
            if hasattr(value, _MARK)
        ]
        own_commands: list[Command] = [
            replace(getattr(value, _WORD), scope=scope)
            for value in vars(cls).values()
            if hasattr(value, _WORD)
        ]
        if (own_actions or own_commands) and not scope:
            raise DeclarationError(f"{cls.__qualname__} declares actions but has no scope")
        if scope:
            ids = [*(each.id for each in own_actions), *(each.id for each in own_commands)]
            if len(set(ids)) < len(ids):
                raise DeclarationError(f"two of {', '.join(sorted(ids))} have one id")
            _claim(scope, cls, set(ids))
            cls.SCOPE = scope
        actions = _inherited(cls)
        commands: dict[str, Command] = {}
        for base in cls.__mro__[1:]:
            for name, word in vars(base).get("LINE_COMMANDS", {}).items():
                if word.scope == vars(base).get("SCOPE"):
                    commands.setdefault(name, word)
        for each in own_actions:
            _add(cls, actions, each)
        commands.update((word.name, word) for word in own_commands)
        cls.ACTIONS = MappingProxyType(actions)
        DANGERS.update((each.id, each.danger) for each in actions.values())
        cls.LINE_COMMANDS = MappingProxyType(commands)
        owners = cls.owner_classes()
        _refuse_clashes(cls, owners)
        bindings = [each.binding for _, each in actions_of(owners) if each.binding is not None]
        own_bindings = vars(cls).get("BINDINGS", [])
        cls.BINDINGS = [*own_bindings, *bindings]  # type: ignore[attr-defined]  # Textual's
        if issubclass(cls, DOMNode) and not cls.TYPES_TEXT:
            kwargs.setdefault("inherit_bindings", False)
        super().__init_subclass__(**kwargs)
        # Textual has merged them: left there, it would go through them again for each class below.
        cls.BINDINGS = own_bindings  # type: ignore[attr-defined]

    async def action_press(self, method: str) -> None:
        """Run one of the declared actions, for Textual's bindings."""
        owner = self.who_does(method)
        if owner is not None:
            await cast("Any", self).app.keyboard.run(owner, owner.ACTIONS[method])

    def who_does(self, method: str) -> Acts | None:
        """Return what has an action: itself or, of a place, one of its commands."""
        return next((each for each in self.owners if method in each.ACTIONS), None)

    @classmethod
    def owner_classes(cls) -> tuple[type[Acts], ...]:
        """Return the classes whose actions one can do here, in the order they are asked in."""
        return (cls,)

    @property
    def owners(self) -> Sequence[Acts]:
        """What has the actions that one can do here, in the order it is asked in."""
        return (*self.first, self)


def actions_of(chain: Sequence[Acts | type[Acts]]) -> Iterator[tuple[int, Action]]:
    """Yield what a chain of owners, or of their classes, does, with the number of whose it is.

    Nearest first. What commands override, by its name or by its only keys, their place does not do,
    and what a place overrides is not done by the commands of all places.
    """
    overridden: set[str | tuple[str, ...]] = set()
    for level, owner in enumerate(chain):
        kind: type[Acts] = owner if isinstance(owner, type) else type(owner)
        actions = kind.ACTIONS.values()
        for each in actions:
            if each.method not in overridden and not overridden.issuperset(map(chord, each.keys)):
                yield level, each
        if kind.OVERRIDES:
            for each in actions:
                if each.override:
                    overridden |= {each.method, *map(chord, each.keys)}


def _refuse_clashes(cls: type[Acts], owners: Sequence[type[Acts]]) -> None:
    """Refuse a key or a name that two owners of one place have, unless the nearer overrides it."""
    holder: dict[str | tuple[str, ...], Action] = {}
    for _, each in actions_of(owners):
        names: list[str | tuple[str, ...]] = [
            each.method,
            *(tuple(chord(key)) for key in each.keys),
        ]
        for name in names:
            other = holder.setdefault(name, each)
            if other is not each and not other.override:
                raise DeclarationError(
                    f"{cls.__qualname__}: {other.id} and {each.id} are both {name!r}"
                )


def _claim(scope: str, cls: type[Acts], ids: set[str]) -> None:
    """Note the scope of a class. A place and its commands may share one, but no id."""
    others = [
        each
        for each in SCOPES.get(scope, ())
        if (each.__module__, each.__qualname__) != (cls.__module__, cls.__qualname__)
    ]
    for other in others:
        if not issubclass(cls, Commands) and not issubclass(other, Commands):
            raise DeclarationError(
                f"scope {scope!r} of {cls.__qualname__} belongs to {other.__qualname__}"
            )
        taken = {each.id for each in other.ACTIONS.values()}
        taken |= {each.id for each in other.LINE_COMMANDS.values()}
        if twice := ids & taken:
            raise DeclarationError(
                f"{', '.join(sorted(twice))} of {cls.__qualname__} belongs to {other.__qualname__}"
            )
    SCOPES[scope] = (*others, cls)


def _inherited(cls: type[Acts]) -> dict[str, Action]:
    """Return the actions of the bases; the nearest declaration of a name, and of a key, has it.

    A base holds also what it inherits itself. That must not stand for what another base made of it.
    """
    above = cls.__mro__[1:]
    if above[0].__mro__ == above:  # one base, which has worked it out
        return dict(vars(above[0]).get("ACTIONS", {}))
    taken: dict[str, Action] = {}
    holder: dict[tuple[str, ...], str] = {}
    for base in reversed(above):
        for each in vars(base).get("ACTIONS", {}).values():
            if each.scope != vars(base).get("SCOPE"):
                continue
            before = taken.pop(each.method, None)
            for key in () if before is None else before.keys:
                del holder[chord(key)]
            if any(chord(key) in holder for key in each.keys):
                _take_keys(taken, each)
            taken[each.method] = each
            holder.update((chord(key), each.method) for key in each.keys)
    order = [name for base in above for name in vars(base).get("ACTIONS", {})]
    return {name: taken[name] for name in dict.fromkeys(order) if name in taken}


def _take_keys(actions: dict[str, Action], new: Action) -> None:
    """Take the keys of an action from others; one that is left without any goes."""
    mine = {chord(key) for key in new.keys}
    for other in list(actions.values()):
        left = tuple(key for key in other.keys if chord(key) not in mine)
        if len(left) == len(other.keys):
            continue
        if left:
            actions[other.method] = replace(other, keys=left)
        else:
            del actions[other.method]


def _add(cls: type, actions: dict[str, Action], new: Action) -> None:
    """Put ``new`` among ``actions``, taking keys from inherited ones only on request."""
    if new.method in actions and not new.override:
        raise DeclarationError(
            f"{new.id} in {cls.__qualname__} is already {actions[new.method].id}: "
            "declare it with override=True, or only override the method"
        )
    actions.pop(new.method, None)
    mine = {chord(key) for key in new.keys}
    if len(mine) != len(new.keys):
        raise DeclarationError(f"{new.id} names a key twice")
    if mine.isdisjoint(chord(key) for each in actions.values() for key in each.keys):
        actions[new.method] = new
        return
    for other in list(actions.values()):
        clash = mine.intersection(map(chord, other.keys))
        if not clash:
            continue
        if not new.override or other.scope == new.scope:
            raise DeclarationError(
                f"{cls.__qualname__}: {other.id} and {new.id} are both on "
                f"{' '.join(sorted(clash)[0])!r}"
            )
    _take_keys(actions, new)
    actions[new.method] = new


def declaring() -> list[type[Acts]]:
    """Return every class that declares actions."""
    return [cls for classes in tuple(SCOPES.values()) for cls in classes]


def declared(*, ours: bool = False) -> list[Action]:
    """Return every action declared so far, each once, in the order of declaration.

    ``ours``: but those of tests.
    """
    seen: dict[str, Action] = {}
    for cls in declaring():
        if ours and not cls.__module__.startswith("copydesk."):
            continue
        for each in cls.ACTIONS.values():
            seen.setdefault(each.id, each)
    return list(seen.values())


def declared_commands() -> list[Command]:
    """Return every word of the command line declared so far, each once."""
    seen: dict[str, Command] = {}
    for cls in declaring():
        for each in cls.LINE_COMMANDS.values():
            seen.setdefault(each.id, each)
    return list(seen.values())


class Commands(Acts):
    """Actions of a place in an object of their own, which takes the place and what else it needs.

    A place names them in `Place.COMMAND_CLASSES`. The keyboard asks them before the place, so that
    they may take a key that means something else elsewhere. Guards and labels are given the place.
    """

    OVERRIDES = True

    def __init__(self, place: SteadyScreen[None]) -> None:
        self.place = place

    @property
    def screen(self) -> SteadyScreen[None]:
        """The place, as what the keyboard asks of every owner of actions."""
        return self.place

    @property
    def app(self) -> BaseApp:
        """The program."""
        return cast("BaseApp", self.place.app)

    @property
    def is_attached(self) -> bool:
        """Whether the place is there."""
        return self.place.is_attached

    @property
    def shows_secret(self) -> bool:
        """Whether what they show must not be kept for the next start."""
        return False

    def views_note(self) -> str:
        """Return what the right part of the line of views says of them; "" for nothing."""
        return ""

    def step_within(self) -> bool:
        """Step back inside the screen; False where there is nothing to step back from."""
        return False

    def passages(self) -> Sequence[Passage]:
        """Return the parts of the text under the cursor that ``Y`` offers before all else."""
        return ()

    def things(self) -> Sequence[Thing]:
        """Return what commands of one's own are for here: the chosen rows, or what is open."""
        return ()

    def reply_values(self) -> Mapping[str, str]:
        """Return the fields of a saved reply that are known of what is in front."""
        return {}

    def resume_draft(self, part: str) -> bool:
        """Open the field that a draft was typed in; False where that is none of these actions."""
        return False


def asked(owner: object) -> object:
    """Return what guards and labels are asked about: of commands, the place they are of."""
    return owner.screen if isinstance(owner, Commands) else owner
