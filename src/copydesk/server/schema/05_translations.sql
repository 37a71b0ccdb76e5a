-- Translations, and which page of each result came from which page of its source.

CREATE TABLE translation (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    source_space_id TEXT REFERENCES space(id) ON DELETE SET NULL,
    source_language TEXT,
    source_revision_id TEXT,                    -- what the latest run read
    language TEXT NOT NULL,
    instructions TEXT,                          -- JSON Document
    status TEXT NOT NULL DEFAULT 'pending',
    run_by TEXT NOT NULL REFERENCES user(id),   -- who asked for the latest run
    taken_at TEXT,                              -- when the latest run began
    result_space_id TEXT REFERENCES space(id) ON DELETE SET NULL,
    result_revision_id TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    runs INTEGER NOT NULL DEFAULT 0,
    total_pages INTEGER NOT NULL DEFAULT 0,
    total_words INTEGER NOT NULL DEFAULT 0,
    total_duration REAL NOT NULL DEFAULT 0,     -- seconds
    latest_pages INTEGER NOT NULL DEFAULT 0,
    latest_words INTEGER NOT NULL DEFAULT 0,
    latest_duration REAL NOT NULL DEFAULT 0     -- seconds
) WITHOUT ROWID;
CREATE INDEX translation_created ON translation(organization_id, created_at, id);
CREATE INDEX translation_waiting ON translation(updated_at, id) WHERE status <> 'completed';
CREATE INDEX translation_source ON translation(source_space_id);
CREATE INDEX translation_result ON translation(result_space_id);
CREATE TABLE translation_page (
    translation_id TEXT NOT NULL REFERENCES translation(id) ON DELETE CASCADE,
    source_page_id TEXT NOT NULL,
    source_version TEXT NOT NULL,               -- hash of what was carried over
    target_page_id TEXT NOT NULL,
    target_version TEXT NOT NULL,               -- hash of what that made
    PRIMARY KEY (translation_id, source_page_id)
) WITHOUT ROWID;
