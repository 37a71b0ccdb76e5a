"""The form of an installation: where it works, its external ids, and what it was configured with.

A setting that may be a secret is not asked for, for what is typed is kept as a draft and what is
changed can be taken back, both on this machine's disk; nor is one that is no plain value.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.contract.models.integration import EXTERNAL_IDS, InstallationUpdate
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.secret_values import names_secret, tells_secret
from copydesk.domain.text import clean, listed, shorten
from copydesk.present.facts import hint
from copydesk.session.options import Option
from copydesk.tui.automation.integration_resources import holds_secret
from copydesk.tui.dialogs.form_fields import Field

if TYPE_CHECKING:
    from copydesk.contract.models.integration import (
        ConfigurationProperty,
        Installation,
        Integration,
    )

ASKED = 24
"""So many settings are asked for at most."""

NUMBERS = ("number", "integer")

SWITCH = (Option("true", "on"), Option("false", "off"))

_SELECTIONS = (("space", "Spaces"), ("site", "Sites"))


@dataclass(frozen=True)
class InstallationSetting:
    """A setting: its name and type, what it is now (None for not set), and what is declared."""

    name: str
    type: str
    held: Any
    declared: ConfigurationProperty | None
    required: bool

    @property
    def text(self) -> str:
        """What it is now, as it is typed."""
        if self.held is None:
            return ""
        return self.held if isinstance(self.held, str) else json.dumps(self.held)

    def read(self, text: str) -> Any:
        """Return what a text stands for. Raises ``ValueError`` for what is no number."""
        if self.type in NUMBERS:
            return int(text) if self.type == "integer" else _number(text)
        return text == "true" if self.type == "boolean" else text

    def check(self, text: str) -> str | None:
        """Say what is wrong with a text."""
        try:
            if text:
                self.read(text)
        except ValueError:
            return "it has to be a number"
        return None

    def field(self) -> Field:
        """Return its field in a form."""
        declared = self.declared
        options = [Option(each, clean(each)) for each in (declared and declared.enum) or ()]
        options = list(SWITCH) if self.type == "boolean" else options
        if options and self.text not in [each.id for each in options]:
            options.insert(0, Option(self.text, clean(self.text) or "not set"))
        said = (declared and (declared.description or declared.title)) or ""
        return Field(
            f"configuration.{self.name}",
            shorten(clean((declared and declared.title) or self.name), 24),
            self.text if options else clean(self.text),
            self.check,
            options=options,
            help=f"{clean(said)} ({clean(self.name)})" if said else clean(self.name),
            required=self.required and not options,
        )


def _number(text: str) -> float | int:
    try:
        return int(text)
    except ValueError:
        found = float(text)
    if not math.isfinite(found):
        raise ValueError(text)
    return found


class InstallationForm:
    """What is asked for of an installation, and the request that its texts make."""

    def __init__(self, installation: Installation, integration: Integration) -> None:
        self._installation = installation
        self._held = installation.configuration
        self._selections = [
            (place, label) for place, label in _SELECTIONS if integration.target in ("all", place)
        ]
        asked = integration.configurations and integration.configurations.account
        declared = asked.properties if asked else {}
        found = [
            setting_of(
                name, declared.get(name), self._held.get(name), asked.required if asked else ()
            )
            for name in {**declared, **self._held}
        ]
        self.settings = [each for each in found if each is not None][:ASKED]
        named = {each.name for each in self.settings}
        self.left = [name for name in {**declared, **self._held} if name not in named]
        """The settings that are not asked for."""
        self.keeps = not holds_secret(self._held)
        """Whether the configuration may be written to this machine's disk, to be taken back."""

    def fields(self) -> list[Field]:
        """Return the fields of the form."""
        fields = [self._selection(place, label) for place, label in self._selections]
        ids = "\n".join(clean(each) for each in self._installation.external_ids)
        fields.append(
            Field(
                "externalIds",
                "External ids",
                ids,
                _wrong_ids,
                lines=3,
                several="\n",
                help="Its names where it comes from, one a line.",
                limits=f"At most {EXTERNAL_IDS}.",
            )
        )
        return [*fields, *(each.field() for each in self.settings)]

    def facts(self) -> list[str | Text]:
        """Return what to know before something is changed."""
        facts: list[str | Text] = []
        if self.left:
            names = shorten(clean(listed(self.left)), 60)
            facts.append(f"Not asked for here, and left as it is: {names}.")
        if self.settings and not self.keeps:
            facts.append(hint("u does not undo a setting that is changed here.", ""))
        return facts

    def _selection(self, place: str, label: str) -> Field:
        held = self.selection(place)
        options = [
            Option("all", f"all, new {place}s too"),
            Option("selected", "only those that were chosen"),
        ]
        if held not in ("all", "selected"):
            options.insert(0, Option(held, clean(held) or "not told"))
        told = f"One {place} is taken out in the tab {label} of the integration."
        return Field(f"{place}_selection", label, held, options=options, help=told)

    def selection(self, place: str) -> str:
        """Return the selection of spaces or of sites."""
        held = self._installation
        return (held.space_selection if place == "space" else held.site_selection) or ""

    # What was typed

    def plain(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Return what differs besides the configuration, by its name on the wire."""
        changed: dict[str, Any] = {}
        for place, _ in self._selections:
            if (said := texts[f"{place}_selection"]) != self.selection(place):
                changed[f"{place}_selection"] = said
        ids = _lines(texts["externalIds"])
        if ids != [clean(each) for each in self._installation.external_ids]:
            changed["externalIds"] = ids
        return changed

    def configured(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Return the settings that differ; None stands for one that is not set any more."""
        return {
            each.name: each.read(text) if text else None
            for each in self.settings
            if (text := texts[f"configuration.{each.name}"]) != each.field().value
        }


def setting_of(
    name: str, declared: ConfigurationProperty | None, held: Any, required: Iterable[str]
) -> InstallationSetting | None:
    """Return a setting that can be asked for, or None."""
    if names_secret(name) or (isinstance(held, str) and tells_secret(held)):
        return None
    if isinstance(held, str) and (clean(held) != held or "\n" in held):
        return None  # a field would change it
    kind = _type_of(held) if held is not None else (declared and declared.type) or "string"
    if kind not in ("string", "boolean", *NUMBERS):
        return None
    return InstallationSetting(name, kind, held, declared, name in required)


def _type_of(held: Any) -> str:
    kinds = {bool: "boolean", int: "number", float: "number", str: "string"}
    return kinds.get(type(held), "")


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _wrong_ids(text: str) -> str | None:
    return f"at most {EXTERNAL_IDS} of them" if len(_lines(text)) > EXTERNAL_IDS else None


def update_of(
    plain: Mapping[str, Any], configured: Mapping[str, Any], held: Mapping[str, Any]
) -> InstallationUpdate:
    """Return the request: a configuration is sent whole, with what it holds by now."""
    body = dict(plain)
    if configured:
        whole = {**held, **configured}
        body["configuration"] = {name: each for name, each in whole.items() if each is not None}
    return InstallationUpdate.model_validate(body)
