-- The documents of specifications, each once, and gone with the last source or version that names
-- it. They were blobs, of which only a look at all content says whether something names them. Of the
-- versions of a specification the latest is kept: nothing asks for another.

CREATE TABLE openapi_document (
    hash TEXT PRIMARY KEY,                      -- SHA-256 of data
    data BLOB NOT NULL
);
ALTER TABLE openapi_version RENAME COLUMN blob_hash TO document_hash;
CREATE INDEX openapi_version_document ON openapi_version(document_hash);
CREATE INDEX openapi_spec_source ON openapi_spec(source_text) WHERE source_text IS NOT NULL;
INSERT INTO openapi_document SELECT hash, data FROM blob WHERE hash IN (
    SELECT source_text FROM openapi_spec UNION ALL SELECT document_hash FROM openapi_version
);
DELETE FROM blob WHERE hash IN (
        SELECT source_text FROM openapi_spec UNION ALL SELECT document_hash FROM openapi_version
    )
    AND hash NOT IN (
        SELECT json_extract(data, '$.text') AS text FROM page_version WHERE text IS NOT NULL
    )
    AND hash NOT IN (
        SELECT json_extract(file.value, '$.blob')
        FROM tree JOIN json_each(tree.data, '$.files') AS file
    );

CREATE TRIGGER openapi_version_gone AFTER DELETE ON openapi_version
BEGIN
    DELETE FROM openapi_document WHERE hash = old.document_hash
        AND NOT EXISTS (SELECT 1 FROM openapi_version WHERE document_hash = old.document_hash)
        AND NOT EXISTS (SELECT 1 FROM openapi_spec WHERE source_text = old.document_hash);
END;
CREATE TRIGGER openapi_spec_gone AFTER DELETE ON openapi_spec
BEGIN
    DELETE FROM openapi_document WHERE hash = old.source_text
        AND NOT EXISTS (SELECT 1 FROM openapi_version WHERE document_hash = old.source_text)
        AND NOT EXISTS (SELECT 1 FROM openapi_spec WHERE source_text = old.source_text);
END;
CREATE TRIGGER openapi_source_replaced AFTER UPDATE OF source_text ON openapi_spec
    WHEN old.source_text IS NOT new.source_text
BEGIN
    DELETE FROM openapi_document WHERE hash = old.source_text
        AND NOT EXISTS (SELECT 1 FROM openapi_version WHERE document_hash = old.source_text)
        AND NOT EXISTS (SELECT 1 FROM openapi_spec WHERE source_text = old.source_text);
END;

DELETE FROM openapi_version WHERE id NOT IN (
    SELECT version_id FROM openapi_spec WHERE version_id IS NOT NULL
);
