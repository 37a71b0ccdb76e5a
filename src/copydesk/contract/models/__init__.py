"""The resources of the API, one module per noun, loaded when one of its models is asked for.

``models.space.Space`` loads ``space``: an operation's stub names its models so, and a program pays
only for those of the operations that it uses. Annotations are evaluated here, not left as strings:
pydantic reads every one of them at import, and compiling them again from strings costs a tenth of
that time.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copydesk.contract.models import agent_instructions as agent_instructions
    from copydesk.contract.models import audit_event as audit_event
    from copydesk.contract.models import base as base
    from copydesk.contract.models import change_request as change_request
    from copydesk.contract.models import cluster as cluster
    from copydesk.contract.models import collection as collection
    from copydesk.contract.models import comment as comment
    from copydesk.contract.models import content as content
    from copydesk.contract.models import content_update as content_update
    from copydesk.contract.models import context_record as context_record
    from copydesk.contract.models import conversation as conversation
    from copydesk.contract.models import document as document
    from copydesk.contract.models import finding as finding
    from copydesk.contract.models import git_sync as git_sync
    from copydesk.contract.models import glossary as glossary
    from copydesk.contract.models import integration as integration
    from copydesk.contract.models import invite as invite
    from copydesk.contract.models import link as link
    from copydesk.contract.models import member as member
    from copydesk.contract.models import merge_rules as merge_rules
    from copydesk.contract.models import openapi_spec as openapi_spec
    from copydesk.contract.models import organization as organization
    from copydesk.contract.models import permission as permission
    from copydesk.contract.models import position as position
    from copydesk.contract.models import publishing_auth as publishing_auth
    from copydesk.contract.models import question as question
    from copydesk.contract.models import redirect as redirect
    from copydesk.contract.models import review as review
    from copydesk.contract.models import saml_provider as saml_provider
    from copydesk.contract.models import search as search
    from copydesk.contract.models import service as service
    from copydesk.contract.models import share_link as share_link
    from copydesk.contract.models import site as site
    from copydesk.contract.models import site_section as site_section
    from copydesk.contract.models import site_space as site_space
    from copydesk.contract.models import site_structure as site_structure
    from copydesk.contract.models import space as space
    from copydesk.contract.models import team as team
    from copydesk.contract.models import topic as topic
    from copydesk.contract.models import traffic as traffic
    from copydesk.contract.models import translation as translation
    from copydesk.contract.models import user as user

else:

    def __getattr__(name: str) -> ModuleType:
        try:
            return import_module(f"{__name__}.{name}")
        except ModuleNotFoundError:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
