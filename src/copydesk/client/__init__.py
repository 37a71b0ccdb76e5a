"""The client of a service: hosted, or the embedded desk in this process.

``api.Api`` sends the operations that ``copydesk.contract`` declares. The two kinds of service
differ only in the transport.
"""

import sys
from types import ModuleType
from typing import cast

# Where click is installed, httpx imports its own command line, with pygments and half of rich:
# 3 MiB of a process that never calls it. It says itself what it does without.
cast("dict[str, ModuleType | None]", sys.modules).setdefault("httpx._main", None)
