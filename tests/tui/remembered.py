"""What Textual finds out again and again for every application of a test run, found out once.

Which rules of a style sheet hold for a node follows from the rules that name its class, id or
types, and from what these ask for in the node and in those above it: types, classes, ids, states.
Who handles a message follows from the classes of the two. Both are asked tens of thousands of
times a minute, mostly in states that an earlier test was in, if on another screen.
What is remembered is what Textual itself answered; it is asked anew for every state not seen yet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any

import pytest
from textual import _callback
from textual.css.model import RuleSet, Selector, SelectorType
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.message_pump import MessagePump

_parse: Any = Stylesheet.parse
_parse_rules: Any = Stylesheet._parse_rules
_rules_map: Any = Stylesheet.rules_map
_apply: Any = Stylesheet.apply
_replace_rules: Any = Stylesheet.replace_rules
_component_styles: Any = Stylesheet._process_component_classes
_handlers: Any = MessagePump._get_dispatch_methods
_count_parameters = _callback._count_parameters

_SIGNS = {SelectorType.CLASS: ".", SelectorType.ID: "#"}
"""What is before a name, that of a type but has nothing there."""

_FLAGS = ("_has_hover_style", "_has_focus_within", "_has_order_style", "_has_odd_or_even")


@dataclass(frozen=True, eq=False)
class Candidates:
    """What the rules ask for that may hold for a node; equal only to itself."""

    names: frozenset[str]
    """Types, classes and ids that any of them names."""
    asking: list[Selector]
    """The selectors that ask for a state (focus, hover, …)."""
    named: dict[object, frozenset[str]] = field(default_factory=dict)
    """The ones of these names that a node has, by its class, its id and its classes."""


_parsed: dict[object, list[RuleSet]] = {}
"""The rules of each part of a style sheet, by its text and the variables that it is given."""

_whole: dict[object, list[RuleSet]] = {}
"""The rules of each whole style sheet, by all of its parts."""

_maps: dict[int, dict[str, list[RuleSet]]] = {}
"""The rules of each of these lists by the names that they have."""

_numbers: dict[int, int] = {}
"""The number of each of these maps."""

_sheets: dict[tuple[int, ...], int] = {}
"""A number for each list of rules. The rules live as long as the run: they are parsed once."""

_candidates: dict[tuple[int, ...], Candidates] = {}
"""What the rules ask for that may hold for a node, by these rules in their order."""

_states: dict[object, Candidates] = {}
"""The same by the list of all rules, and by the class, the id and the classes of the node."""

_found: dict[object, tuple[Any, tuple[bool, ...]]] = {}
"""The rules that hold for a node, and what it has to watch, by its path."""

_given: list[Any] = []
"""The rules given to each of the nodes that are being looked at just now."""

_handled: dict[object, list[tuple[type, Any]] | None] = {}
"""Who handles a message; None where that depends on more than the classes."""


def _variables(sheet: Stylesheet) -> frozenset[tuple[str, str]]:
    of, variables = sheet.__dict__.get("_frozen", (None, None))
    if variables is None or of is not sheet._variables:  # one for all of its parts
        variables = frozenset(sheet._variables.items())
        sheet.__dict__["_frozen"] = sheet._variables, variables
    known: frozenset[tuple[str, str]] = variables
    return known


def _part_once(sheet: Stylesheet, css: str, *where: Any, **settings: Any) -> list[RuleSet]:
    key = (css, where, *settings.items(), _variables(sheet))
    if key not in _parsed:
        _parsed[key] = _parse_rules(sheet, css, *where, **settings)
    return _parsed[key]


def _parse_once(sheet: Stylesheet) -> None:
    key = (_variables(sheet), *sheet.source.items(), *sheet._invalid_css)
    rules = _whole.get(key)
    if rules is None:
        _parse(sheet)
        _whole[key] = sheet._rules
        return
    sheet._rules, sheet._rules_map, sheet._require_parse = rules, None, False


def _mapped_once(sheet: Stylesheet) -> dict[str, list[RuleSet]]:
    if sheet._rules_map is None:
        rules = sheet.rules
        if id(rules) not in _maps:
            _maps[id(rules)] = _rules_map.fget(sheet)
        sheet._rules_map = _maps[id(rules)]
    return sheet._rules_map


def _number(sheet: Stylesheet) -> int:
    key = id(sheet.rules_map)
    number = _numbers.get(key)
    if number is None:
        number = _sheets.setdefault(tuple(map(id, sheet.rules)), len(_sheets))
        _numbers[key] = number
    return number


def _candidates_of(sheet: Stylesheet, names: Iterable[str]) -> Candidates:
    may_hold = {id(rule) for name in names for rule in sheet.rules_map.get(name, ())}
    rules = [rule for rule in sheet.rules if id(rule) in may_hold]
    key = tuple(map(id, rules))
    if key not in _candidates:
        asking: dict[object, Selector] = {}
        named = set()
        for rule in rules:
            for selectors in rule.selector_set:
                for each in selectors.selectors:
                    named.add(_SIGNS.get(each.type, "") + each.name)
                    if each.pseudo_classes:
                        asking[each.type, each.name, frozenset(each.pseudo_classes)] = each
        _candidates[key] = Candidates(frozenset(named), list(asking.values()))
    return _candidates[key]


def _path(nodes: list[DOMNode], candidates: Candidates) -> tuple[object, ...]:
    named, asking = candidates.named, candidates.asking
    path: list[object] = [candidates]
    for node in nodes:
        key = (node.__class__, node._id, frozenset(node._classes))
        found = named.get(key)
        if found is None:
            names = {*node._css_type_names, f"#{node._id}", *(f".{each}" for each in node._classes)}
            found = named[key] = candidates.names & names
        path.append(found)
        path.extend([selector.check(node) for selector in asking])
    return tuple(path)


def _apply_found(
    self: Stylesheet, node: Any, *, animate: bool = False, cache: object = None
) -> None:
    kind = (_number(self), node.__class__, node._id, frozenset(node._classes))
    candidates = _states.get(kind)
    if candidates is None:
        candidates = _states[kind] = _candidates_of(self, node._selector_names)
    path = _path(node.css_path_nodes, candidates)
    found = _found.get(path)
    if found is None:
        _given.append(None)
        _apply(self, node, animate=animate)
        _found[path] = (_given.pop(), tuple(getattr(node, flag) for flag in _FLAGS))
        return
    rules, flags = found
    for flag, value in zip(_FLAGS, flags, strict=True):
        setattr(node, flag, value)
    if rules is not None:
        self.replace_rules(node, rules, animate=animate)
    self._process_component_classes(node)


def _replace_changed(_: object, node: Any, rules: Any, animate: bool = False) -> None:
    if _given:
        _given[-1] = rules
    if animate and rules.get("transitions"):
        _replace_rules(node, rules, animate=True)
        return
    base = node.styles.base
    # Where its rules are those it has, what is above may have changed all the same.
    if node.__dict__.get("_ruled") != (id(rules), base._updates):
        has = base._rules
        changed = [name for name in has.keys() | rules.keys() if has.get(name) != rules.get(name)]
        for name in changed:
            setattr(base, name, rules.get(name))
        node._ruled = (id(rules), base._updates)
    node.notify_style_update()


class _WhenAsked(dict[str, Any]):
    """The styles of a node's parts, each found out when it is first asked for."""

    def __init__(self, sheet: Stylesheet, node: DOMNode, parts: Collection[str]) -> None:
        super().__init__()
        self._sheet, self._node, self._parts = sheet, node, parts

    def __bool__(self) -> bool:
        return bool(self._parts) or len(self) > 0

    def __contains__(self, part: object) -> bool:
        return part in self._parts or super().__contains__(part)

    def __missing__(self, part: str) -> Any:
        if part not in self._parts:
            raise KeyError(part)
        stands_for = DOMNode(classes=part)
        stands_for._attach(self._node)
        self._sheet.apply(stands_for, animate=False)
        self[part] = stands_for.styles
        return stands_for.styles

    def clear(self) -> None:
        self._parts = ()
        super().clear()


def _components_changed(self: Stylesheet, node: Any) -> None:
    components = node._get_component_classes()
    if not components:
        return
    kind = (_number(self), node.__class__, "components")
    candidates = _states.get(kind)
    if candidates is None:
        names = {name for each in components for name in DOMNode(classes=each)._selector_names}
        candidates = _states[kind] = _candidates_of(self, names)
    path = _path(node.css_path_nodes, candidates)
    known = node.__dict__.get("_components_for")
    if known == path and node._component_styles:
        return
    if known is None and not node._component_styles:
        node._component_styles = _WhenAsked(self, node, components)
        node._components_for = path
        node.refresh()
        return
    _given.append(None)  # what their rules are is not what those of the node are
    _component_styles(self, node)
    _given.pop()
    node._components_for = path


def _known_handlers(self: Any, method_name: str, message: Any) -> Iterator[tuple[type, Any]]:
    key = (self.__class__, message.__class__, method_name)
    if key not in _handled:
        _handled[key] = _plain_handlers(*key)
    handled = _handled[key]
    if handled is None:
        yield from _handlers(self, method_name, message)
        return
    for cls, method in handled:
        if message._no_default_action:
            break
        yield cls, method.__get__(self, cls)


def _plain_handlers(pump: type, message: type, name: str) -> list[tuple[type, Any]] | None:
    found = []
    for cls in pump.__mro__:
        decorated = cls.__dict__.get("_decorated_handlers") or {}
        if any(each in decorated for each in message.__mro__):
            return None
        method = cls.__dict__.get(f"_{name}") or cls.__dict__.get(name)
        if method is not None and not getattr(method, "_textual_on", None):
            found.append((cls, method))
    return found


def _known_parameters(callback: Any) -> int:
    function = getattr(callback, "__func__", None) or type(callback).__dict__.get("__call__")
    if isinstance(function, FunctionType):
        return _known_parameters(function) - 1
    if not isinstance(callback, FunctionType) or callback.__dict__:
        return _count_parameters(callback)
    code = callback.__code__
    more = bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + more


def remember(patch: pytest.MonkeyPatch) -> None:
    """Ask Textual once for every state, until the patch ends."""
    patch.setattr(Stylesheet, "_parse_rules", _part_once)
    patch.setattr(Stylesheet, "parse", _parse_once)
    patch.setattr(Stylesheet, "rules_map", property(_mapped_once))
    patch.setattr(_callback, "_count_parameters", _known_parameters)
    patch.setattr(Stylesheet, "apply", _apply_found)
    patch.setattr(Stylesheet, "replace_rules", classmethod(_replace_changed))
    patch.setattr(Stylesheet, "_process_component_classes", _components_changed)
    patch.setattr(MessagePump, "_get_dispatch_methods", _known_handlers)
