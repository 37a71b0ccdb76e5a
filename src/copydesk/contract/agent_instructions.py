"""Operations on what the documentation agent is told."""

from __future__ import annotations

from copydesk.contract.models.agent_instructions import AgentInstructions, AgentInstructionsUpdate
from copydesk.contract.operation import operation


@operation("GET", "/orgs/{organization_id}/agent-instructions")
def get_agent_instructions(organization_id: str) -> AgentInstructions:
    """Get what the documentation agent of an organization is told."""
    ...


@operation("PUT", "/orgs/{organization_id}/agent-instructions")
def update_agent_instructions(
    organization_id: str, body: AgentInstructionsUpdate
) -> AgentInstructions:
    """Replace what the documentation agent of an organization is told."""
    ...
