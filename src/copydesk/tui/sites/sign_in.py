"""How the readers of a site sign in: who signs them in, with which key, and where they are sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.site_inverses import sign_in_changed
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, shorten, shown_title
from copydesk.present.facts import Fact, hint
from copydesk.present.raw_json import Raw
from copydesk.session.draft_keys import form_key
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Confirm, TypeToConfirm, typable
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import Commands, NotYet, action
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.sites.tabs import PublicationCommands, SiteTabs
from copydesk.tui.widgets.facts import Facts, SettingsList
from copydesk.tui.widgets.list import VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.publishing_auth import SitePublishingAuth
    from copydesk.contract.models.site import Site

Name = Literal["backend", "privateKey", "fallbackURL", "logoutURL"]

LABELS: Mapping[Name, str] = {
    "backend": "Signed in by",
    "privateKey": "Key",
    "fallbackURL": "Without sign-in",
    "logoutURL": "Signed out",
}
"""What each setting is called."""

HELP: Mapping[Name, str] = {
    "backend": "Who proves to the site who a reader is: a program of yours, or an integration.",
    "privateKey": "What the tokens of readers are signed with. Whoever has it can read the site "
    "as anybody.",
    "fallbackURL": "Where readers are sent who have not signed in. Empty is nowhere.",
    "logoutURL": "Where readers are sent who sign out. Empty is nowhere.",
}
"""What each setting is."""

BACKENDS = {"custom": "a program of your own", "integration": "an integration on the site"}
"""Who may sign readers in."""

SHOWN_TO = "visitor-auth"
"""The visibility of sites whose readers sign in."""


@dataclass(frozen=True)
class SignInSetting:
    """One setting and its value; a key is shown only as set, unless it is revealed."""

    id: Name
    shown: Text | str

    @property
    def label(self) -> str:
        return LABELS[self.id]


@dataclass(frozen=True)
class SignInRead:
    """A site and how its readers sign in."""

    site: Site
    auth: SitePublishingAuth

    @property
    def title(self) -> str:
        """The title of the site; clean and short."""
        return shorten(shown_title(self.site.title), 40)


def settings_of(auth: SitePublishingAuth, *, revealed: bool) -> list[SignInSetting]:
    """Return the settings as rows."""
    by = clean(auth.backend or "")
    if auth.integration:
        by = f"{by}: {clean(auth.integration)}"
    none = Text("nowhere", style="muted")
    key: Text | str = Text("hidden", style="muted")
    if not auth.private_key:
        key = Text("none", style="muted")
    elif revealed:
        key = clean(auth.private_key)
    return [
        SignInSetting("backend", by or Text("not known", style="muted")),
        SignInSetting("privateKey", key),
        SignInSetting("fallbackURL", clean(auth.fallback_url or "") or none),
        SignInSetting("logoutURL", clean(auth.logout_url or "") or none),
    ]


def value_of(auth: SitePublishingAuth, name: Name) -> str | None:
    """Return the value of a setting that is not the key."""
    values = {
        "backend": auth.backend,
        "fallbackURL": auth.fallback_url,
        "logoutURL": auth.logout_url,
    }
    return values[name] or None


def wrong_address(text: str) -> str | None:
    """Return the fault of an address that readers are sent to, as a sentence."""
    from pydantic import ValidationError

    from copydesk.contract.models.publishing_auth import SitePublishingAuthUpdate

    try:
        SitePublishingAuthUpdate(backend="custom", fallback_url=text or None)
    except ValidationError:
        return "Write an address such as https://www.acme.com/sign-in"
    return None


def not_read(here: SignInPlace) -> str | None:
    """Say so while it is not known how readers sign in."""
    return None if here.read is not None else NotYet("The sign-in has not been read yet.")


def no_key(here: SignInPlace) -> str | None:
    """Say so when the cursor is not on the key."""
    setting = here.rows.selected
    if setting is None or setting.id != "privateKey":
        return "Put the cursor on the key first."
    return None if here.read is not None and here.read.auth.private_key else "There is no key."


def is_key(here: SignInPlace) -> str | None:
    """Say how the key is changed, which nobody types."""
    setting = here.rows.selected
    if setting is not None and setting.id == "privateKey":
        return "The service makes the key: X makes a new one."
    return None


class SignInCommands(Commands, scope="site_sign_in"):
    """Changing how readers sign in."""

    place: SignInPlace

    @action("e", "change", unless=(not_read, is_key), danger=1, show=30, group="Change",
            uses="update_site_publishing_auth", types=True)  # fmt: skip
    async def change(self) -> None:
        """Change the setting under the cursor; u undoes it."""
        setting, read = self.place.rows.selected, sure(self.place.read)
        if setting is None:
            return
        if setting.id == "backend":
            await self._choose(read)
        else:
            await self._type(setting, read)

    async def _choose(self, read: SignInRead) -> None:
        from copydesk.contract.enumerations import SignInBackend

        now = read.auth.backend
        options = [Option(each, each, BACKENDS[each]) for each in get_args(SignInBackend)]
        sheet = Choice(f"Who signs readers of {read.title} in?", options, current=now)
        chosen: str | None = await self.place.desk.push_screen_wait(sheet)
        if chosen is None:
            return
        if chosen == now:
            self.place.say("They sign in like that already.")
            return
        facts = [
            f"now   {BACKENDS.get(now or '', 'not known')}",
            f"then  {BACKENDS[chosen]}",
        ]
        if read.site.visibility == SHOWN_TO and read.site.published:
            facts.append("Readers who have not signed in that way cannot read the site any more.")
        confirm = Confirm(f"Sign-in of {read.title}", facts, verb="set it")
        if await self.place.desk.push_screen_wait(confirm):
            await self._set(read, {"backend": chosen})

    async def _type(self, setting: SignInSetting, read: SignInRead) -> None:
        target = self.place.target
        key = form_key(self.place.PLACE, target, "change", setting.id)

        async def send(values: Mapping[str, str]) -> None:
            await self._set(read, {setting.id: values[setting.id] or None}, draft=key)

        former = value_of(read.auth, setting.id) or ""
        form = Form(
            f"{setting.label}: where readers of {read.title} go",
            [Field(setting.id, "Address", former, wrong_address, help=HELP[setting.id])],
            draft_key=key,
            send=send,
        )
        await self.place.desk.push_screen_wait(form)

    async def _set(
        self, read: SignInRead, wanted: Mapping[str, str | None], *, draft: str = ""
    ) -> None:
        from copydesk.contract.models.publishing_auth import SitePublishingAuthUpdate

        ids = self.place.tabs.ids
        own = {"backend": read.auth.backend or "custom"}  # every request has to say it
        names: list[Name] = [each for each in LABELS if each in wanted]
        before = own | {name: value_of(read.auth, name) for name in names}
        after = own | dict(wanted)
        body = SitePublishingAuthUpdate.model_validate(after)
        changed = await self.place.writer.perform(
            "Change sign-in",
            f"of {read.title}",
            lambda api: api(ops.update_site_publishing_auth, *ids, body),
            reversal=sign_in_changed(ids, before, after),
            draft=draft,
        )
        self.place.show_auth(changed)

    @action("X", "new key", word="new_key", unless=not_read, danger=3, show=24, group="Change",
            uses="regenerate_site_publishing_auth")  # fmt: skip
    async def renew(self) -> None:
        """Make a new key, after asking for the title of the site. The former holds no longer."""
        read, ids = sure(self.place.read), self.place.tabs.ids
        sheet = TypeToConfirm(
            f"New key for the sign-in of {read.title}",
            [
                "Whoever signs readers in has to be given the new key: until then no one gets in.",
                "Readers who have signed in have to do so again.",
                Text("This cannot be undone: the former key is gone.", style="warn"),
            ],
            expect=read.site.title,
            verb="make a new key",
            what="the title of the site" if typable(read.site.title) else "the word",
        )
        if not await self.place.desk.push_screen_wait(sheet):
            return

        async def send(api: Api) -> SitePublishingAuth:
            return await api(ops.regenerate_site_publishing_auth, *ids)

        made = await self.place.writer.perform(
            "New key for sign-in",
            f"of {read.title}",
            send,
            now=True,
            done="There is a new key. Enter on it shows it, y copies it.",
        )
        self.place.show_auth(made)
        self.place.rows.select("privateKey")


@place("site-sign-in", title="Sign-in of readers", uses="get_site_publishing_auth")
class SignInPlace(Place, scope="sign_in"):
    """How the readers of a site sign in; Enter on the key shows it."""

    OF_SITE = True
    COMMAND_CLASSES = (SignInCommands, DetailsCommands, PublicationCommands)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.tabs = SiteTabs(self)
        self.read: SignInRead | None = None
        self._revealed = False

    @property
    def shows_secret(self) -> bool:
        return self._revealed

    def panes(self) -> ComposeResult:
        self.rows: SettingsList[SignInSetting] = SettingsList()
        self.rows.title = "Sign-in"
        self.facts = Facts(title="Setting", empty="No setting is selected.", id="sign-in-facts")
        yield Part("main", self.rows)
        yield Part("side", self.facts)

    def trail(self) -> Iterable[str]:
        return self.tabs.trail()

    def raw(self) -> Raw | None:
        """Return the JSON without the key."""
        if self.read is None:
            return None
        hidden = self.read.auth.model_copy(update={"private_key": "(hidden)"})
        return Raw(f"sign-in of {self.read.title}", value=hidden)

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return the things that can be copied, with a text to show; never the key."""
        if self.read is None:
            return []
        names: tuple[Name, ...] = ("fallbackURL", "logoutURL")
        auth = self.read.auth
        return [(LABELS[name].lower(), clean(value_of(auth, name) or "")) for name in names]

    # Reading

    def reload(self) -> None:
        self.tabs.read("Reading the sign-in", self._read, self._arrived)

    def poll(self) -> None:
        """Read nothing: each answer has the key. R reads it again."""

    async def _read(self, api: Api, site: Site) -> SignInRead:
        return SignInRead(site, await api(ops.get_site_publishing_auth, *self.tabs.ids))

    def _arrived(self, found: SignInRead) -> None:
        self.read = found
        self._show()
        if self.resuming:
            self.resume_draft(self.resuming)

    def show_auth(self, auth: SitePublishingAuth) -> None:
        """Show the settings as they are after a write."""
        if self.read is not None and self.is_attached:
            self.read = SignInRead(self.read.site, auth)
            self._reveal(False)

    # What is on screen

    def _show(self) -> None:
        assert self.read is not None
        visibility = self.read.site.visibility
        # In the title: the status line may have something else to say.
        self.rows.note = (
            "" if visibility == SHOWN_TO else f"no effect: the site is {clean(visibility)}"
        )
        self.rows.retitle()
        self.rows.show(settings_of(self.read.auth, revealed=self._revealed))
        self.show_details()
        self.refresh_frame()

    def _reveal(self, revealed: bool) -> None:
        self._revealed = revealed
        if self.read is not None:
            self._show()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        if self._revealed and event.id != "privateKey":  # at once: it must not stay to be read
            self._reveal(False)

    def on_screen_suspend(self) -> None:
        """Hide the key: another screen is in front."""
        if self._revealed:
            self._reveal(False)

    def show_details(self) -> None:
        setting = self.rows.selected
        if setting is None:
            self.facts.show([], title="Setting")
            return
        found = [Fact("", HELP[setting.id]), Fact("now", setting.shown)]
        if setting.id == "privateKey":
            said = "Enter hides it again." if self._revealed else "Enter shows it, y copies it."
            found += [Fact("", hint(said)), Fact("", hint("X makes a new one.", ""))]
        self.facts.show(found, title=setting.label)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        if is_key(self) is None:
            self.do_soon("change")
        elif (why := no_key(self)) is not None:
            self.say(why, "warn")
        else:
            self._reveal(not self._revealed)

    @action("y", "copy key", unless=no_key, show=20, group="Share", override=True)
    def copy_url(self) -> None:
        """Copy the key. It is not shown."""
        if self.read is not None and self.read.auth.private_key:
            self.desk.copy(self.read.auth.private_key, f"the key of {self.read.title}")

    def resume_draft(self, part: str) -> None:
        self.resuming = part if self.read is None else ""
        _, _, name = part.partition(" ")
        if self.read is not None and self.rows.select(name):
            self.do_soon("change")
