"""What a command gives: printed, or written to the file that was named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from copydesk.cli.errors import DONE, FAILED, UsageError, say
from copydesk.cli.output import put_bytes, put_json
from copydesk.domain.text import clean
from copydesk.local.durable import write_file, write_new_file
from copydesk.present.spreadsheet import for_spreadsheets


def check_form(output: Path | None, *, as_csv: bool, as_json: bool) -> None:
    """Refuse two forms at once, and a file for what is printed for people."""
    if as_csv and as_json:
        raise UsageError("--csv does not go with --json")
    if output is not None and not (as_csv or as_json):
        raise UsageError("--output goes with --csv or --json")


def give_json(value: Any, output: Path | None, *, force: bool) -> int:
    """Print a value as JSON, or write it to a file. Raises ``UsageError`` where that fails."""
    if output is None:
        put_json(value)
        return DONE
    return _write(f"{json.dumps(value, indent=2)}\n".encode(), output, force=force)


def give_table(text: str, output: Path | None, *, force: bool) -> int:
    """Print a table, or write it to a file as spreadsheets know it. Raises as `give`."""
    return give(text, for_spreadsheets(text), output, force=force)


def give(text: str, content: bytes, output: Path | None, *, force: bool) -> int:
    """Print a text, or write it to a file as ``content``. Raises ``UsageError`` if that fails."""
    if output is not None:
        return _write(content, output, force=force)
    put_bytes(text.encode())
    return DONE


def _write(content: bytes, output: Path, *, force: bool) -> int:
    """Write a file. Raises ``UsageError`` where that fails, or one is there."""
    try:
        path = output.resolve()
        if force:
            write_file(path, content)
        else:
            write_new_file(path, content)
    except FileExistsError as error:
        raise UsageError(f"{output} is there already: --force replaces it", FAILED) from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{output} cannot be written: {why}", FAILED) from error
    say(f"Wrote {clean(str(output))}.")
    return DONE
