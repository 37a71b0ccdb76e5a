"""Operations on what the documentation agent is told."""

from __future__ import annotations

from copydesk.contract import models
from copydesk.contract.operation import operation


@operation("GET", "/orgs/{organization_id}/agent-instructions")
def get_agent_instructions(organization_id: str) -> models.agent_instructions.AgentInstructions:
    """Get what the documentation agent of an organization is told."""


@operation("PUT", "/orgs/{organization_id}/agent-instructions")
def update_agent_instructions(
    organization_id: str, body: models.agent_instructions.AgentInstructionsUpdate
) -> models.agent_instructions.AgentInstructions:
    """Replace what the documentation agent of an organization is told."""
