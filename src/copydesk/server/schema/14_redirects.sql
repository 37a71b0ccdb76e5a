-- Redirects of sites. A path has one that holds and one draft at most. What a redirect leads to may
-- go: then it leads nowhere, and is there to be mended.

CREATE TABLE site_redirect (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES site(id) ON DELETE CASCADE,
    source TEXT NOT NULL,
    draft INTEGER NOT NULL DEFAULT 0,
    capture_wildcard INTEGER NOT NULL DEFAULT 0,
    permanent INTEGER NOT NULL DEFAULT 0,
    kind TEXT NOT NULL,
    section_id TEXT,
    site_space_id TEXT,
    page_id TEXT,
    url TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT
) WITHOUT ROWID;
CREATE UNIQUE INDEX site_redirect_source ON site_redirect(site_id, draft, source);
CREATE INDEX site_redirect_created ON site_redirect(site_id, draft, created_at, id);
