"""Every operation of the API.

``from copydesk.contract import operations as ops``, then ``ops.get_space``. Importing this module
fills ``CATALOGUE``.
"""

from __future__ import annotations

from copydesk.contract.agent_instructions import *
from copydesk.contract.audit_event import *
from copydesk.contract.change_request import *
from copydesk.contract.cluster import *
from copydesk.contract.collection import *
from copydesk.contract.comment import *
from copydesk.contract.content import *
from copydesk.contract.content_update import *
from copydesk.contract.context_record import *
from copydesk.contract.conversation import *
from copydesk.contract.finding import *
from copydesk.contract.git_sync import *
from copydesk.contract.glossary import *
from copydesk.contract.integration import *
from copydesk.contract.invite import *
from copydesk.contract.link import *
from copydesk.contract.member import *
from copydesk.contract.openapi_spec import *
from copydesk.contract.operation import CATALOGUE as CATALOGUE
from copydesk.contract.organization import *
from copydesk.contract.pdf import *
from copydesk.contract.permission import *
from copydesk.contract.publishing_auth import *
from copydesk.contract.question import *
from copydesk.contract.redirect import *
from copydesk.contract.review import *
from copydesk.contract.saml_provider import *
from copydesk.contract.search import *
from copydesk.contract.service import *
from copydesk.contract.share_link import *
from copydesk.contract.site import *
from copydesk.contract.site_section import *
from copydesk.contract.site_space import *
from copydesk.contract.site_structure import *
from copydesk.contract.space import *
from copydesk.contract.team import *
from copydesk.contract.template import *
from copydesk.contract.topic import *
from copydesk.contract.traffic import *
from copydesk.contract.translation import *
from copydesk.contract.user import *
