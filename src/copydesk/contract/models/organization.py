"""Organizations: everything else belongs to one."""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.enumerations import CommunityType, OrganizationType, Plan, Role, UseCase
from copydesk.contract.models.base import (
    WEB_ADDRESS,
    Always,
    Body,
    Count,
    Few,
    KeepsNull,
    Open,
    Real,
    Resource,
    ResourceUrls,
    Shape,
    Tagged,
    Timestamp,
)
from copydesk.contract.models.merge_rules import MergeRules, MergeRulesWrite


class OrganizationPermissions(Shape):
    """What the caller may do in an organization."""

    view: bool = False
    access: bool = False
    admin: bool = False
    own_team: bool = False
    create_content: bool = False
    create_open_api_spec: bool = Field(default=False, alias="createOpenAPISpec")
    ingest_conversations: bool = False
    view_billing: bool = False
    list_members: bool = False
    list_teams: bool = False
    list_integrations: bool = False
    list_installations: bool = False
    install_integration: bool = False


class DefaultContent(Shape):
    """What people see first in an organization."""

    type: Open[Literal["site"]] = "site"
    site: str | None = None


class Price(Shape):
    """A price by billing interval, in the currency of the organization."""

    monthly: Real | None = None
    yearly: Real | None = None


class Pricing(Shape):
    """Prices by plan of members, and by type of sites."""

    members: dict[str, Price] = {}
    sites: dict[str, Price] = {}


class UsageAddon(Shape):
    """Whether something is billed by use."""

    enabled: bool = False


class Billing(Shape):
    """How an organization pays."""

    interval: Open[Literal["monthly", "yearly"]] | None = None
    end_date: Timestamp | None = None
    has_payment_failed: bool = False
    is_scheduled_to_cancel: bool = False
    pricing: Pricing | None = None
    usage_addons: dict[str, UsageAddon] = {}


class Trial(Shape):
    """The trial of a plan, and the decision at its end."""

    status: Always[str] = None
    count: Always[Count] = None
    end_date: Timestamp | None = None
    decision: str | None = None


class Blocked(Shape):
    """Why an organization is closed, and by whom."""

    source: str | None = None
    reason: Always[str] = None


class BillingMigration(Shape):
    """A coming change of plan; internal to the service."""

    deadline: Timestamp | None = None
    discount_percent: Real | None = None
    discount_end_date: Timestamp | None = None


class Organization(Resource, KeepsNull):
    """An organization. A ``default_role`` of None makes whoever joins a guest."""

    nullable: ClassVar[tuple[str, ...]] = ("default_role",)

    object: Open[Literal["organization"]] = "organization"
    id: str
    title: str = ""
    created_at: Always[Timestamp] = None
    email_domains: list[str] = []
    hostname: str | None = None
    type: Open[OrganizationType] = "business"
    use_case: Open[UseCase] | None = None
    community_type: Open[CommunityType] | None = None
    default_role: Open[Role] | None = None
    default_content: DefaultContent | str | None = None
    sso: bool | None = None
    ai: bool | None = None
    invite_links: bool = False
    plan: Always[Open[Plan]] = None
    merge_rules: MergeRules = Field(default_factory=MergeRules)
    custom_hostname: str | None = None
    billing: Billing | None = None
    urls: ResourceUrls = Field(default_factory=ResourceUrls)
    trial: Always[Trial] = None
    blocked: Blocked | None = None
    billing_migration: BillingMigration | None = Field(
        default=None, alias="internal_billingMigration"
    )
    permissions: Always[OrganizationPermissions] = None


_LOGO = rf"^([A-Za-z][\w-]*|{WEB_ADDRESS}|data:image/\S+)$"

Word: TypeAlias = Annotated[str, StringConstraints(max_length=50, pattern=r"^[A-Za-z][\w-]*$")]
"""One of the service's own names, which the document does not list."""


class DefaultContentWrite(Tagged, Body):
    """The site that people see first in an organization."""

    type: Literal["site"] = "site"
    site: str


class OrganizationUpdate(Body):
    """Changes of an organization. A ``logo`` is a URI or one of the service's own names."""

    nullable: ClassVar[tuple[str, ...]] = ("default_role", "default_content", "logo")

    title: Annotated[str, StringConstraints(min_length=2, max_length=255)] | None = Field(
        default=None, description="The name of the organization."
    )
    email_domains: Few[str] | None = Field(
        default=None, description="Whoever has a verified e-mail address in such a domain may join."
    )
    hostname: (
        Annotated[
            str,
            StringConstraints(
                min_length=3, max_length=32, pattern=r"^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$"
            ),
        ]
        | None
    ) = Field(
        default=None, description="Where the organization publishes what has no other address."
    )
    default_role: Role | None = Field(
        default=None, description="The role of whoever joins; without one they are guests."
    )
    default_content: DefaultContentWrite | Word | None = Field(
        default=None,
        description='What people see first: {"site": "its id"}, or a word of the service.',
    )
    logo: Annotated[str, StringConstraints(max_length=2048, pattern=_LOGO)] | None = Field(
        default=None, description="A picture: its address, or its name."
    )
    sso: bool | None = Field(
        default=None, description="Whether everyone has to sign in by single sign-on."
    )
    ai: bool | None = Field(default=None, description="Whether the AI features are on.")
    invite_links: bool | None = Field(
        default=None, description="Whether people can be invited by a link."
    )
    merge_rules: MergeRulesWrite | None = Field(
        default=None,
        description="What must hold before a change request merges, in every space that has no "
        "rules of its own.",
    )
