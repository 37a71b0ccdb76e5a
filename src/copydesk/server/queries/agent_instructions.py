"""Instructions of documentation agents."""

from __future__ import annotations

from copydesk.contract.models.agent_instructions import AgentInstructions
from copydesk.contract.models.document import Document
from copydesk.contract.models.parts import Urls
from copydesk.domain.documents import markdown_to_document
from copydesk.server.implementation import Call


def agent_instructions_model(call: Call, organization_id: str) -> AgentInstructions:
    """Return what an organization's agent is told; nobody asks if the caller may read it."""
    row = call.tx.one("SELECT * FROM agent_instructions WHERE organization_id = ?", organization_id)
    return AgentInstructions(
        instructions=markdown_to_document("")
        if row is None
        else Document.model_validate_json(row["instructions"]),
        updated_at=None if row is None else row["updated_at"],
        updated_by=None if row is None else row["updated_by"],
        urls=Urls(location=call.url("orgs", organization_id, "agent-instructions")),
    )
