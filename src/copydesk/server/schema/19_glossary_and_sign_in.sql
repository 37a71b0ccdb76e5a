-- The glossary that translations go by, how the readers of a site sign in, and of the versions of an
-- OpenAPI specification all that are kept, the newest first.

CREATE TABLE glossary_entry (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    translations TEXT NOT NULL,                 -- JSON object: the term in each language
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX glossary_entry_created ON glossary_entry(organization_id, created_at, id);
CREATE TABLE publishing_auth (
    site_id TEXT PRIMARY KEY REFERENCES site(id) ON DELETE CASCADE,
    backend TEXT NOT NULL DEFAULT 'custom',
    private_key TEXT NOT NULL,
    fallback_url TEXT,
    logout_url TEXT
) WITHOUT ROWID;
DROP INDEX openapi_version_spec;
CREATE INDEX openapi_version_created ON openapi_version(spec_id, created_at, id);
