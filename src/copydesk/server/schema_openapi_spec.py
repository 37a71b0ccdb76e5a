"""The tables of OpenAPI specifications."""

from __future__ import annotations

OPENAPI_SPECS = """
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
"""
"""Specifications, and the versions of each that could be read."""

_NAMED = "SELECT source_text FROM openapi_spec UNION ALL SELECT document_hash FROM openapi_version"


def _swept(hash_: str) -> str:
    """Return the statement that removes a document which neither a source nor a version names."""
    return f"""
        DELETE FROM openapi_document WHERE hash = {hash_}
            AND NOT EXISTS (SELECT 1 FROM openapi_version WHERE document_hash = {hash_})
            AND NOT EXISTS (SELECT 1 FROM openapi_spec WHERE source_text = {hash_});
    """  # noqa: S608 - names are ours


OPENAPI_DOCUMENTS = f"""
    CREATE TABLE openapi_document (
        hash TEXT PRIMARY KEY,                      -- SHA-256 of data
        data BLOB NOT NULL
    );
    ALTER TABLE openapi_version RENAME COLUMN blob_hash TO document_hash;
    CREATE INDEX openapi_version_document ON openapi_version(document_hash);
    CREATE INDEX openapi_spec_source ON openapi_spec(source_text) WHERE source_text IS NOT NULL;
    INSERT INTO openapi_document SELECT hash, data FROM blob WHERE hash IN ({_NAMED});
    DELETE FROM blob WHERE hash IN ({_NAMED})
        AND hash NOT IN (
            SELECT json_extract(data, '$.text') AS text FROM page_version WHERE text IS NOT NULL
        )
        AND hash NOT IN (
            SELECT json_extract(file.value, '$.blob')
            FROM tree JOIN json_each(tree.data, '$.files') AS file
        );

    CREATE TRIGGER openapi_version_gone AFTER DELETE ON openapi_version
    BEGIN {_swept("old.document_hash")} END;
    CREATE TRIGGER openapi_spec_gone AFTER DELETE ON openapi_spec
    BEGIN {_swept("old.source_text")} END;
    CREATE TRIGGER openapi_source_replaced AFTER UPDATE OF source_text ON openapi_spec
        WHEN old.source_text IS NOT new.source_text
    BEGIN {_swept("old.source_text")} END;

    DELETE FROM openapi_version WHERE id NOT IN (
        SELECT version_id FROM openapi_spec WHERE version_id IS NOT NULL
    );
"""  # noqa: S608 - names are ours
"""Their documents, each once, and gone with the last source or version that names it. They were
blobs, of which only a look at all content says whether something names them. Of the versions of a
specification the latest is kept: nothing asks for another.
"""
