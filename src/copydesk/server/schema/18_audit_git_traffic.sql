-- What was done, imports and exports of git repositories, and what readers did on sites.

CREATE TABLE audit_event (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    occurred_at TEXT NOT NULL,
    action TEXT NOT NULL,                       -- the name of an operation
    actor_id TEXT NOT NULL,
    target_type TEXT NOT NULL,
    target_id TEXT NOT NULL,
    target_label TEXT,
    payload TEXT NOT NULL                       -- JSON: ids of the path, names of fields; no values
);
CREATE INDEX audit_event_when ON audit_event(organization_id, occurred_at, seq);

CREATE TABLE git_job (
    space_id TEXT PRIMARY KEY REFERENCES space(id) ON DELETE CASCADE,
    direction TEXT NOT NULL,                    -- import or export
    request TEXT NOT NULL,                      -- JSON: what was asked for
    author_id TEXT NOT NULL,
    taken_at TEXT,                              -- when a worker began it
    state TEXT NOT NULL,                        -- waiting, running or over
    synced TEXT NOT NULL DEFAULT '{}'           -- JSON: commit and revision by repository and branch
) WITHOUT ROWID;

CREATE TABLE site_event (
    site_id TEXT NOT NULL REFERENCES site(id) ON DELETE CASCADE,
    day TEXT NOT NULL,
    type TEXT NOT NULL,
    space_id TEXT NOT NULL,
    page_id TEXT NOT NULL,
    events INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    visitors INTEGER NOT NULL,
    PRIMARY KEY (site_id, day, type, space_id, page_id)
) WITHOUT ROWID;
