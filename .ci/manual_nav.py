"""The navigation of the manual's site: its table of contents, as copydesk itself reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from copydesk.server.sources.summary import Entry, parse_summary

SUMMARY = "SUMMARY.md"


def on_config(config: Any) -> Any:
    """Take the navigation from the table of contents; what that says wrongly ends the build."""
    found = parse_summary((Path(config["docs_dir"]) / SUMMARY).read_bytes())
    if found.problems:
        raise ValueError(f"{SUMMARY}: {found.problems[0]}")
    config["nav"] = [*_entries(found.entries)]
    return config


def on_post_build(config: Any) -> None:
    """Begin the site with the first page of the table of contents: there is no other index."""
    first = next(iter(config["nav"][0].values()))
    page = Path(first).with_suffix(".html").as_posix()
    redirect = f'<meta http-equiv="refresh" content="0; url={page}"><a href="{page}">copydesk</a>\n'
    (Path(config["site_dir"]) / "index.html").write_text(redirect, "utf-8")


def _entries(entries: Iterable[Entry]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        yield {entry.title: [*_entries(entry.children)] if entry.children else entry.path}
