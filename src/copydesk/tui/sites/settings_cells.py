"""The settings of a site as rows, and what changing one comes to, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import told_ago
from copydesk.domain.site_inverses import READ_AT
from copydesk.domain.text import clean, few, listed, plural, shown_title
from copydesk.present.facts import Fact, hint
from copydesk.present.threads import emoji_text
from copydesk.session.site_rows import AUDIENCES

if TYPE_CHECKING:
    from copydesk.contract.models.share_link import ShareLink
    from copydesk.contract.models.site import Site

Kind = Literal["text", "choice", "switch", "publish", "fixed"]
"""How a setting is changed; one that is "fixed" is not, here."""

WEB = "It is changed in the web application"

WEB_SETTINGS = frozenset({"hostname", "type", "ads", "customization"})
"""The settings that are changed there."""

FOUND_BY: Mapping[str, str] = {
    "public": "search engines list it",
    "unlisted": "no search engine lists it",
}
"""How the readers of a visibility come to a site, where that differs."""

NOBODY = "no one yet: it is not published"

NAMED = 6
"""So many titles are named before the others are counted."""

WIDTHS = ("visitor-auth", "share-link", "unlisted", "public")
"""Visibilities, the narrowest audience first."""

AGENTS: Mapping[str, str] = {"excluded": "are kept out", "included": "may read it"}
"""What assistants may do with a site, by its agents context."""

TYPES: Mapping[str, str] = {
    "basic": "the plan that a site has by default",
    "premium": "with advanced customization",
    "ultimate": "with advanced customization",
}
"""What is known of the types of a site."""

HELP: Mapping[str, tuple[str, ...]] = {
    "title": ("What readers see as the name of the site. 2 to 128 characters.",),
    "published": ("When it is published, the audience can reach it; else no one can.",),
    "visibility": ("Who can read the site once it is published.",),
    "hostname": ("The host that the address of the site begins with.",),
    "basename": (
        "The part of the address after the host. 1 to 100 letters, digits, - _ . or ~.",
        "Links that readers kept to the old address may break.",
    ),
    "proxy": (
        "An address of your own that the site is shown under: a host plus path, such as",
        "www.acme.com/docs. At most 512 characters; empty removes it.",
    ),
    "adaptiveContent": (
        "Whether conditions on sections and spaces decide what a visitor is shown.",
        "The tab Visitor attributes says what is known of a visitor.",
    ),
    "agentsContext": ("Whether assistants may read the site for their answers.",),
    "type": ("The plan of this site.",),
    "ads": ("Whether the site shows advertisements.",),
    "features": ("What this site uses of its plan.",),
    "customization": ("Logo, colours, fonts, header and footer.",),
}
"""What each setting is, in the words of the service's documentation, and its limits."""


@dataclass(frozen=True, slots=True)
class SiteSetting:
    """One setting: its wire name, its label, its shown value, and its value for a field.

    A choice has what it can be set to, each value with what it means.
    """

    name: str
    label: str
    shown: Text | str
    kind: Kind = "fixed"
    value: str = ""
    choices: Sequence[tuple[str, str]] = ()

    @property
    def id(self) -> str:
        """The identity of the row."""
        return self.name


def settings_of(site: Site) -> list[SiteSetting]:
    """Return all settings of a site, the most changed ones first."""
    visibility = str(site.visibility)
    adaptive = adaptive_of(site)
    agents = str(site.agents_context or "")
    proxy = proxy_of(site)
    return [
        SiteSetting("title", "Title", title_of(site), "text", clean(site.title)),
        SiteSetting(
            "published", "State",
            "published" if site.published else Text("not published", style="warn"), "publish",
        ),
        SiteSetting(
            "visibility", "Audience", _with_note(visibility, AUDIENCES), "choice", visibility,
            [(each, readers(each)) for each in AUDIENCES],
        ),
        SiteSetting("hostname", "Host", clean(site.hostname or "") or _none("none yet")),
        SiteSetting(
            "basename", "Base name", clean(site.basename or "") or _none("none"), "text",
            clean(site.basename or ""),
        ),
        SiteSetting("proxy", "Proxy", clean(proxy) or _none("none"), "text", clean(proxy)),
        SiteSetting(
            "adaptiveContent", "Adaptive content",
            "on: visitors are shown different things" if adaptive else "off", "switch",
            "on" if adaptive else "off",
        ),
        SiteSetting(
            "agentsContext", "Assistants", f"{AGENTS.get(agents, clean(agents) or 'not told')}",
            "choice" if agents else "fixed", agents, list(AGENTS.items()),
        ),
        SiteSetting("type", "Plan", _with_note(str(site.type), TYPES)),
        SiteSetting("ads", "Advertising", _ads(site)),
        SiteSetting("features", "Features", _features(site)),
        SiteSetting("customization", "Customization", _none("in the web application")),
    ]  # fmt: skip


def _none(text: str) -> Text:
    return Text(text, style="muted")


def _with_note(value: str, notes: Mapping[str, str]) -> str:
    said = clean(value) or "not known"
    return f"{said}: {notes[value]}" if value in notes else said


def _ads(site: Site) -> Text | str:
    if site.ads is None:
        return _none("none")
    said = clean(site.ads.status or "") or "not known"
    return f"{said}, can be submitted" if site.ads.submittable else said


def _features(site: Site) -> Text | str:
    if not site.features:
        return _none("none")
    return listed(
        clean(feature.id) + (" (frozen)" if feature.frozen else "") for feature in site.features
    )


def title_of(site: Site) -> str:
    """Return the name of a site as it may be drawn."""
    return shown_title(site.title)


def adaptive_of(site: Site) -> bool:
    """Whether a site shows visitors different things."""
    return site.adaptive_content is not None and site.adaptive_content.enabled


def proxy_of(site: Site) -> str:
    """Return the proxy of a site as a request names it: host and path; empty when there is none."""
    return (site.proxy.origin or "") if site.proxy is not None else ""


def icon_of(site: Site) -> str:
    """Return the icon of a site in a word; empty when it has none."""
    from copydesk.contract.models.site import SiteIcon, ThemedImage

    icon: object = site.icon
    if isinstance(icon, SiteIcon):
        icon = emoji_text(icon.emoji) if icon.emoji else icon.icon
    if isinstance(icon, ThemedImage):
        return "a picture" if icon.light or icon.dark else ""
    return clean(icon) if isinstance(icon, str) else ""


def inner_address(site: Site) -> str:
    """Return where a proxy has to pass requests on to; empty when that is nowhere yet."""
    known = web_address(site.proxy.target) if site.proxy is not None else ""
    return known or own_address(site, site.basename)


def value_of(site: Site, name: str) -> object:
    """Return the value of a setting as an answer of the service has it."""
    found: object = site.to_dict()
    for part in READ_AT.get(name, name).split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def shown_of(site: Site, name: str) -> str:
    """Return what a setting is shown as, as text."""
    return next((str(row.shown) for row in settings_of(site) if row.name == name), "")


def web_words(site: Site) -> str:
    """Return where else a setting is changed, and how one comes there."""
    return f"{WEB} (o opens it)." if web_address(site.urls.app) else f"{WEB}."


# Addresses


def own_address(site: Site, basename: str | None) -> str:
    """Return the address that a site has by its host and a base name; empty without a host."""
    if not site.hostname:
        return ""
    path = f"/{quote(basename, safe='')}" if basename else ""
    return web_address(f"https://{site.hostname}{path}")


def address_of(site: Site, proxy: str | None = None) -> str:
    """Return where the readers of a site find it, or would; empty when that is nowhere yet.

    With ``proxy`` as it would be under that one; "" is none.
    """
    front = proxy_of(site) if proxy is None else proxy
    if front:
        return web_address(f"https://{front}")
    found = web_address(site.urls.published) if proxy is None else ""
    return found or own_address(site, site.basename)


# What is said


def readers(visibility: str) -> str:
    """Return who reads a site of a visibility, and how they come to it."""
    who = AUDIENCES.get(visibility, clean(visibility))
    return f"{who} ({FOUND_BY[visibility]})" if visibility in FOUND_BY else who


def links_line(links: Sequence[ShareLink] | None) -> str:
    """Return how many share links open a site; empty when that is not known."""
    if links is None:
        return ""
    active = sum(link.active for link in links)
    if not links:
        return "The site has no share link yet: no one could open it."
    if not active:
        return f"None of its {plural(len(links), 'share link')} is switched on."
    return f"{plural(active, 'share link')} switched on, of {len(links)}."


def visibility_facts(
    site: Site, wanted: str, links: Sequence[ShareLink] | None
) -> list[Text | str]:
    """Return what another visibility means for readers."""
    before = str(site.visibility)
    facts: list[Text | str] = [
        Text.assemble(("now   ", "muted"), f"{clean(before)}: {readers(before)}"),
        Text.assemble(("then  ", "muted"), (f"{wanted}: {readers(wanted)}", "strong")),
        "",
    ]
    if not site.published:
        facts.append("The site is not published: no one reads it until it is.")
    elif {before, wanted} == {"public", "unlisted"}:
        facts.append(f"Whoever has the address keeps it; {FOUND_BY[wanted]} from then on.")
    elif _width(wanted) > _width(before):
        shown = plural(site.site_spaces, "space")
        facts.append(Text(f"More people can read it at once: all of its {shown}.", style="warn"))
    else:
        facts.append(Text("Everyone else loses it at once.", style="warn"))
    if wanted == "share-link" and (said := links_line(links)):
        facts.append(said)
    elif before == "share-link" and links:
        facts.append("Its share links are kept, and open nothing meanwhile.")
    if wanted == "visitor-auth":
        facts.append("How visitors sign in is set up in the web application.")
    return facts


def _width(visibility: str) -> int:
    return WIDTHS.index(visibility) if visibility in WIDTHS else len(WIDTHS)


def adaptive_facts(site: Site, conditional: Sequence[str] | None, *, on: bool) -> list[Text | str]:
    """Return what switching adaptive content means; ``conditional`` are titles with a condition."""
    facts: list[Text | str] = [Text.assemble(("read by  ", "muted"), _reach(site)), ""]
    names = few(conditional or (), NAMED)
    if conditional is None:
        facts.append("What has a condition could not be read.")
    elif not names:
        facts.append("No section or space of it has a condition: no one sees a difference yet.")
    elif on:
        facts.append(f"Only visitors who meet its condition see: {names}.")
    else:
        said = f"Visitors are told apart no more. A condition has no effect any more on: {names}."
        facts.append(Text(said, style="warn"))
    return facts


def _reach(site: Site) -> str:
    return readers(str(site.visibility)) if site.published else NOBODY


def basename_facts(site: Site, wanted: str) -> list[Text | str]:
    """Return what another base name does to the address."""
    facts = _before_after(own_address(site, site.basename), own_address(site, wanted))
    if not facts:
        facts = ["The site has no host yet: the base name counts once it has one.", ""]
    if proxy_of(site):
        facts.append(f"Readers come by {clean(address_of(site))}, which stays.")
    else:
        facts.append(_moved(site))
    if not site.basename:
        facts.append("None was there before, and the service removes none: this cannot be undone.")
    return facts


def proxy_facts(site: Site, wanted: str) -> list[Text | str]:
    """Return what another proxy does to the address; empty removes it."""
    facts = _before_after(address_of(site), address_of(site, wanted))
    if not facts:
        facts = [f"The proxy becomes {clean(wanted) or 'none'}.", ""]
    if wanted:
        facts.append("That host has to pass its calls on to the site before readers arrive:")
        facts.append(Text(clean(inner_address(site)) or "it has no host yet", style="link"))
    facts.append(_moved(site))
    return facts


def _before_after(before: str, after: str) -> list[Text | str]:
    if not before and not after:
        return []
    return [
        Text.assemble(("now   ", "muted"), (clean(before) or "nowhere", "link")),
        Text.assemble(("then  ", "muted"), (clean(after) or "nowhere", "link")),
        "",
    ]


def _moved(site: Site) -> Text | str:
    if not site.published:
        return "The site is not published: no reader has its address yet."
    return Text("Links that readers kept to the old address may break.", style="warn")


def publish_facts(site: Site, links: Sequence[ShareLink] | None) -> list[Text | str]:
    """Return what publishing a site comes to."""
    visibility, address = str(site.visibility), address_of(site)
    facts: list[Text | str] = [
        Text.assemble(("read by  ", "muted"), (readers(visibility), "strong")),
        Text.assemble(("where    ", "muted"), (clean(address) or "it has no host yet", "link")),
        Text.assemble(("shows    ", "muted"), plural(site.site_spaces, "space")),
    ]
    if visibility == "share-link" and links is not None:
        facts.append(Text.assemble(("links    ", "muted"), links_line(links)))
    facts.append("")
    if not site.site_spaces:
        facts.append(Text("The site shows no space yet: readers would find nothing.", style="warn"))
    said = "Readers get it at once. " if address else ""
    facts.append(hint(f"{said}u unpublishes it again.", ""))
    return facts


def unpublish_facts(site: Site) -> list[Text | str]:
    """Return what taking a site down comes to."""
    visibility, address = str(site.visibility), address_of(site)
    return [
        Text.assemble(("read by  ", "muted"), (readers(visibility), "strong")),
        Text.assemble(("where    ", "muted"), (clean(address) or "it has no host yet", "link")),
        "",
        Text("None of them finds it there from then on.", style="warn"),
        hint("Content, structure, settings and share links are kept. u publishes it again.", ""),
    ]


def delete_facts(
    site: Site, links: Sequence[ShareLink] | None, sections: int | None
) -> list[Text | str]:
    """Return what deleting a site loses."""
    facts: list[Text | str] = ["The content of its spaces is kept. What is lost:"]
    shown = plural(site.site_spaces, "space")
    arranged = f"{plural(sections, 'section')}, {shown}" if sections else shown
    facts.append(f"  structure    {arranged}: order and paths")
    if links:
        active = sum(link.active for link in links)
        facts.append(f"  share links  {len(links)}, {active} switched on")
    address = address_of(site)
    if address:
        facts.append(f"  address      {clean(address)}")
    facts.append("  settings     audience, schema of visitors, customization")
    if site.published:
        who = AUDIENCES.get(str(site.visibility), clean(str(site.visibility)))
        facts.append(Text(f"The site is published: read by {who} now.", style="bad"))
    facts.append(Text("This cannot be undone.", style="bad"))
    return facts


def setting_facts(setting: SiteSetting, site: Site, now: datetime) -> list[Fact]:
    """Return what to know about the setting under the cursor, then about the site."""
    found = [Fact("", " ".join(HELP[setting.name]))]
    if setting.name in WEB_SETTINGS:
        found.append(Fact("", hint(web_words(site))))
    if setting.name == "features":
        found += [
            Fact(
                clean(feature.id),
                f"needs {clean(str(feature.plan or 'no plan'))}"
                + (", frozen" if feature.frozen else "")
                + "".join(f", {clean(each)}" for each in feature.customizations),
            )
            for feature in site.features
        ]
    if setting.name == "proxy" and proxy_of(site):
        inner = Text(clean(inner_address(site)) or "none yet", style="link")
        found.append(Fact("passes on to", inner))
    address = clean(address_of(site))
    found += [
        Fact("", ""),
        Fact("read by", _reach(site)),
        Fact("address", Text(address or "none yet", style="link" if address else "muted")),
        Fact("shows", plural(site.site_spaces, "space")),
    ]
    if said := icon_of(site):
        found.append(Fact("icon", said))
    if site.created_at is not None:
        found.append(Fact("made", told_ago(site.created_at, now)))
    return found
