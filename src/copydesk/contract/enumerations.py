"""Every enumeration of the API, each once (docs/api-notes.md, Values).

Requests take these as they are; what is read takes ``Open[…]`` of them, so that a value that this
version does not know is kept as a string and never breaks a list.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Order: TypeAlias = Literal["asc", "desc"]
"""The direction of a list; ``desc`` when omitted."""

Role: TypeAlias = Literal["admin", "create", "edit", "review", "comment", "read"]
"""A role in an organization. A guest has no role: null."""

RoleFilter: TypeAlias = Literal["admin", "create", "edit", "review", "comment", "read", "guest"]
"""The role that a list of members is limited to."""

DefaultLevel: TypeAlias = Literal["admin", "create", "edit", "review", "comment", "read", "inherit"]
"""The role that everyone in the organization has in a space or collection; null is none."""

TeamRole: TypeAlias = Literal["owner", "member"]
"""The role in a team; an owner manages the team's members."""

PermissionSort: TypeAlias = Literal["joinedAt", "lastSeenAt", "name"]
"""What the people of a site are sorted by; by ``lastSeenAt`` only active members are listed."""

MemberSort: TypeAlias = Literal["joinedAt", "lastSeenAt"]
"""What members are sorted by; by ``lastSeenAt`` only active members are listed."""

CommentStatus: TypeAlias = Literal["open", "resolved"]
"""Whether a thread still needs somebody."""

CommentStatusFilter: TypeAlias = Literal["all", "open", "resolved"]
"""The threads that a list of comments is limited to; ``all`` when omitted."""

ContentFormat: TypeAlias = Literal["document", "markdown"]
"""How text is answered: ``{document}`` or ``{markdown}``."""

ChangeRequestStatus: TypeAlias = Literal["draft", "open", "archived", "merged"]
"""The state of a change request, also the filter of lists (``open`` when omitted)."""

ChangeRequestWritableStatus: TypeAlias = Literal["draft", "open", "archived"]
"""The states that a PATCH can set; ``merged`` is reached by merging only."""

MergeOutcome: TypeAlias = Literal["merge", "conflicts"]
"""What a merge came to."""

UpdateOutcome: TypeAlias = Literal["update", "conflicts"]
"""What pulling primary content into a change request came to."""

ConflictKind: TypeAlias = Literal[
    "edited", "edited-deleted", "deleted-edited", "moved", "renamed", "added"
]
"""How two sides disagree about a page or file, the change request's side named first.

``edited`` changed the same lines, ``edited-deleted`` edited what primary deleted,
``deleted-edited`` deleted what primary edited, ``moved`` moved to different places, ``renamed``
gave different titles or slugs, ``added`` added different things at one path.
"""

ChangeType: TypeAlias = Literal[
    "page_created",
    "page_edited",
    "page_deleted",
    "page_moved",
    "file_created",
    "file_edited",
    "file_deleted",
    "file_moved",
    "reusable_content_created",
    "reusable_content_edited",
    "reusable_content_deleted",
    "tag_created",
    "tag_edited",
    "tag_deleted",
    "variables_edited",
]
"""What happened to a page, or to what else a space has, in a change request (extension E6)."""

ReviewStatus: TypeAlias = Literal["approved", "changes-requested"]
"""The verdict of a review (extension E4)."""

MergeRulesType: TypeAlias = Literal["inherit", "none", "rules"]
"""Whether a space takes its organization's rules, has none, or has its own."""

MergeRuleKind: TypeAlias = Literal[
    "require_specific_reviewers",
    "require_one_of_specific_reviewers",
    "require_at_least_one_review",
    "require_all_reviews_approved",
    "require_up_to_date_change_request",
    "require_change_request_subject",
    "require_change_request_description",
]
"""What must hold before a merge; every rule must pass (docs/api-notes.md, Merge rules)."""

SpaceVisibility: TypeAlias = Literal[
    "public", "unlisted", "share-link", "visitor-auth", "in-collection", "private"
]
"""Who can read a space."""

EditMode: TypeAlias = Literal["live", "locked"]
"""Whether a space takes direct edits."""

SiteVisibility: TypeAlias = Literal["public", "unlisted", "share-link", "visitor-auth"]
"""The audience of a published site."""

SiteType: TypeAlias = Literal["basic", "premium", "ultimate", "sponsored"]
"""The plan of a site."""

AgentsContext: TypeAlias = Literal["excluded", "included"]
"""Whether the documentation agent may read a site."""

Language: TypeAlias = Literal[
    "en", "fr", "de", "es", "it", "pt", "pt-br", "ru", "ja", "zh", "yue", "ko", "ar", "hi", "nl",
    "pl", "tr", "sv", "no", "da", "fi", "el", "cs", "hu", "ro", "th", "vi", "id", "ms", "he", "uk",
    "sk", "bg", "hr", "lt", "lv", "et", "sl",
]  # fmt: skip
"""The language of a space or translation."""

GlossaryLanguage: TypeAlias = Language | Literal["zh-tw"]
"""The language of a term of a glossary (extension E20)."""

SignInBackend: TypeAlias = Literal["custom", "integration"]
"""Who signs the readers of a site in (extension E20)."""

OrganizationType: TypeAlias = Literal["business", "community"]
"""The kind of an organization."""

UseCase: TypeAlias = Literal[
    "internalDocs",
    "docsSite",
    "audienceControlledSite",
    "productDocs",
    "teamKnowledgeBase",
    "designSystem",
    "openSourceDocs",
    "notes",
    "other",
]
"""What an organization said it writes."""

CommunityType: TypeAlias = Literal["nonProfit", "openSource", "education"]
"""The kind of a community organization."""

Plan: TypeAlias = Literal["free_2024", "plus_2024", "pro_2024", "enterprise_2024", "community_2024"]
"""The plan of an organization."""

PageType: TypeAlias = Literal["document", "group", "link", "computed"]
"""The kind of a page in a page tree."""

RevisionType: TypeAlias = Literal["edits", "merge", "rollback", "update", "computed"]
"""How a revision came to be."""

ReferenceKind: TypeAlias = Literal["file", "page", "openapi", "url"]
"""What a content reference points at; ``url`` is how a link page says where it leads."""

LinkStatus: TypeAlias = Literal["ok", "broken", "in-app"]
"""Whether the target of a link exists; ``in-app`` points into the editor."""

OpenAPIVisibility: TypeAlias = Literal["private", "public"]
"""Whether an OpenAPI specification can be read by anyone with its link."""

ProcessingState: TypeAlias = Literal["pending", "progress", "complete"]
"""How far the reading of an OpenAPI specification is."""

ProcessingErrorCode: TypeAlias = Literal["FETCH_TIMEOUT", "FETCH_ERROR", "PARSE_ERROR"]
"""Why an OpenAPI specification could not be read."""

TranslationStatus: TypeAlias = Literal["pending", "running", "completed"]
"""How far a translation is."""

SAMLStatus: TypeAlias = Literal["active", "pending"]
"""Whether a SAML provider is fully configured."""

IntegrationTarget: TypeAlias = Literal["all", "site", "space", "organization"]
"""Where an integration can be installed."""

IntegrationVisibility: TypeAlias = Literal["public", "private", "unlisted"]
"""Who can find an integration."""

IntegrationCategory: TypeAlias = Literal[
    "analytics", "collaboration", "content", "gitsync", "marketing", "visitor-auth", "other"
]
"""What an integration is for."""

IntegrationRuntime: TypeAlias = Literal["v1", "v2"]
"""The runtime that an integration's script is written for."""

InstallationStatus: TypeAlias = Literal["active", "pending", "paused"]
"""Whether an installation works, waits to be configured, or is paused."""

InstallationSelection: TypeAlias = Literal["all", "selected"]
"""Whether an installation works on every space or site, or on those that were chosen."""

EventStatus: TypeAlias = Literal["success", "failed"]
"""How the handling of an integration event ended."""

LogLevel: TypeAlias = Literal["debug", "info", "warn", "error"]
"""The weight of a log line of an integration event."""

ClusterOrder: TypeAlias = Literal["updatedAt", "issues", "conversations"]
"""What issue clusters are sorted by; ``updatedAt`` when omitted."""

ClusterChange: TypeAlias = Literal["joined", "split"]
"""What became of a cluster besides growing."""

ClusterNaming: TypeAlias = Literal["machine", "hand"]
"""Who gave a cluster its label."""

AnalysisState: TypeAlias = Literal["idle", "waiting", "running", "unavailable"]
"""Whether clusters are sought in conversations at present, or cannot be; "waiting" is for more."""

PartRole: TypeAlias = Literal["user", "assistant", "team-member"]
"""Who wrote a part of a conversation."""

RedirectOrder: TypeAlias = Literal["createdAt", "updatedAt", "source"]
"""What redirects are sorted by; ``createdAt`` when omitted."""

FindingStatus: TypeAlias = Literal["candidate", "open", "done", "canceled"]
"""How far a finding is: somebody has still to look at a candidate."""

FindingType: TypeAlias = Literal[
    "content-outdated",
    "content-incorrect",
    "content-gap",
    "broken-link",
    "outbound-link-error",
    "other",
]
"""What a finding says of the content of a site."""

FindingSeverity: TypeAlias = Literal["low", "medium", "high"]
"""How much a finding matters."""

FindingOrder: TypeAlias = Literal["updatedAt", "severity", "sources"]
"""What findings are sorted by; ``updatedAt`` when omitted."""

Resolution: TypeAlias = Literal["no", "partially", "yes"]
"""Whether a question was answered."""

Helpfulness: TypeAlias = Literal["low", "medium", "high"]
"""How helpful an answer was."""

Relevance: TypeAlias = Literal["relevant", "spam", "off-topic", "unclear"]
"""Whether a question is about what a site documents."""

ChannelType: TypeAlias = Literal[
    "site", "embed", "api", "builtin:slack", "builtin:discord", "builtin:github", "builtin:linear"
]
"""Where a question was asked."""

QuestionType: TypeAlias = Literal["exploring", "how-to", "troubleshooting", "reference", "unknown"]
"""What somebody asks for."""

QuestionSort: TypeAlias = Literal["askedAt", "stats.answered", "stats.feedback", "stats.answers"]
"""What questions are sorted by; ``askedAt`` when omitted."""

RecordType: TypeAlias = Literal["ticket", "document"]
"""What a context record is."""

OutboundLinkStatus: TypeAlias = Literal[
    "pending", "healthy", "suspect", "failed", "recovering", "canceled"
]
"""What is known of an address elsewhere that a site links to."""

OutboundLinkFailure: TypeAlias = Literal[
    "client-error", "server-error", "redirect", "dns", "tls", "connection", "timeout"
]
"""Why an address elsewhere does not answer."""
