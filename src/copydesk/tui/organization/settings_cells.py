"""The settings of an organization as rows: one for each field that can be changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from rich.text import Text

from copydesk.contract.enumerations import Role
from copydesk.contract.models.organization import OrganizationUpdate
from copydesk.domain.space_tree import rule_list
from copydesk.domain.text import clean, listed
from copydesk.present.facts import Fact
from copydesk.tui.dialogs.body_fields import bare, wire_name, words_of
from copydesk.tui.dialogs.body_values import NULLS
from copydesk.tui.spaces.cells import rule_words

if TYPE_CHECKING:
    from copydesk.contract.models.organization import Organization

LABELS: Mapping[str, str] = {
    "emailDomains": "E-mail domains",
    "hostname": "Subdomain",
    "sso": "Single sign-on",
    "ai": "AI features",
    "mergeRules": "Merge rules",
    "mergeRules.type": "Merge rules",
}
"""What settings are called whose names on the wire say too little."""

NOT_TOLD = "not told"
"""What is shown of a setting that the service does not give back."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its name on the wire, what it is called, what it is now, and what it is for.

    ``on`` says whether a switch is on, None for a setting that is not a switch. ``removable`` says
    that it can be taken away.
    """

    id: str
    label: str
    shown: str | Text
    help: str
    on: bool | None = None
    switch: bool = False
    removable: bool = False


def current_of(organization: Organization) -> dict[str, Any]:
    """Return the JSON of an organization by the names of what can be changed."""
    held = organization.to_dict()
    if logo := organization.urls.logo:
        held["logo"] = logo
    return held


def settings_of(
    organization: Organization, *, site: str = "", names: Mapping[str, str] | None = None
) -> list[Setting]:
    """Return the settings of an organization.

    ``site`` is the title of the site that people see first, ``names`` those of people.
    """
    held = current_of(organization)
    found = []
    for name, field in OrganizationUpdate.model_fields.items():
        wire = wire_name(OrganizationUpdate, name)
        switch = bare(field.annotation)[0] is bool
        value = held.get(wire)
        said = _said(organization, wire, held, site, names)
        removable = name in OrganizationUpdate.nullable
        found.append(
            Setting(
                wire,
                LABELS.get(wire) or words_of(wire),
                said or Text(NOT_TOLD, style="muted"),
                field.description or "",
                value if switch and isinstance(value, bool) else None,
                switch,
                removable and not (wire in held and value is None),
            )
        )
    return found


def _said(
    organization: Organization,
    wire: str,
    held: Mapping[str, Any],
    site: str,
    names: Mapping[str, str] | None,
) -> str | Text:
    """Return what a setting is now; empty where that is not told."""
    if wire == "mergeRules":
        kind, rules = rule_list(organization.merge_rules)
        return rule_words(rules, names) if kind == "rules" and rules else _none()
    if wire not in held:
        return ""
    value = held[wire]
    match wire, value:
        case "defaultRole", None:
            return _none(NULLS[_ROLES])
        case _, None | [] | "":
            return _none()
        case _, bool():
            return "on" if value else _none("off")
        case "defaultContent", {"site": str(id)}:
            return f"the site {clean(site or id)}"
        case _, list():
            return clean(", ".join(str(each) for each in value))
    return clean(str(value))


_ROLES = get_args(Role)


def _none(said: str = "none") -> Text:
    return Text(said, style="muted")


def first_site(organization: Organization) -> str:
    """Return the id of the site that people see first; empty where it is none."""
    content = organization.default_content
    return "" if content is None or isinstance(content, str) else content.site or ""


def no_way_back(names: Sequence[str], organization: Organization) -> str:
    """Say which of some settings cannot be taken back once they are changed; empty if all can."""
    held = current_of(organization)
    gone = [(LABELS.get(name) or words_of(name)).lower() for name in names if name not in held]
    if not gone:
        return ""
    if len(names) == 1:
        return "The service does not tell what it is now: a change cannot be taken back."
    return f"The service does not tell {listed(gone)}: changes of that cannot be taken back."


def facts(setting: Setting, organization: Organization) -> Sequence[Fact]:
    """Return what to know about a setting."""
    found = [Fact("now", setting.shown), Fact("", setting.help)]
    if setting.switch:
        found.append(Fact("x", "switches it on or off"))
    elif setting.removable:
        found.append(Fact("x", "takes it away"))
    if said := no_way_back([setting.id], organization):
        found.append(Fact("", Text(said, style="warn")))
    return found
