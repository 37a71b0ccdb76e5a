"""OpenAPI specifications as cells and facts."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.text import clean, plural
from copydesk.tui.organization.member_cells import Told, ago

if TYPE_CHECKING:
    from copydesk.contract.models.openapi_spec import OpenAPISpec

STATES = {"pending": "waits", "progress": "reading", "complete": "read"}
"""What each processing state is called."""

FAILED = "failed"
"""What one is called that could not be read."""

CODES = {
    "FETCH_TIMEOUT": "it did not arrive in time",
    "FETCH_ERROR": "it could not be fetched",
    "PARSE_ERROR": "it is no OpenAPI document",
}
"""What each error code says."""

TONES = {"waits": "muted", "reading": "accent", FAILED: "bad"}


def name(spec: OpenAPISpec) -> str:
    """Return what a specification is called; never empty."""
    return spec.slug.strip() or spec.id


def under_way(spec: OpenAPISpec) -> bool:
    """Whether the service has not done with it yet."""
    return spec.processing_state in ("pending", "progress")


def state_word(spec: OpenAPISpec) -> str:
    """Return how far the service is with it, in a word; not cleaned."""
    if spec.processing_state == "complete" and failed(spec):
        return FAILED
    return STATES.get(spec.processing_state, spec.processing_state)


def failed(spec: OpenAPISpec) -> bool:
    """Whether it could not be read the last time."""
    return bool(spec.last_process_error_code or spec.last_processed_errors)


def state(spec: OpenAPISpec) -> Text:
    """Return the word with its tone."""
    word = state_word(spec)
    return Text(clean(word), style=TONES.get(word, ""))


def source(spec: OpenAPISpec) -> str | Text:
    """Return where it comes from."""
    return spec.source_url or Text("given as text", style="muted")


def visibility(spec: OpenAPISpec) -> str:
    """Return who may read it; the service says nothing of one that nobody else may."""
    return spec.visibility or "private"


def why_failed(spec: OpenAPISpec) -> str:
    """Return in a few words why it could not be read; cleaned, empty where it could."""
    if not failed(spec):
        return ""
    code = spec.last_process_error_code or ""
    return CODES.get(code, clean(code, limit=60) or "it has errors")


def about(spec: OpenAPISpec, now: datetime) -> Told:
    """Return what else is known of it: every error, whole."""
    found: Told = []
    if failed(spec):
        found.append(("not read", Text(why_failed(spec), style="bad")))
    errors = spec.last_processed_errors or []
    for number, error in enumerate(errors, 1):
        code = f"{clean(error.code)}: " if error.code else ""
        said = clean(error.message, lines=True) or "(the service says nothing more)"
        label = f"error {number}" if len(errors) > 1 else "error"
        found.append((label, Text(f"{code}{said}", style="bad")))
    if when := ago(spec.last_processed_at, now):
        found.append(("last try" if failed(spec) else "read", when))
    if spec.last_version and failed(spec):
        found.append(("version", "the last one stays until another can be read"))
    if url := web_address(spec.urls.app):
        found.append(("app", Text(url, style="link")))
    if url := web_address(spec.urls.published):
        found.append(("published", Text(url, style="link")))
    return found


def ended(spec: OpenAPISpec) -> tuple[str, str]:
    """Return what came of reading it, and the tone of that; cleaned."""
    title = clean(name(spec), limit=60)
    if not failed(spec):
        return f"{title} has been read.", "good"
    many = len(spec.last_processed_errors or ())
    more = f" ({plural(many, 'error')}, see its details)" if many else ""
    return f"{title}: {why_failed(spec)}{more}.", "bad"


def url(spec: OpenAPISpec) -> str | None:
    """Return its address: in the application, else where it is read."""
    return web_address(spec.urls.app) or web_address(spec.urls.published) or None
