"""A user to whom files can be forbidden."""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import copydesk

NOBODY = 65534
"""The user whom nothing belongs to."""


@contextmanager
def somebody() -> Iterator[Path]:
    """Give a folder, and be a user to whom files can be forbidden, as root is not."""
    folder = Path(mkdtemp(dir="/tmp"))
    try:
        if os.geteuid() != 0:
            yield folder
            return
        # They may not enter the folder of this program: what they need of it is there before.
        for module in pkgutil.walk_packages(copydesk.__path__, "copydesk."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
        os.chown(folder, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            os.seteuid(0)
    finally:
        shutil.rmtree(folder)
