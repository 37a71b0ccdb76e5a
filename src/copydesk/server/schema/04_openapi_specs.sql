-- OpenAPI specifications, and the versions of each that could be read.

CREATE TABLE openapi_spec (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    slug TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    visibility TEXT NOT NULL DEFAULT 'private',
    source_url TEXT,
    source_text TEXT,                           -- hash of a blob; one of the two is there
    state TEXT NOT NULL DEFAULT 'pending',
    attempt INTEGER NOT NULL DEFAULT 0,         -- counts sources given and readings begun
    taken_at TEXT,                              -- when the latest reading began
    version_id TEXT,                            -- the version read last
    processed_at TEXT,
    error_code TEXT,
    errors TEXT,                                -- JSON array of {message, code}
    UNIQUE (organization_id, slug)
) WITHOUT ROWID;
CREATE INDEX openapi_spec_created ON openapi_spec(organization_id, created_at, id);
CREATE INDEX openapi_spec_waiting ON openapi_spec(updated_at, id) WHERE state <> 'complete';
CREATE TABLE openapi_version (
    id TEXT PRIMARY KEY,
    spec_id TEXT NOT NULL REFERENCES openapi_spec(id) ON DELETE CASCADE,
    blob_hash TEXT NOT NULL,                    -- the document, as it was read
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX openapi_version_spec ON openapi_version(spec_id);
