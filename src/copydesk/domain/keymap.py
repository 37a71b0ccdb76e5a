"""The keys of a person in place of the declared ones: a preset, and keys of single actions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field
from functools import cache, lru_cache

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.nearest_word import did_you_mean

Keys = Mapping[str, Sequence[str]]
"""Keys by the id of their action; those of a chord have blanks between them."""

PRESETS: Mapping[str, Keys] = {
    "vim": {},
    "emacs": {
        "down": ("down", "ctrl+n"),
        "up": ("up", "ctrl+p"),
        "ctrl+p": ("alt+x",),
        "ctrl+n": ("alt+n",),
        "escape": ("escape", "ctrl+g"),
        "ctrl+g": ("f12",),
        "ctrl+x": ("delete",),
        "ctrl+s": ("ctrl+x ctrl+s",),
        "/": ("ctrl+s", "/"),
    },
    "arrows": {
        "h": (),
        "j": (),
        "k": (),
        "l": (),
        "?": ("f1", "?"),
        "ctrl+p": ("f2", "ctrl+p"),
        "/": ("f3", "/"),
        "R": ("f5", "R"),
        "tab": ("tab", "f6"),
        "g": ("g", "f7"),
        "ctrl+n": ("f8", "ctrl+n"),
        "ctrl+s": ("f9", "ctrl+s"),
    },
}
"""What stands for a key; a key that is not here stays. Of a chord the first key is replaced."""

SECOND: Mapping[str, str] = {"ctrl+n": "alt+n", "ctrl+t": "alt+t"}
"""The key that does the same as one that browsers keep for themselves, in every preset."""

KEPT_BY_BROWSERS = frozenset({*SECOND, "ctrl+w"})
"""Keys that a page never gets."""

FORMER: Mapping[str, str] = {
    "page_ways.show_backlinks": "i in Pages (pages.page_links), twice: what links there",
    "organization_structure.merge_rules": ":rules, or a field of e (organization_structure.edit)",
    "organization_actions.end_invite": ":end-invite, or D (invites.delete) in the invitations",
}
"""What does now what actions did that have no key any more, by the ids that settings may name."""

WORDS = """
affected_pages=show_impact | alike=show_suggested | all_pages=toggle_everything |
apply=apply_suggestions | ask_for=ask_where | audience=choose_audience | back=cancel,cancel_ask,
cancel_choice,cancel_form,cancel_typing,close_help,close_sheet,composer.leave,prompt.close,
step_back,token_input.leave | before=show_before | browser=browse,open_address |
change_all=organization.edit | change_request=show_request | changes=open_requests |
cluster=go_cluster,open_cluster | collapse=fold_branch | collapse_all=fold_all |
comment=comment_line | comment_on_whole=comment_whole | compare=compare_latest | confirm=begin,
merge_sheet.merge,others_sheet.go_on,send_them | delete=arrange_delete,delete_message,
delete_or_restore,delete_page | diff=open_changes | discard=drop | discard_staged=drop,
drop_staged | done=put_away,turn | down=later,move_down,next_line,next_option,scroll_facts_down |
draft=toggle_draft,turn | edit=arrange_edit,edit_file,edit_message,edit_page,edit_words,replace,
write | editor=edit_outside | elsewhere=write_sheet.move | emoji=choose_emoji | enter=prompt.take |
expand=unfold | expand_all=show_merged,unfold_all | files=show_files | filter=place.search |
find_text=find_said | finding=go_finding,open_finding | first=move_first,to_top |
history=show_history | into=move_into | invite=make | json=show_json,show_raw | label=changes.mark,
review.mark | last=move_last,to_end | last_screen=last_place | leave=activity.back,close_place,
requests.back | left=go_left,pane_left,previous_value,to_tree | links=show_page_links |
lock=lock_space | log=activity | mark=history.choose | mark_range=begin_range |
mark_read=mark_seen | merge_run=open_merge_run | new=add,add_people,arrange_new,begin,
changes.start,make,new_page | new_cluster=make | new_key=renew | next=next_change,
next_conversation,next_hunk | next_pane=other_pane,other_part,other_side | next_screen=next_place |
next_view=next_page | numbers=turn_numbers | open=open_row,open_thread,show_picture |
order_down=arrange_down,later | order_up=arrange_up,earlier | out=move_out |
page_links=show_links | pages=read_pages | pause=keep_rest | previous=previous_change,
previous_conversation,previous_hunk | previous_view=previous_page | put_above=drop_above |
refresh=read,refresh_place | remove=glossary.delete,members.take_out,remove_row,
team_members.take_out | retry=again | reusable_content=show_reusable |
reverse_sort=reverse_clusters | right=go_right,next_value,open_structure,pane_right,read_with,
to_text | role=access.change,change_role,invites.change | send=access.apply,arranging.apply,
ask_input.take,choices.take,ordered_choices.take,organization_structure.apply,rules_sheet.take,
save,send_all,send_from_preview,send_kept,send_staged,site_structure.apply,token_input.take,
type_to_confirm.confirm | show_new=fold_in | show_put_away=toggle_away |
show_snoozed=toggle_snoozed | side_by_side=toggle_sides | since_read=toggle_since |
sort=choose_sort,sort_clusters | stop=stop_it | stop_at=choose_stops | suggest=suggest_lines |
toggle=fold | token=fix_token | turn_tables=turn | undo=recall,roll_back,take_back |
unmask=show_token | up=earlier,move_up,previous_line,previous_option,scroll_facts_up |
update=update_first,update_from_main | views=choose_a_view | where=choose_where | who_wrote=number,
tell_who_wrote
"""
"""The words of actions, each with those that settings may still have for it, or their ids."""

_KEY = re.compile(
    r"(?:(?:ctrl|alt|shift)\+)*(?:[^\s]|f(?:[1-9]|1[0-9]|2[0-4])|up|down|left|right|home|end|pageup"
    r"|pagedown|enter|escape|tab|space|backspace|delete|insert)"
)


@dataclass(frozen=True, slots=True)
class OwnKeys:
    """What the settings say: a preset, and keys by the name of an action, or its id."""

    preset: str = "vim"
    keys: Keys = field(default_factory=dict)


def with_second(keys: Sequence[str]) -> tuple[str, ...]:
    """Return declared keys with the second ones of those that browsers keep."""
    return tuple(dict.fromkeys((*keys, *(SECOND[key] for key in keys if key in SECOND))))


def keys_renamed(keys: Iterable[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """Return which key is another one now, of the first keys of actions with those they have now.

    One that some of its actions have still, or in whose place they have several, is left out: a
    text that names it may mean each of them.
    """
    now: dict[str, set[str]] = {}
    for first, given in keys:
        now.setdefault(first, set()).add(given[0] if given else first)
    return {key: min(each) for key, each in now.items() if len(each) == 1 and key not in each}


THEIRS = (
    r"“[^”]*”|(?<!\w)'[^'\n]*'(?!\w)"
    r"|(?:Not allowed:|Refused by a rule:|The service (?:failed|refused it|did not accept it):"
    r"|or this service has no [^.]*\.|deleted or moved\.|Nothing was changed\.|to fix it\."
    r"|look before sending it again\.)"
    r"(?: .+?)??(?=$| \S (?:tries again|sends it|reads it again|lists it, to)\b| What you wrote)"
)
"""What is not ours in a sentence of ours: what is in quotes, and the words of a service, with what
comes before them (`copydesk.session.errors`)."""


def with_keys(text: str, renamed: Mapping[str, str]) -> str:
    """Return a text of ours with the keys that are there now in place of those it names.

    One with a modifier is found anywhere, another where a part of a sentence begins with it and
    says what it does, or it is alone in brackets at its end, or in a list with three blanks:
    ``R reads it``, ``J and K move it``, ``(g d)``, ``last: sent   u undo``. A sign begins a text.
    What is in quotes, or a service said, is somebody's; what does or means nothing, or is an action
    in quotes, is a key of now.
    """
    if not renamed:
        return text
    chords = tuple(now for now in renamed.values() if " " in now)
    return _naming(tuple(renamed), chords).sub(lambda key: renamed.get(key[0], key[0]), text)


@lru_cache(maxsize=64)
def _naming(keys: Sequence[str], chords: Sequence[str]) -> re.Pattern[str]:
    """Return what finds the names of keys in a text, and what has none: quotes, chords of now."""
    held = "|".join(re.escape(key) for key in keys if "+" in key[1:]) or "(?!)"
    alone = "|".join(re.escape(key) for key in keys if "+" not in key[1:]) or "(?!)"
    signs = "|".join(re.escape(key) for key in keys if not key[:1].isalnum()) or "(?!)"
    begins = r"(?:^|(?<=[.;:,!?(] )|(?<=\()|(?<= {3})|(?<=\b\w and ))"
    does = r"(?= [a-z]+s\b|, then | in [A-Z]| and \S [a-z])|(?<= and .)(?= [a-z])"
    said = rf"(?<![\w+])(?:{held})(?![\w+])|{begins}(?:{alone})(?:{does})"
    said += rf"|(?<= \()(?:{alone})(?=\)(?:[.,:;!?]|$)| now\))"
    said += rf"|(?:^(?:{signs})|(?<= {{3}})(?:{alone}))(?= [a-z])"
    kept = "|".join((THEIRS, *map(re.escape, chords)))
    return re.compile(rf"{kept}|(?:{said})(?!(?: \S+)? (?:does|means) nothing| is “)")


def keymap_of(
    declared: Keys,
    screens: Mapping[str, Sequence[str]],
    own: OwnKeys,
    fields: Collection[str] = (),
    *,
    browser: bool = False,
) -> tuple[dict[str, Sequence[str]], dict[str, str]]:
    """Return the keys of all actions that have others than declared, and the mistakes by name.

    ``screens`` has the scopes of the actions of each screen. A mistake leaves its action the keys
    that it had: a name or a key that is not known, and a key that is taken on the same screen. In
    ``fields`` a letter is text: their actions keep what they had where only letters are given. In a
    ``browser`` an action has none of those that are kept there, if it has another.
    """
    preset = PRESETS.get(own.preset, {})
    keys: dict[str, Sequence[str]] = {
        action: _translated(given, preset) for action, given in declared.items()
    }
    mistakes: dict[str, str] = {}
    for name, given in own.keys.items():
        ids = [action for action in declared if name in (action, action.rpartition(".")[2])]
        wrong = "" if ids else former(name, declared) or _unknown(name, declared)
        wrong = wrong or no_key(given) or next(_conflicts(keys, ids, given, screens), "")
        if wrong:
            mistakes[name] = wrong
            continue
        no_text = tuple(key for key in given if len(key) > 1)
        for each in ids:
            in_field = given and each in fields
            keys[each] = (no_text or keys[each]) if in_field else tuple(given)
    if browser:
        keys = {
            action: tuple(key for key in given if key not in KEPT_BY_BROWSERS) or given
            for action, given in keys.items()
        }
    return {
        action: given for action, given in keys.items() if given != tuple(declared[action])
    }, mistakes


def _translated(given: Sequence[str], preset: Keys) -> tuple[str, ...]:
    """Return keys as a preset has them: those that it takes away stay where none would be left."""
    found = list[str]()
    for keys in given:
        first, blank, rest = keys.partition(" ")
        # The keys that move alone go away, not the chords that begin with them.
        stands = preset.get(first, (first,)) or ((first,) if blank else ())
        found += (f"{each}{blank}{rest}" for each in stands)
    return tuple(dict.fromkeys(found)) or tuple(given)


def _unknown(name: str, declared: Keys) -> str:
    return f"{name or repr(name)} is not an action: {nearest_action(name, declared)}"


def former(name: str, declared: Iterable[str]) -> str:
    """Return what is there for a name that settings may still have; empty for none.

    That is what does what an action did that has no key any more, or another word.
    """
    if found := [said for each, said in FORMER.items() if name in (each, each.rpartition(".")[2])]:
        return f"{name} has no key any more: {found[0]}"
    scope, dot, _ = name.rpartition(".")
    now = [f"{scope}{dot}{word}" for word in words_now(name)]
    if dot:
        now = sorted({*declared} & {*now})
    return f"{name} has another name now: {' or '.join(now)}" if now else ""


def words_now(name: str) -> Sequence[str]:
    """Return the words that an action may have now whose word, or id, is one of before."""
    names = {name, name.rpartition(".")[2]}
    return [word for word, before in _words_before() if names & before]


@cache
def _words_before() -> Sequence[tuple[str, Set[str]]]:
    """Return `WORDS`, read once: drafts ask for each of their rows."""
    every = (each.partition("=") for each in "".join(WORDS.split()).split("|"))
    return [(word, frozenset(before.split(","))) for word, _, before in every]


def nearest_action(name: str, declared: Iterable[str]) -> str:
    """Return which action is meant by a name that none of the ids has, as the end of a sentence."""
    known = {action for each in declared for action in (each, each.rpartition(".")[2])}
    return did_you_mean(name, sorted(known), "copydesk keys lists them")


def no_key(given: Sequence[str]) -> str:
    """Return why these are not keys that an action can have; empty where they are."""
    for keys in given:
        if keys.split(" ")[0] == "!":
            return f"{keys}: ! is for your own commands alone"
        for key in keys.split(" "):
            if not _KEY.fullmatch(key):
                return f"{keys!r} is not a key: write m, f5, ctrl+t, alt+n, or a chord such as g m"
    return ""


def _conflicts(
    keys: Keys, ids: Sequence[str], given: Sequence[str], screens: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Yield what is wrong with new keys: each is another action's, or begins a chord of one.

    Both actions are named, and the screen.
    """
    new = {key for key in given if any(key not in keys[action] for action in ids)}
    for screen, scopes in screens.items():
        here = {action for action in keys if action.rpartition(".")[0] in scopes}
        if not here & {*ids}:
            continue
        mine = min(here & {*ids})
        for other in sorted(here - {*ids}):
            for key in sorted(new):
                if key in keys[other]:
                    yield f"{key} cannot be {mine} on {screen}: it is {other} there"
                if hidden := next((each for each in keys[other] if _hides(key, each)), ""):
                    said = f"{hidden} is {other} there, and one begins the other"
                    yield f"{key} cannot be {mine} on {screen}: {said}"


def _hides(one: str, other: str) -> bool:
    """Whether one of two different keys begins the other, which is a chord then."""
    return one.startswith(f"{other} ") or other.startswith(f"{one} ")
