"""Findings of a site: what its content lacks or gets wrong, made of what the desk itself knows.

Each cluster of the organization is a finding, with its conversations as records: a gap where no
page of the site has most words of its label. Each place that pages of a space link to, and where
nothing is, is a finding too. They are kept in tables and made again when the content of the site's
spaces or the clusters changed: whoever reads them sees to that first (``OutdatedError``). Reading
where texts lead takes long, so each text is read once, a bounded number at a time; the desk's
worker reads the rest.

What a person said of a finding stays. One that is not found any more is done, and open again when
it comes back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256

from copydesk.contract.enumerations import FindingSeverity, FindingStatus, FindingType
from copydesk.domain.documents import links_of
from copydesk.domain.late_dataclass import dataclass
from copydesk.server import content
from copydesk.server.background import Worker
from copydesk.server.implementation import Call
from copydesk.server.queries.link import LinkReader, remember_links
from copydesk.server.store import LONG, Row, Tx, to_json

SEVERITIES: tuple[FindingSeverity, ...] = ("low", "medium", "high")
"""By the number that is stored, which sorts them."""

OPEN_FROM = 5
"""So many conversations make a cluster a finding to work on; with fewer it is a candidate."""

MOST_TEXTS = 200
MOST_BYTES = 250_000
"""So many texts are read at a time, and so many bytes of them: about half a second."""

MOST_PAGES = 5
"""So many pages of a site are named for what a cluster is about."""

TITLE_LENGTH = 256
"""The longest title of a finding, in characters."""

_FITS = 0.6
"""The share of the words of a label that a page must have to be about the same."""

_WORD = re.compile(r"[^\W_]{4,}")
_NOWHERE = "about:blank"
"""The address of a desk that answers nobody: what leads into a desk is never broken."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was found of a site: of its clusters, of where texts lead, and of links to nowhere.

    None of the first or the last says that they are as they were.
    """

    clusters: Mapping[str, _Found] | None
    links: Mapping[str, tuple[str, ...]]
    broken: Mapping[str, _Found] | None
    complete: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """What a finding is made of, as it is now."""

    title: str
    type: FindingType
    severity: int
    status: FindingStatus
    pages: tuple[tuple[str, str], ...]
    records: int = 0
    questions: int = 0
    cluster: str | None = None
    space: str | None = None
    target: str | None = None
    updated_at: str | None = None

    @property
    def sources(self) -> int:
        """How much tells of it."""
        return self.records or len(self.pages)


def is_current(tx: Tx, site: Row) -> tuple[bool, bool]:
    """Return whether the findings of a site are up to date, and whether they are complete."""
    scan = tx.one("SELECT state, complete FROM site_scan WHERE site_id = ?", site["id"])
    if scan is None:
        return False, False
    return scan["state"] == _state(tx, site, _spaces(tx, site["id"])), bool(scan["complete"])


def scan_next(worker: Worker) -> bool:
    """Read more texts for a site that is not complete; say whether there was one."""

    def work(tx: Tx) -> bool:
        site = tx.value("SELECT site_id FROM site_scan WHERE NOT complete ORDER BY site_id LIMIT 1")
        if site is not None:
            scan(tx, site, waited_for=False)
        return site is not None

    return worker.write(work)


def scan(tx: Tx, site_id: str, *, waited_for: bool = True) -> None:
    """Make the findings of a site what its content and its organization's clusters make them.

    One that was deleted since somebody asked for them has none. A text that takes long by itself
    is not read while somebody waits (``waited_for``). Others write while all is looked at.
    """
    site = tx.get("site", id=site_id)
    if site is None:
        return
    spaces = _spaces(tx, site_id)
    state = _state(tx, site, spaces)
    before = tx.one("SELECT state, complete FROM site_scan WHERE site_id = ?", site_id)
    seen = tx.apart(
        ("scan", site_id, state, before and tuple(before)),
        LONG,
        lambda tx: _look(tx, site, spaces, before, state, waited_for=waited_for),
    )
    if seen.clusters is not None:
        _write(tx, site, seen.clusters, links=False)
    for text, urls in seen.links.items():
        tx.run("INSERT OR IGNORE INTO text_link VALUES (?, ?)", text, to_json(list(urls)))
    if seen.broken is not None:
        _write(tx, site, seen.broken, links=True)
    tx.put("site_scan", {"site_id": site_id}, state=state, complete=seen.complete)


def _look(
    tx: Tx,
    site: Row,
    spaces: Mapping[str, str],
    before: Row | None,
    state: str,
    *,
    waited_for: bool,
) -> _Seen:
    """Look at all that is not known from before, and write nothing."""
    same_content = (
        before is not None and before["state"].partition(" ")[0] == state.partition(" ")[0]
    )
    clusters = None
    if before is None or state != before["state"]:
        clusters = _of_clusters(tx, site, spaces, same_content=same_content)
    if before is not None and same_content and before["complete"]:
        return _Seen(clusters, {}, None, complete=True)
    links, complete = _read_texts(tx, spaces, waited_for=waited_for)
    broken = _of_links(tx, site["id"], spaces) if complete else None
    return _Seen(clusters, links, broken, complete)


def _spaces(tx: Tx, site_id: str) -> dict[str, str]:
    """Return the spaces that a site shows and the revisions of their primary content."""
    rows = tx.all(
        "SELECT id, revision_id FROM space WHERE deleted_at IS NULL "
        "AND id IN (SELECT space_id FROM site_space WHERE site_id = ?) ORDER BY id",
        site_id,
    )
    return {row["id"]: row["revision_id"] for row in rows}


def _state(tx: Tx, site: Row, spaces: Mapping[str, str]) -> str:
    """Return what tells whether the content, or the clusters, are as they were."""
    clusters = tx.one(
        "SELECT count(*) AS number, max(updated_at) AS latest FROM cluster "
        "WHERE organization_id = ?",
        site["organization_id"],
    )
    assert clusters is not None
    shown = sha256(to_json(dict(spaces)).encode()).hexdigest()[:20]
    return f"{shown} {clusters['number']} {clusters['latest']}"


# Clusters


def _of_clusters(
    tx: Tx, site: Row, spaces: Mapping[str, str], *, same_content: bool
) -> dict[str, _Found]:
    """Return the findings that clusters are, by their ids.

    With the ``same_content`` as before, pages are only sought for clusters that are new.
    """
    rows = tx.all("SELECT * FROM cluster WHERE organization_id = ?", site["organization_id"])
    questions = {
        row["cluster_id"]: row["questions"]
        for row in tx.all(
            "SELECT cluster_id, count(DISTINCT question_id) AS questions FROM issue "
            "WHERE organization_id = ? AND cluster_id IS NOT NULL GROUP BY cluster_id",
            site["organization_id"],
        )
    }
    known = _pages_by_finding(tx, site["id"]) if same_content else {}
    words = _Words(tx, spaces)
    found: dict[str, _Found] = {}
    for row in rows:
        key = _key(site["id"], row["id"])
        pages = known[key] if key in known else words.pages(row["label"])
        found[key] = _of_cluster(row, pages, questions.get(row["id"], 0))
    return found


def _of_cluster(row: Row, pages: tuple[tuple[str, str], ...], questions: int) -> _Found:
    told = row["conversations"]
    return _Found(
        title=row["label"][:TITLE_LENGTH],
        type="other" if pages else "content-gap",
        severity=2 if told >= 10 else 1 if told >= OPEN_FROM else 0,
        status="open" if told >= OPEN_FROM else "candidate",
        pages=pages,
        records=told,
        questions=questions,
        cluster=row["id"],
        updated_at=row["updated_at"],
    )


def _pages_by_finding(tx: Tx, site_id: str) -> dict[str, tuple[tuple[str, str], ...]]:
    found: dict[str, tuple[tuple[str, str], ...]] = {
        row["id"]: () for row in tx.all("SELECT id FROM finding WHERE site_id = ?", site_id)
    }
    for row in tx.all(
        "SELECT finding_page.* FROM finding_page JOIN finding ON finding.id = finding_id "
        "WHERE site_id = ? ORDER BY finding_id, position",
        site_id,
    ):
        found[row["finding_id"]] += ((row["space_id"], row["page_id"]),)
    return found


def _key(site_id: str, *parts: str) -> str:
    """Return the id of a finding on a site, the same each time."""
    text = "\n".join((site_id, *parts))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


class _Words:
    """Which pages of some spaces have which words; each word is sought once."""

    def __init__(self, tx: Tx, spaces: Iterable[str]) -> None:
        self._tx = tx
        self._pages = {
            row["id"]: (row["space_id"], row["page_id"])
            for row in tx.all(
                "SELECT id, space_id, page_id FROM search_page "
                "WHERE space_id IN (SELECT value FROM json_each(?))",
                json.dumps(list(spaces)),
            )
        }
        self._found: dict[str, frozenset[int]] = {}

    def pages(self, label: str) -> tuple[tuple[str, str], ...]:
        """Return the pages that have most of the words of a label, the best first."""
        words = dict.fromkeys(word.casefold() for word in _WORD.findall(label))
        hits: dict[int, int] = {}
        for word in words:
            for page in self._with(word):
                hits[page] = hits.get(page, 0) + 1
        least = max(1, len(words) * _FITS)
        best = sorted((-count, page) for page, count in hits.items() if count >= least)
        return tuple(self._pages[page] for _, page in best[:MOST_PAGES])

    def _with(self, word: str) -> frozenset[int]:
        if word not in self._found:
            # The end of a word says little: "exports" is about what "export" is about.
            rows = self._tx.all("SELECT rowid FROM search WHERE search MATCH ?", f'"{word[:6]}"*')
            self._found[word] = frozenset(row[0] for row in rows if row[0] in self._pages)
        return self._found[word]


# Broken links


def _read_texts(
    tx: Tx, spaces: Mapping[str, str], *, waited_for: bool
) -> tuple[dict[str, tuple[str, ...]], bool]:
    """Read where texts of some spaces lead that nobody has read yet; say whether those were all."""
    texts: dict[str, None] = {}
    for revision in spaces.values():
        tree = content.load(tx, revision)
        for page in content.versions(tx, (node.version for node in tree.nodes())).values():
            if page.text is not None:
                texts[page.text] = None
    known: dict[str, tuple[str, ...]] = {
        row["hash"]: tuple(json.loads(row["urls"]))
        for row in tx.all(
            "SELECT * FROM text_link WHERE hash IN (SELECT value FROM json_each(?))",
            json.dumps(list(texts)),
        )
    }
    unread = [text for text in texts if text not in known]
    found: dict[str, tuple[str, ...]] = {}
    left = MOST_BYTES
    for text in unread[:MOST_TEXTS]:
        data = content.text(tx, text)
        left -= len(data)
        if left < 0 and (found or waited_for):
            break
        found[text] = links_of(data)
    remember_links(known | found)
    return found, len(unread) == len(found)


def _of_links(tx: Tx, site_id: str, spaces: Mapping[str, str]) -> dict[str, _Found]:
    """Return the findings that links are which lead nowhere, by their ids."""
    found: dict[str, _Found] = {}
    for space, revision in spaces.items():
        targets: dict[str, dict[str, None]] = {}
        for link in LinkReader(Call(tx, "", _NOWHERE, 200), space, revision).all():
            if link.status == "broken":
                targets.setdefault(link.target, {})[link.page_id] = None
        for target, pages in targets.items():
            found[_key(site_id, space, target)] = _Found(
                title=f"Broken link to {target}"[:TITLE_LENGTH],
                type="broken-link",
                severity=2 if len(pages) >= 5 else 1 if len(pages) > 1 else 0,
                status="open",
                pages=tuple((space, page) for page in pages),
                space=space,
                target=target,
            )
    return found


# Keeping them


def _write(tx: Tx, site: Row, found: Mapping[str, _Found], *, links: bool) -> None:
    """Bring the stored findings of one kind up to date; only differences are written."""
    known = {
        row["id"]: row
        for row in tx.all(
            "SELECT * FROM finding WHERE site_id = ? AND (cluster_id IS NULL) = ?",
            site["id"],
            links,
        )
    }
    pages = _pages_by_finding(tx, site["id"])
    for key, each in found.items():
        _keep(tx, site["id"], key, each, known.get(key))
        if pages.get(key) != each.pages:
            _keep_pages(tx, key, each.pages)
    for key in known.keys() - found.keys():
        if not known[key]["gone"]:
            status = "canceled" if known[key]["status"] == "canceled" else "done"
            tx.update("finding", key, gone=1, decided=0, status=status, updated_at=tx.now)


def _keep(tx: Tx, site_id: str, key: str, found: _Found, known: Row | None) -> None:
    told: dict[str, str | int] = {
        "title": found.title,
        "type": found.type,
        "severity": found.severity,
        "pages": len(found.pages),
        "records": found.records,
        "questions": found.questions,
        "sources": found.sources,
    }
    if known is None:
        tx.insert(
            "finding",
            id=key,
            site_id=site_id,
            cluster_id=found.cluster,
            space_id=found.space,
            target=found.target,
            status=found.status,
            created_at=tx.now,
            updated_at=found.updated_at or tx.now,
            **told,
        )
        return
    changes = {name: value for name, value in told.items() if known[name] != value}
    back = known["gone"] and known["status"] == "done"
    grown = not known["decided"] and known["status"] == "candidate" and found.status == "open"
    if back or grown:
        changes["status"] = "open"
    if known["gone"]:
        changes["gone"] = 0
    if changes:
        latest = max(found.updated_at or tx.now, known["updated_at"])
        tx.update("finding", key, updated_at=latest, **changes)


def _keep_pages(tx: Tx, key: str, pages: Iterable[tuple[str, str]]) -> None:
    tx.run("DELETE FROM finding_page WHERE finding_id = ?", key)
    for position, (space, page) in enumerate(pages):
        tx.insert("finding_page", finding_id=key, position=position, space_id=space, page_id=page)
