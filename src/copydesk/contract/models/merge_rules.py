"""The rules that a change request must meet before it merges, of a space or of an organization."""

from typing import Any, Self

from pydantic import (
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from copydesk.contract.enumerations import MergeRuleKind, MergeRulesType
from copydesk.contract.models.base import (
    Body,
    Few,
    Open,
    Shape,
)

NAMES_REVIEWERS: frozenset[MergeRuleKind] = frozenset(
    {"require_specific_reviewers", "require_one_of_specific_reviewers"}
)
"""The kinds of rule that name people."""


class MergeRule(Shape):
    """One rule, of a known kind or not. ``users`` are user ids where the kind names people.
    ``message`` is what one written by an organization says of itself.

    One that cannot be read has no kind: left out, it would be no rule to whoever merges.
    """

    rule: Open[MergeRuleKind]
    users: list[str] | None = None
    message: str | None = None

    @model_validator(mode="wrap")
    @classmethod
    def _stays_a_rule(
        cls, value: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo
    ) -> Self:
        if not info.context:
            return handler(value)
        try:
            found = handler(value)
        except ValidationError:
            return handler({"rule": ""})
        lost = found.rule in NAMES_REVIEWERS and not found.users
        return handler({"rule": ""}) if lost else found


class MergeRules(Shape):
    """``rules`` counts only with ``type`` rules; inherit takes those of the organization.

    What cannot be read, or is of a type that is not known, is one rule that cannot be read.
    """

    type: Open[MergeRulesType] = "inherit"
    rules: list[MergeRule] | None = None

    @model_validator(mode="wrap")
    @classmethod
    def _stay_rules(
        cls, value: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo
    ) -> Self:
        untold = bool(info.context) and isinstance(value, dict) and "type" not in value
        unread = value is not None and not isinstance(value, dict | MergeRules)
        found = handler({"type": "rules"} if untold or unread else value)
        if found.rules is None and found.type not in ("inherit", "none"):
            found.rules = [MergeRule(rule="")]
        return found


class MergeRuleWrite(Body):
    """One rule in a request: a known kind, and people exactly where the kind names them."""

    rule: MergeRuleKind
    users: Few[str] | None = None

    @model_validator(mode="after")
    def _people_where_named(self) -> Self:
        if self.rule in NAMES_REVIEWERS and not self.users:
            raise ValueError(f"{self.rule} needs the users that it names")
        if self.rule not in NAMES_REVIEWERS and self.users is not None:
            raise ValueError(f"{self.rule} takes no users")
        return self


class MergeRulesWrite(Body):
    """Merge rules in a request: rules exactly with ``type`` rules."""

    type: MergeRulesType = Field(
        description="Rules of its own, none, or those of the organization above it."
    )
    rules: Few[MergeRuleWrite] | None = Field(
        default=None,
        description="Every one has to hold before a change request merges. They go with the type "
        "rules only.",
    )

    @model_validator(mode="after")
    def _rules_where_meant(self) -> Self:
        if (self.type == "rules") != (self.rules is not None):
            raise ValueError('rules go with type "rules", and only with it')
        return self
