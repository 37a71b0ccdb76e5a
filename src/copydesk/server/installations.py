"""What happens to integrations: publishing, installing, and the events that this causes.

A desk runs no integration code and sends nothing to anybody: a setup is checked, and the trace of
its event says which steps were done.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from copydesk.domain.text import few
from copydesk.server.errors import or_not_found
from copydesk.server.store import Row, Tx

JSON_COLUMNS = (
    "preview_images",
    "scopes",
    "categories",
    "blocks",
    "content_sources",
    "configurations",
    "external_links",
    "secrets",
)
"""The columns of ``integration`` that hold JSON."""

_NAMED = 20
"""How many names a line of a trace lists."""


def publish(tx: Tx, name: str, fields: Mapping[str, Any]) -> Row:
    """Publish an integration, or a new version of it, and set it up anew wherever it is installed.

    ``fields`` are columns with their values, JSON not yet written, the owner among them; what else
    is left out stays as it is. Returns the integration's row.
    """
    columns = {
        column: _dumps(value) if column in JSON_COLUMNS else value
        for column, value in fields.items()
    }
    if "blocks" in fields:
        columns["block_domains"] = _dumps(block_domains(fields["blocks"] or ()))
    tx.run(
        "INSERT OR IGNORE INTO integration (id, owner, title) VALUES (?1, ?2, ?1)",
        name,
        columns["owner"],
    )
    tx.update("integration", name, **columns)
    tx.run("UPDATE integration SET version = version + 1 WHERE id = ?", name)
    integration = integration_row(tx, name)
    for installation in tx.all(
        "SELECT * FROM installation WHERE integration_id = ? ORDER BY created_at, id", name
    ):
        _set_up(tx, integration, installation["id"], installation)
    return integration


def install(
    tx: Tx,
    integration: Row,
    organization_id: str,
    configuration: Mapping[str, Any] | None = None,
    *,
    external_ids: Iterable[str] = (),
    spaces: Mapping[str, Iterable[str]] | None = None,
    sites: Mapping[str, Iterable[str]] | None = None,
) -> str:
    """Install an integration in an organization and return the installation's id.

    It works on every space and site unless some are given, by id with their external ids.
    """
    installation_id = tx.add(
        "installation",
        integration_id=integration["id"],
        organization_id=organization_id,
        space_selection="all" if spaces is None else "selected",
        site_selection="all" if sites is None else "selected",
        configuration=_dumps(dict(configuration or {})),
        external_ids=_dumps(list(external_ids)),
        created_at=tx.now,
        updated_at=tx.now,
    )
    for place, chosen in (("space", spaces), ("site", sites)):
        for key, ids in (chosen or {}).items():
            tx.insert(
                f"{place}_installation",
                **{f"{place}_id": key},
                installation_id=installation_id,
                external_ids=_dumps(list(ids)),
            )
    _set_up(tx, integration, installation_id, None)
    return installation_id


def change(tx: Tx, integration: Row, installation: Row, fields: Mapping[str, Any]) -> None:
    """Change an installation and set it up anew. ``fields`` are columns, JSON not yet written."""
    columns = {
        column: value if isinstance(value, str) else _dumps(value)
        for column, value in fields.items()
    }
    tx.update("installation", installation["id"], **columns)
    _set_up(tx, integration, installation["id"], installation)


def leave_out(tx: Tx, installation: Row, place: str, key: str) -> None:
    """Take an installation out of a space or a site; where it was on all, it stays on the rest."""
    if installation[f"{place}_selection"] == "all":
        tx.run(
            f"INSERT OR IGNORE INTO {place}_installation (installation_id, {place}_id) "  # noqa: S608
            f"SELECT ?, id FROM {place} WHERE organization_id = ?",
            installation["id"],
            installation["organization_id"],
        )
        tx.update("installation", installation["id"], **{f"{place}_selection": "selected"})
    tx.run(
        f"DELETE FROM {place}_installation WHERE installation_id = ? AND {place}_id = ?",  # noqa: S608
        installation["id"],
        key,
    )
    tx.update("installation", installation["id"], updated_at=tx.now)


def integration_row(tx: Tx, name: str) -> Row:
    """Return the row of an integration, whoever may see it. Raises a 404 when there is none."""
    return or_not_found(tx.get("integration", id=name), "integration", name)


def defaults(integration: Row, level: str) -> dict[str, Any]:
    """Return what an installation is configured with at a level unless it says otherwise."""
    properties = _declared(integration, level).get("properties") or {}
    return {
        name: asked["default"]
        for name, asked in properties.items()
        if asked.get("default") is not None
    }


def block_domains(blocks: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the hosts in the patterns of URLs that blocks unfurl; one may begin with ``*.``."""
    return sorted({_host(url) for block in blocks for url in block.get("urlUnfurl") or ()} - {""})


def _host(pattern: str) -> str:
    place = pattern.partition("://")[2] or pattern
    for mark in "/?#":
        place = place.partition(mark)[0]
    return place.rpartition("@")[2].partition(":")[0].casefold()


def _set_up(tx: Tx, integration: Row, installation_id: str, before: Row | None) -> None:
    """Configure an installation for the current version and record the event of it."""
    installation = tx.row("installation", installation_id)
    configuration = defaults(integration, "account") | json.loads(installation["configuration"])
    tx.update(
        "installation", installation_id, configuration=_dumps(configuration), updated_at=tx.now
    )
    missing = [
        name
        for name in _declared(integration, "account").get("required") or ()
        if configuration.get(name) in (None, "")
    ]
    logs = [
        {"level": level, "message": message, "timestamp": tx.now}
        for level, message in _trace(integration, installation, configuration, missing)
    ]
    event_id = tx.new_id()
    payload = {
        "eventId": event_id,
        "type": "installation_setup",
        "installationId": installation_id,
        "status": installation["status"],
    }
    if before is not None:
        payload["previous"] = {
            "status": before["status"],
            "configuration": json.loads(before["configuration"]),
        }
    tx.insert(
        "integration_event",
        id=event_id,
        integration_id=integration["id"],
        installation_id=installation_id,
        created_at=tx.now,
        payload=_dumps(payload),
        status="failed" if missing else "success",
        logs=_dumps(logs),
    )


def _trace(
    integration: Row, installation: Row, configuration: Mapping[str, Any], missing: list[str]
) -> Iterable[tuple[str, str]]:
    """Yield the lines of a setup's trace. Names only: values may be secret."""
    yield (
        "debug",
        f"Set up {integration['id']} version {integration['version']}, "
        f"runtime {integration['runtime']}.",
    )
    if configuration:
        yield "debug", f"Configured: {few(sorted(configuration), _NAMED)}."
    if missing:
        yield "error", f"The configuration lacks what is required: {few(sorted(missing), _NAMED)}."
    ours = installation["organization_id"] == integration["owner"]
    if integration["tunnel_url"] is not None and (ours or integration["tunnel_all"]):
        yield (
            "warn",
            "Development mode is on for this event, but this desk sends nothing to a tunnel.",
        )
    if integration["script"]:
        yield (
            "info",
            f"The script of {len(integration['script'])} characters was not run: "
            "this desk runs no integration code.",
        )
    else:
        yield "debug", "There is no script to run."


def _declared(integration: Row, level: str) -> dict[str, Any]:
    declared: dict[str, Any] = json.loads(integration["configurations"] or "{}").get(level) or {}
    return declared


def _dumps(value: object) -> str:
    # Not with sorted keys: an author declares settings in the order in which they are asked for.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
