"""Visitor attributes of a site as the desk takes them: the check of a schema, and conditions."""

from __future__ import annotations

from copydesk.contract.models.site import TemplateCondition
from copydesk.domain.visitor_schema import attributes, problems
from copydesk.server.errors import invalid


def check_schema(schema: dict[str, object]) -> None:
    """Raise a 400 that says what keeps a schema from being one of visitor attributes."""
    for problem in problems(schema):
        where = f"body.jsonSchema.{problem.where}".removesuffix(".")
        raise invalid(f"{where}: {problem.said}")


def template_conditions(schema: dict[str, object]) -> list[TemplateCondition]:
    """Return for each attribute the condition that it holds and the one that it does not."""
    found = []
    for each in attributes(schema):
        label = each.description or each.name
        holds = f"{each.expression} == true"
        found.append(TemplateCondition(description=f"{label}: yes", condition=holds))
        fails = f"{each.expression} != true"
        found.append(TemplateCondition(description=f"{label}: no", condition=fails))
    return found
