"""Starting a space from a template."""

from __future__ import annotations

from copydesk.contract import models
from copydesk.contract.operation import operation


@operation("POST", "/spaces/{space_id}/content/template", status=201)
def apply_space_template(space_id: str, body: models.content.TemplateApply) -> None:
    """Fill a space, or a change request in it, from a template."""
