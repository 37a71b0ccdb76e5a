"""Who may do what in a space, a collection or a site, and where it comes from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from rich.text import Text

from copydesk.domain.access import (
    LEVELS,
    Change,
    Container,
    Holder,
    KnownSources,
    Source,
    Who,
    invited,
    level_from,
    level_with,
    rank,
    stage,
    staged_of,
    staged_text,
)
from copydesk.domain.address import web_address
from copydesk.domain.inverses import draft_dropped
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, listed, plural, shorten
from copydesk.present.facts import Fact, hint
from copydesk.session.draft_keys import access_key
from copydesk.session.glyphs import glyphs
from copydesk.session.names import person_name
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.access import (
    read_chain,
    read_sources,
    read_sources_if_there,
    read_team_members,
)
from copydesk.session.reads.organization import people_offered, read_home, teams_offered
from copydesk.session.target import Target
from copydesk.session.writes.bulk import REVERSIBLE, BulkItem, BulkRun
from copydesk.session.writes.undo import plan_name
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.bulk import BulkSheet
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.dialogs.form import FieldsWrongError
from copydesk.tui.framework.actions import Commands, NotYet, action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Place
from copydesk.tui.organization.members import MEMBER_SPACES, MEMBER_TEAMS
from copydesk.tui.organization.teams import PEOPLE as TEAM_PEOPLE
from copydesk.tui.resource.place import NAME_CELLS, REST_SECONDS, ResourcePlace, nothing_selected
from copydesk.tui.resource.resource import Condition, Facet, ListQuery, Resource, ServiceOrder

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.permission import (
        PermissionInvite,
        PermissionOrigin,
        TeamPermission,
    )

GUEST = "guest"
"""What a person without a level is on a site."""

NOWHERE = "Put the cursor on a space, a collection or a site, then g P."
"""What to do where it is not known whose list is meant."""

EXPLAINED = 20
"""Of so many people a plan says what they keep; more would take long to read."""


def where_of(target: Target) -> Holder | None:
    """Return the space, collection or site that a target is about."""
    if target.site is not None:
        return Holder("site", target.site, target.organization or "")
    if target.space is not None:
        return Holder("space", target.space)
    return None if target.item is None else Holder("collection", target.item)


@runtime_checkable
class HasHolder(Protocol):
    """A place whose rows are collections too, or which is about one."""

    def holder_at_hand(self) -> Target:
        """Return the space, site or collection (``item``) under the cursor."""


def holder_at_hand(here: Place) -> Target:
    """Return the space, site or collection of which somebody asks who may do what there."""
    if isinstance(here, HasHolder):
        return here.holder_at_hand()
    site = here.site_at_hand()
    return Target(site=site) if site else Target(space=here.space_at_hand())


def level_words(each: Any) -> str:
    """Return the role of a row."""
    if getattr(each, "disabled", False):
        return "switched off"
    return clean(each.permission or GUEST)


def origin_words(origin: PermissionOrigin | None, chain: Sequence[Container]) -> str:
    """Say where a level on a site comes from, as the service tells it; teams by their names."""
    if origin is None:
        return ""
    if origin.type != "site":
        return clean(origin.type)
    teams = {each.id: each.name for above in chain for each in above.given or ()}
    team = teams.get(origin.team or "")
    said = {
        "member": "given here",
        "team": f"team {team}" if team else "a team",
        "default": "everyone",
    }
    return said.get(origin.reason or "", clean(origin.reason or ""))


def _listing(what: str) -> Any:
    """Return what reads a page of a list of the place that a target is about."""

    async def pages(api: Api, target: Target, asked: ListQuery) -> Page[Any]:
        where = sure(where_of(target))
        operation = getattr(ops, f"list_{where.kind}_{what}permissions")
        return await api.page(
            operation, *where.ids.values(), **asked.paging, **asked.order, **asked.conditions
        )

    return pages


_PERSON: Mapping[str, Any] = {
    "noun": "member",
    "url": lambda each: web_address(each.user.urls.app) or None,
    "key": lambda each: each.user.id,
    "label": lambda each: person_name(each.user),
    "copies": lambda each: [("e-mail address", each.user.email)],
    "of": "organization",
    "contents": lambda: (MEMBER_TEAMS, MEMBER_SPACES),
}
_NAME = Facet[Any](
    "name", "NAME", lambda each, now: person_name(each.user), flex=1, minimum=20, detail=False,
    sort=lambda each: person_name(each.user).casefold(),
)  # fmt: skip
_LEVEL = Facet[Any](
    "role", "ROLE", lambda each, now: level_words(each), 17, values=(*LEVELS, GUEST),
    sort=lambda each: -rank(each.permission),
)  # fmt: skip
_EMAIL = Facet[Any](
    "email", "E-MAIL", lambda each, now: each.user.email, 20, drop=3, most=32,
    sort=lambda each: each.user.email or "",
)  # fmt: skip
_ORIGIN = Facet[Any]("from", "FROM", lambda each, now: None, 17, drop=2, most=26, detail=False)

PEOPLE: Resource[Any] = Resource(
    **_PERSON,
    title="People",
    pages=_listing(""),
    shown=(_NAME, _LEVEL, _ORIGIN, _EMAIL),
    empty="No one has a role here but administrators of the organization.",
    conditions=(Condition("role", "people with this role", values=LEVELS),),
)
"""Everyone with a level in a space or a collection, wherever it comes from."""


def _by(field: str, order: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the queries for an order of the service, and for its reverse."""
    back = "asc" if order == "desc" else "desc"
    return {"sort": field, "order": order}, {"sort": field, "order": back}


SITE_PEOPLE: Resource[Any] = replace(
    PEOPLE,
    orders=(
        ServiceOrder("joined", "last joined", *_by("joinedAt", "desc")),
        ServiceOrder("named", "name", *_by("name", "asc")),
        ServiceOrder("seen", "last seen (active members only)", *_by("lastSeenAt", "desc")),
    ),
    conditions=(
        Condition("role", "people with this role", values=(*LEVELS, GUEST)),
        Condition("search", "those whose name or e-mail address holds this"),
        Condition("team", "members of a team", offers=teams_offered, uses=("list_teams",)),
    ),
    dim=lambda each: each.disabled,
)
"""Everyone of the organization, with their level on a site."""

GIVEN: Resource[Any] = Resource(
    **_PERSON,
    title="Given to people",
    pages=_listing("user_"),
    shown=(_NAME, _LEVEL, _EMAIL),
    empty="No person was given a role here. ctrl+n gives one.",
)
"""The people who were given a level themselves."""


def _team_name(each: TeamPermission) -> str:
    return each.team.title.strip() or each.team.id


TEAMS: Resource[Any] = Resource(
    noun="team",
    title="Given to teams",
    pages=_listing("team_"),
    key=lambda each: each.team.id,
    label=_team_name,
    shown=(
        Facet("name", "NAME", lambda each, now: _team_name(each), flex=1, minimum=20, detail=False,
              sort=lambda each: _team_name(each).casefold()),
        _LEVEL,
        Facet("members", "MEMBERS", lambda each, now: str(each.team.members), 7, align="right",
              sort=lambda each: each.team.members),
        Facet("spaces", "SPACES", lambda each, now: str(each.team.spaces), 6, align="right",
              drop=1, sort=lambda each: each.team.spaces),
    ),
    empty="No team was given a role here. ctrl+n gives one.",
    contents=lambda: (TEAM_PEOPLE,),
)  # fmt: skip
"""The teams that were given a level."""

_LABELS: Mapping[Who, str] = {"user": "person", "team": "team", "email": "newcomer"}


# What may be done


def not_read(here: AccessPlace) -> str | None:
    """Say so while it is not known what was given here."""
    if (why := here.missing()) is not None:
        return why
    return None if here.chain else NotYet("What was given here is not read yet.")


def not_admin(here: AccessPlace) -> str | None:
    """Say so when the reader is known not to administer the place."""
    if (why := not_read(here)) is not None:
        return why
    first = here.chain[0]
    if first.admin is not False:
        return None
    return f"That takes the role admin in {shorten(first.title, NAME_CELLS)}."


def nothing_given(here: AccessPlace) -> str | None:
    """Say so when nothing was given here to what is under the cursor."""
    key = here.rows.selected_id
    if key is None or key in here.staged or here.own_level(key) is not None:
        return None
    return "Nothing was given to them here: the details say where it comes from."


def nothing_staged(here: AccessPlace) -> str | None:
    """Say so when nothing is staged."""
    return None if here.staged else "Nothing is staged yet."


class StagedAccess(Commands, scope="access"):
    """Staging other levels, and sending them as a plan."""

    place: AccessPlace

    def stage(self, *changes: Change) -> None:
        """Stage changes, and keep them on this machine."""
        here, staged = self.place, self.place.staged
        for each in changes:
            staged = stage(staged, each)
        here.keep(staged)
        count = plural(len(staged), "change")
        here.tell(f"{count} staged: ctrl+s shows the plan." if staged else "Nothing is staged now.")

    @action("e", "role", word="role", unless=(nothing_selected, not_admin), show=28, group="Change",
            stages=True)  # fmt: skip
    async def change(self) -> None:
        """Stage another role here for the person or the team under the cursor."""
        here = self.place
        change = here.change_of_row()
        options = [Option(each, each, LEVEL_WORDS[each]) for each in reversed(LEVELS)]
        title = f"Role of {shorten(change.name, NAME_CELLS)} here"
        chosen = await self.app.push_screen_wait(Choice(title, options, current=change.after))
        if chosen is not None:
            self.stage(replace(change, after=chosen))

    @action("D", "remove", unless=(nothing_selected, not_admin, nothing_given), show=18,
            group="Change", stages=True)  # fmt: skip
    def remove(self) -> None:
        """Stage taking away what was given here. What they have from elsewhere stays."""
        self.stage(replace(self.place.change_of_row(), after=None))

    @action("ctrl+n", "invite", unless=not_admin, danger=1, show=24, group="Change", types=True,
            uses=("list_members", "list_teams"))  # fmt: skip
    async def invite(self) -> None:
        """Stage a role for people and teams. An address without a member is invited first."""
        from copydesk.contract.models.permission import PermissionInvite

        here = self.place
        home = here.organization or ""
        people: dict[str, Option] = {}
        teams: dict[str, Option] = {}

        async def read() -> None:
            if not people:
                api = await here.session.ready()
                found, groups = await asyncio.gather(
                    people_offered(api, home), teams_offered(api, home)
                )
                people.update((each.id, each) for each in found)
                teams.update((each.id, each) for each in groups)

        async def offered(kind: dict[str, Option]) -> Sequence[Option]:
            await read()
            return list(kind.values())

        async def send(body: PermissionInvite) -> None:
            await read()
            self.stage(*invited_by(body, people, teams, here.own_level))
            here.session.drafts.drop(key)

        key = access_key(here.where, "invite")
        form = body_form(
            PermissionInvite,
            title=f"Invite to {here.called}",
            draft_key=key,
            send=send,
            only=("users", "teams", "role"),
            labels={"users": "People", "teams": "Teams", "role": "Role (read if left out)"},
            offers={"users": lambda: offered(people), "teams": lambda: offered(teams)},
            nothing={"teams": "There is no team yet: g T makes one."},
            lines={"users": 3, "teams": 2},
            facts=[hint("Nothing is sent until ctrl+s in the list.", "")],
            verb="stage it",
        )
        await here.desk.push_screen_wait(form)

    @action(
        "ctrl+s", "send", unless=(not_admin, nothing_staged), danger=2, show=38, group="Change",
        word="send", takes="none",
        uses=(
            *(f"invite_to_{kind}" for kind in ("space", "collection", "site")),
            *(f"update_{kind}_{who}_permission" for kind in ("space", "collection", "site")
              for who in ("user", "team")),
            *(f"remove_{who}_from_{kind}" for kind in ("space", "collection", "site")
              for who in ("user", "team")),
            "invite_members",
        ),
    )  # fmt: skip
    async def apply(self) -> None:
        """Show the plan of what is staged, and send it. u undoes all of it."""
        here = self.place
        if not await here.read_before_sending():
            return
        group = plan_name("Access")
        plan = dict(here.staged)
        items = [
            BulkItem(each.id, _LABELS[each.who], f"{each.name}: {here.told(each)}")
            for each in plan.values()
        ]
        run = BulkRun(
            "Change access", items, lambda item: self._send(plan[item.id], group), here.sent,
            noun="change",
        )  # fmt: skip
        me = here.session.me
        own = plan.get(me.id) if me is not None else None
        warning = f"{here.overtaken} {REVERSIBLE}".strip()
        if own is not None and own.before == "admin":
            warning = "That is you: without the role admin you may not be able to change it back."
        await here.desk.push_screen_wait(BulkSheet(run, warning=warning))

    async def _send(self, change: Change, group: str) -> None:
        here, where, home = self.place, self.place.where, self.place.organization or ""
        if change.who == "email":
            address = change.id

            async def ask(api: Api) -> Any:
                from copydesk.contract.models.invite import EmailInvite, InviteCreate

                body = InviteCreate(emails=[EmailInvite(email=address, role=None)])
                return await api(ops.invite_members, home, body)

            result = await here.writer.perform(
                "Invite", shorten(change.name, NAME_CELLS), ask, group=group,
                reversal=lambda found: invited(home, found.users) if found.users else None,
            )  # fmt: skip
            change = replace(change, who="user", id=next(iter(result.users), address))
            step, back = where.step(change), where.reversal(change)
        else:
            address, step, back = change.id, where.step(change), where.reversal(change)
        await here.writer.perform(
            "Change access",
            f"{shorten(change.name, NAME_CELLS)}: {change.said}",
            lambda api: here.session.way.take(api, step),
            reversal=back,
            group=group,
        )
        here.keep({key: each for key, each in here.staged.items() if key != address})

    @action("X", "discard staged", word="discard_staged",
            unless=nothing_staged, danger=2, show=13, group="Change")  # fmt: skip
    async def drop(self) -> None:
        """Discard all that is staged. It asks, and u brings it back."""
        here = self.place
        facts = [f"{each.name}: {each.said}" for each in here.staged.values()]
        if not await here.desk.push_screen_wait(
            Confirm("Discard what is staged?", facts, verb="discard")
        ):
            return
        key, drafts = access_key(here.where, "staged"), here.session.drafts

        async def discard(api: Api) -> None:
            await asyncio.to_thread(drafts.drop, key)

        await here.writer.perform(
            "Discard", f"staged access of {here.called}", discard, reversal=draft_dropped(key),
            done="Discarded. u brings it back.",
        )  # fmt: skip
        here.take_staged()


LEVEL_WORDS = {
    "read": "reads it",
    "comment": "and comments",
    "review": "and reviews change requests",
    "edit": "and edits, and merges",
    "create": "and creates what is in it",
    "admin": "and decides who may do what",
}
"""What each level adds to the one below it."""


def _given_by(found: Sequence[Source]) -> list[Fact]:
    title = Fact("", Text("What gives it", style="muted"))
    return [title, *(Fact(each.by, source_line(each)) for each in found)]


def _not_all(told: str | None) -> str:
    return f"The service says {clean(told or 'none')}: not all that gives it may be read here."


def invited_by(
    body: PermissionInvite,
    people: Mapping[str, Option],
    teams: Mapping[str, Option],
    own_level: Callable[[str], str | None],
) -> list[Change]:
    """Return what a form stages. Raises `FieldsWrongError` for who is not there.

    ``own_level`` tells the role that somebody was given here, by their id.
    """
    level = body.role or "read"
    by_address = {each.note.casefold() or each.title.casefold(): each
                  for each in people.values()}  # fmt: skip
    found: list[Change] = []
    wrong: dict[str, str] = {}
    for text in body.users or ():
        known = people.get(text) or by_address.get(text.casefold())
        if known is not None:
            own = own_level(known.id)
            found.append(Change("user", known.id, known.title, own, level))
        elif "@" in text:
            found.append(Change("email", text, clean(text), None, level))
        else:
            wrong["users"] = f"{shorten(clean(text), NAME_CELLS)} is not a member"
    for text in body.teams or ():
        team = teams.get(text)
        if team is not None:
            found.append(Change("team", team.id, team.title, own_level(team.id), level))
        else:
            wrong["teams"] = f"{shorten(clean(text), NAME_CELLS)} is not a team"
    if not found and not wrong:
        wrong["users"] = "no one is named yet"
    if wrong:
        raise FieldsWrongError(wrong)
    return found


class Origins:
    """Where levels in a space or a collection come from, in a few words, before all is read."""

    def __init__(self, place: AccessPlace) -> None:
        self._place = place
        self._known = KnownSources(())
        self._members: dict[str, frozenset[str]] | None = None
        """The people in the teams that were given something; None until they are read."""

    def read(self, chain: Sequence[Container]) -> None:
        """Read who is in the teams that were given something, if there are requests to spare.

        Else only the row under the cursor says what a team gives.
        """
        place, home = self._place, self._place.organization or ""
        self._known = KnownSources(chain, self._members or {})
        if not place.session.may_spend:
            return

        def came(members: dict[str, frozenset[str]]) -> None:
            self._members, self._known = members, KnownSources(chain, members)
            place.texts.forget()
            place.rows.refresh_rows()

        place.reads.load(
            "members", lambda api: read_team_members(api, home, chain), came,
            what="Reading who is in the teams", quiet=True,
        )  # fmt: skip

    def of(self, item: Any, found: Sequence[Source] | None) -> str:
        """Return where the level of a row comes from; ``found`` is all that gives it, once read."""
        if item.permission is None:
            return ""
        if found is not None and level_from(found) == item.permission:
            return next(each.short for each in found if each.decides)
        known = self._known.of(item.user.id, item.permission)
        return known or ("" if self._members is None else "elsewhere")


@place(
    "access",
    key="P",
    title="Access",
    at=holder_at_hand,
    uses=(
        *(f"list_{kind}_{what}permissions" for kind in ("space", "collection", "site")
          for what in ("", "user_", "team_")),
        "get_space", "get_collection", "get_site", "get_member", "list_member_teams",
        "list_member_spaces", "list_team_members", "get_organization",
    ),
)  # fmt: skip
class AccessPlace(ResourcePlace[Any], scope="access"):
    """Who may do what in the space, collection or site, and where it comes from."""

    KINDS: ClassVar = {"people": PEOPLE, "given": GIVEN, "teams": TEAMS}
    COMMAND_CLASSES = (StagedAccess,)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.chain: tuple[Container, ...] = ()
        """What it is about, and the collections above it; empty until that is read."""
        self.staged: dict[str, Change] = {}
        self.overtaken = ""
        """What others changed of what is staged, as it was read before the plan was shown."""
        self._sources: dict[str, list[Source]] = {}
        self._origins = Origins(self)
        self._added: frozenset[str] = frozenset()
        """The ids of what was listed as staged only, since nothing was given to it here yet."""

    # What a place says of itself

    def holder_at_hand(self) -> Target:
        target = self.target
        return Target(space=target.space, site=target.site, item=target.item)

    def resource_of(self, view: str) -> Resource[Any]:
        kind = super().resource_of(view)
        return SITE_PEOPLE if kind is PEOPLE and self.target.site is not None else kind

    @property
    def where(self) -> Holder:
        """What it is about."""
        return sure(where_of(self.target.but(organization=self.organization)))

    @property
    def called(self) -> str:
        """The name of what it is about; what it is until that is read."""
        if self.chain:
            return shorten(self.chain[0].title, NAME_CELLS)
        where = where_of(self.target)
        return "nothing" if where is None else f"the {where.kind}"

    def missing(self) -> str | None:
        if (why := super().missing()) is not None:
            return why
        where = where_of(self.target)
        return (
            NOWHERE if where is None else self.session.without([f"list_{where.kind}_permissions"])
        )

    def trail(self) -> Iterable[str]:
        if self.chain:
            yield self.called
        yield "Access"

    def status_left(self) -> str:
        if self.staged:
            count = plural(len(self.staged), "change")
            return f"{count} staged, nothing sent: ctrl+s shows the plan"
        return super().status_left()

    def own_level(self, key: str) -> str | None:
        """Return what was given here to a person or a team by their id."""
        return self.chain[0].level_of(key) if self.chain else None

    def change_of_row(self) -> Change:
        """Return what is staged for the row under the cursor, or a change that changes nothing."""
        item = sure(self.item)
        key = self.resource.key(item)
        own = self.own_level(key)
        known = self.staged.get(key)
        who: Who = "team" if self.resource is TEAMS else "user"
        return known or Change(who, key, self.label(item), own, own)

    def text_of(self, shown: Facet[Any], item: Any) -> str | Text | None:
        if shown.name == "from":
            return self._origin(item)
        only = self.resource.key(item) in self._added
        if only and shown.name in ("members", "spaces"):
            return ""
        text = "none" if only and shown.name == "role" else super().text_of(shown, item)
        staged = self.staged.get(self.resource.key(item)) if shown.name == "role" else None
        if staged is None:
            return text
        own, now = staged.after, item.permission
        found = self._sources.get(staged.id)
        if self.resource in (GIVEN, TEAMS) or rank(own) > rank(now):
            then = own
        else:
            # Until it is known what else they have, nothing is foretold.
            then = now if found is None else level_with(found, own)
        if then == now:
            return Text(f"{text}, own {own or 'none'}", style="accent")
        return Text(f"{text} {glyphs().right} {then or 'none'}", style="accent")

    def told(self, change: Change) -> str:
        """Return what becomes of a level, with what the person keeps where that is known."""
        return change.told(self._sources.get(change.id, ()))

    def _origin(self, item: Any) -> str:
        if self.target.site is not None:
            return origin_words(item.origin, self.chain)
        return self._origins.of(item, self._sources.get(item.user.id)) if self.chain else ""

    # Reading

    def opened(self) -> None:
        super().opened()
        if self.missing() is None:
            self.take_staged()

    def _staged_only(self, resource: Resource[Any]) -> dict[str, Change]:
        """Return what is staged for people or teams to whom nothing was given here yet."""
        if resource not in (GIVEN, TEAMS) or not self.chain or self.chain[0].given is None:
            return {}
        return {
            key: each
            for key, each in self.staged.items()
            if (each.who == "team") == (resource is TEAMS) and self.own_level(key) is None
        }

    async def page(
        self, api: Api, resource: Resource[Any], target: Target, asked: ListQuery
    ) -> Page[Any]:
        """Read a page; what is staged and was not given yet comes first."""
        found = await super().page(api, resource, target, asked)
        if asked.token is not None:
            return found
        added = self._staged_only(resource)
        self._added = frozenset(added)
        count = None if found.count is None else found.count + len(added)
        items = [*map(_staged_row, added.values()), *found.items]
        return found.model_copy(update={"items": items, "count": count})

    def reload(self) -> None:
        """Read the list, and what was given here and in the collections above."""
        super().reload()
        if self.missing() is None:
            where = self.where
            self.reads.load(
                "chain", lambda api: self._read_chain(api, where), self._learned,
                what="Reading what was given",
            )  # fmt: skip

    async def _read_chain(self, api: Api, where: Holder) -> tuple[Container, ...]:
        home = await read_home(api, self.session, self.organization or "")
        me, may = self.session.me, home.permissions
        return await read_chain(
            api, where, None if me is None else me.id, None if may is None else may.admin
        )

    def _learned(self, chain: tuple[Container, ...]) -> None:
        self.chain = chain
        if self.target.site is None:
            self._origins.read(chain)
        self._sources.clear()
        left = {
            key: each
            for key, each in self.staged.items()
            if each.who == "email" or chain[0].given is None or self.own_level(key) != each.after
        }
        if left != self.staged:
            self.keep(left)  # what is so already, as after u, cannot be done any more
        else:
            self._show_again()

    def _show_again(self) -> None:
        self.texts.forget()
        self.rows.refresh_rows()
        self.show_item()
        self.refresh_frame()
        if self._staged_only(self.resource).keys() != self._added:
            self.row_reader.written = -1  # what is staged here shows at once
            self.row_reader.read("Reading what is staged")

    def show_item(self) -> None:
        """Show the details; what gives a person their role is read once they are rested on."""
        super().show_item()
        item = self.item
        if item is None or self.resource is TEAMS or not self.chain:
            return
        user = item.user.id
        newcomer = user in self.staged and self.staged[user].who == "email"
        if user not in self._sources and not newcomer:
            self.reads.load(
                "person",
                lambda api: read_sources(api, *self._home, self.chain, user),
                lambda found: self._explained(user, found),
                what="Reading where it comes from",
                of=user,
                after=REST_SECONDS,
                quiet=True,
            )

    @property
    def _home(self) -> tuple[str, str]:
        home = self.organization or ""
        return home, self.session.title_of(home)

    def _explained(self, user: str, found: list[Source]) -> None:
        self._sources[user] = found
        self.texts.forget()
        self.rows.refresh_rows()
        super().show_item()

    def facts_of(self, item: Any) -> list[Fact]:
        facts = super().facts_of(item)
        key = self.resource.key(item)
        if (staged := self.staged.get(key)) is not None:
            facts.append(Fact("staged", Text(self.told(staged), style="accent")))
        if self.resource is TEAMS:
            return facts
        found = self._sources.get(key)
        if found is None:
            return facts
        facts += _given_by(found)
        if self.resource is not GIVEN and level_from(found) != item.permission:
            facts.append(Fact("", Text(_not_all(item.permission), style="warn")))
        return facts

    def open_item(self, item: Any) -> None:
        """Go to what the person reaches, or to who is in the team."""
        staged = self.staged.get(self.resource.key(item))
        if staged is not None and staged.who == "email":
            self.say("They are invited once the plan is sent: ctrl+s shows it.")
            return
        name = "team-members" if self.resource is TEAMS else "member"
        target = Target(organization=self.organization, item=self.resource.key(item))
        self.desk.go_soon(name, target)

    # What is staged

    def take_staged(self) -> None:
        """Take what is staged from this machine."""
        self.staged = staged_of(self.session.drafts.load(access_key(self.where, "staged")) or "")
        self._show_again()

    def keep(self, staged: Mapping[str, Change]) -> None:
        """Keep other staged changes on this machine, and show them."""
        self.staged = dict(staged)
        key, drafts = access_key(self.where, "staged"), self.session.drafts
        if self.staged:
            drafts.save(key, staged_text(self.staged.values()))
        else:
            drafts.drop(key)
        if self.is_attached:
            self._show_again()

    async def read_before_sending(self) -> bool:
        """Read again what was given, and put what is staged on top of it; False if none is left."""
        where = self.where
        people = [each.id for each in self.staged.values() if each.who == "user"][:EXPLAINED]

        async def read() -> tuple[tuple[Container, ...], list[list[Source]]]:
            api = await self.session.ready()
            chain = await self._read_chain(api, where)
            explained = (read_sources_if_there(api, *self._home, chain, each) for each in people)
            return chain, await asyncio.gather(*explained)

        found = await self.reads.now("plan", read, "Reading what was given")
        if found is None:
            return False
        self._learned(found[0])
        explained = zip(people, found[1], strict=True)
        self._sources.update({user: given for user, given in explained if given})
        others = [
            each
            for each in self.staged.values()
            if each.who != "email" and self.own_level(each.id) != each.before
        ]
        names = listed([shorten(each.name, NAME_CELLS) for each in others[:3]])
        self.overtaken = f"Others changed the role of {names} since." if others else ""
        left = {
            key: each if each.who == "email" else replace(each, before=self.own_level(key))
            for key, each in self.staged.items()
        }
        self.keep({key: each for key, each in left.items() if each.before != each.after})
        if not self.staged:
            self.tell("Nothing is left to send: it is so already.", "good")
        return bool(self.staged)

    def sent(self) -> None:
        """Read again once a plan was sent."""
        if self.is_attached:
            self.read_written()

    def turned(self, results: Sequence[Any]) -> None:
        super().turned(results)
        if self.missing() is None:
            self.take_staged()


def _staged_row(change: Change) -> Any:
    """Return the row of somebody to whom nothing was given yet, as a list of the service has it."""
    from copydesk.contract.models.permission import TeamPermission, UserPermission
    from copydesk.contract.models.team import Team
    from copydesk.contract.models.user import User

    if change.who == "team":
        return TeamPermission(team=Team(id=change.id, title=change.name))
    email = change.id if change.who == "email" else None
    return UserPermission(user=User(id=change.id, display_name=change.name, email=email))


def source_line(source: Source) -> Text:
    """Return a thing that gives a level; what decides stands out."""
    said = Text(source.level or "nothing", style="strong" if source.decides else "muted")
    return said.append(f"  {source.where}", style="muted")
