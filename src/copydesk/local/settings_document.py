"""Edits of the settings file that leave everything else as it is, comments included."""

from __future__ import annotations

from pathlib import Path

import tomlkit
from tomlkit import TOMLDocument

from copydesk.local.durable import write_file
from copydesk.local.paths import HOME_VARIABLE, private_folder
from copydesk.local.settings import usable_settings


def read_document(path: Path, key: str = "") -> TOMLDocument:
    """Return the settings for an edit of a key; an empty document without a file.

    Raises ``OSError`` when the disk refuses, and ``SettingsError`` where there is a mistake in
    what the key has, or one that leaves open which service is meant.
    """
    usable_settings(path, *([key] if key else ()))
    return open_document(path)


def open_document(path: Path) -> TOMLDocument:
    """Return the settings for an edit, whatever mistakes are in them.

    Raises ``OSError`` when the disk refuses, and ``ValueError`` for what is not TOML in UTF-8.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        text = ""
    return tomlkit.parse(text)


def write_document(path: Path, document: TOMLDocument) -> None:
    """Save edited settings. Raises ``OSError`` with a sentence when the disk refuses."""
    # A link is followed, so that it stays one.
    path = path.resolve()
    try:
        private_folder(path.parent)
        write_file(path, document.as_string().encode())
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> OSError:
    """Return an error that says that nothing was changed, and what to do."""
    return OSError(
        f"{path} cannot be written, and nothing was changed: make it and its folder writable for "
        f"you, or set {HOME_VARIABLE} to another folder ({error.strerror or error})."
    )
