"""Operations on support conversations and the issues found in them."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.cluster import WantedConversations, of_desk
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation
from copydesk.contract.successors import FINDINGS, RECORDS


@operation("GET", "/orgs/{organization_id}/conversations", ended=True, successor=FINDINGS)
def list_conversations(
    organization_id: str, *, source: str | None = None, **paging: Unpack[Paging]
) -> Page[models.conversation.Conversation]:
    """List conversations, those from one source if ``source`` names it."""


@operation(
    "POST", "/orgs/{organization_id}/conversations", status=204, ended=True, successor=RECORDS
)
def ingest_conversation(organization_id: str, body: models.conversation.IngestBody) -> None:
    """Send one conversation or several."""


@operation(
    "GET", "/orgs/{organization_id}/conversations/{conversation_id}", ended=True, successor=FINDINGS
)
def get_conversation(
    organization_id: str, conversation_id: str
) -> models.conversation.ConversationDetail:
    """Get a conversation with its parts."""


@operation("GET", "/orgs/{organization_id}/conversations-issues", ended=True, successor=FINDINGS)
def list_conversation_issues(
    organization_id: str,
    *,
    cluster: str | None = None,
    conversation: str | None = None,
    **paging: Unpack[Paging],
) -> Page[models.conversation.ConversationIssueItem]:
    """List issues: those of a cluster, or those found in a conversation."""


@operation(
    "GET", "/orgs/{organization_id}/conversations-issues/{issue_id}", ended=True, successor=FINDINGS
)
def get_conversation_issue(
    organization_id: str, issue_id: str
) -> models.conversation.ConversationIssueItem:
    """Get an issue with its conversation."""


@of_desk("POST", "/orgs/{organization_id}/conversations-issues/move")
def move_conversation_issues(
    organization_id: str, body: models.conversation.IssueMove
) -> models.conversation.IssuesMoved:
    """Move issues into a cluster, or out of theirs."""


@of_desk("GET", "/orgs/{organization_id}/conversations-analysis")
def get_conversations_analysis(
    organization_id: str, *, hurry: bool | None = None
) -> models.conversation.ConversationsAnalysis:
    """Say how far the search for clusters in conversations is.

    It begins once nothing has come in for a moment; where someone waits for it they are in a
    ``hurry``, and it begins at once.
    """


@of_desk("GET", "/orgs/{organization_id}/conversations-search")
def search_conversations(
    organization_id: str, *, cluster: str | None = None, **wanted: Unpack[WantedConversations]
) -> Page[models.conversation.ConversationHit]:
    """Find conversations by what was said in them and by what is known of them, the latest first.

    An ``attribute`` is a name and a value, such as "plan=team"; all of them have to hold.
    """
