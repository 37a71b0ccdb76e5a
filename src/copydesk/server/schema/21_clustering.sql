-- Clusters that the desk finds itself or that people make, and searching in conversations.
--
-- issue.placed says who put an issue where it is: 'waiting' (nobody yet), 'machine', 'none' (the
-- machine found no cluster for it) or 'hand' (a person, or who made the desk), which stays.

ALTER TABLE issue ADD COLUMN placed TEXT NOT NULL DEFAULT 'hand';
ALTER TABLE issue ADD COLUMN told TEXT;         -- what its user says of it; NULL: title and summary
-- Until now no operation made a cluster: where there are any, they came with the desk.
UPDATE issue SET placed = 'waiting'
    WHERE organization_id NOT IN (SELECT organization_id FROM cluster);
CREATE INDEX issue_placed ON issue(organization_id, placed, cluster_id, id);
CREATE INDEX issue_waiting ON issue(organization_id, ingested_at) WHERE placed = 'waiting';

-- The issues that may be compared: in no closed cluster, and not put into none by a person.
CREATE VIEW comparable_issue AS
    SELECT * FROM issue WHERE NOT (placed = 'hand' AND cluster_id IS NULL) AND NOT EXISTS (
        SELECT 1 FROM cluster c WHERE c.id = issue.cluster_id AND c.closed_at IS NOT NULL
    );

ALTER TABLE cluster ADD COLUMN named TEXT NOT NULL DEFAULT 'hand';  -- or 'machine'
ALTER TABLE cluster ADD COLUMN closed_at TEXT;

CREATE TABLE cluster_event (
    id INTEGER PRIMARY KEY,
    cluster_id TEXT NOT NULL REFERENCES cluster(id) ON DELETE CASCADE,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,                         -- joined, split
    other TEXT NOT NULL,                        -- the other cluster, which may be gone
    label TEXT NOT NULL                         -- what that was called
);
CREATE INDEX cluster_event_cluster ON cluster_event(cluster_id, id);
CREATE TABLE ended_cluster (
    id TEXT PRIMARY KEY,                        -- what it had as a cluster
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    ended_at TEXT NOT NULL,
    joined TEXT,                                -- the cluster that it ended in; NULL: deleted
    data TEXT NOT NULL,                         -- JSON: its columns
    issues TEXT NOT NULL,                       -- JSON: [id, placed] of those that it had
    requests TEXT NOT NULL                      -- JSON array: change requests that answered it
) WITHOUT ROWID;
CREATE INDEX ended_cluster_organization ON ended_cluster(organization_id);
CREATE TABLE suggestion (
    issue_id TEXT PRIMARY KEY REFERENCES issue(id) ON DELETE CASCADE,
    cluster_id TEXT NOT NULL REFERENCES cluster(id) ON DELETE CASCADE,
    similarity REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX suggestion_cluster ON suggestion(cluster_id, similarity, issue_id);
CREATE TABLE clustering (
    organization_id TEXT PRIMARY KEY REFERENCES organization(id) ON DELETE CASCADE,
    state TEXT NOT NULL,                        -- idle, running, unavailable
    message TEXT,
    grouped INTEGER NOT NULL DEFAULT 0,         -- issues when all were last grouped
    taken_at TEXT,                              -- when a process last began to work on it
    taken_by TEXT,
    finished_at TEXT
) WITHOUT ROWID;

-- conversation_search has a row for each conversation, and conversation_words what was said in it;
-- triggers keep both.
CREATE TABLE conversation_search (
    id INTEGER PRIMARY KEY,                     -- the rowid in conversation_words
    organization_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    source TEXT NOT NULL,
    language TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (organization_id, conversation_id),
    FOREIGN KEY (organization_id, conversation_id)
        REFERENCES conversation(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX conversation_search_created
    ON conversation_search(organization_id, created_at, conversation_id);
CREATE INDEX conversation_search_source
    ON conversation_search(organization_id, source, created_at, conversation_id);
CREATE INDEX conversation_search_language
    ON conversation_search(organization_id, language, created_at, conversation_id);
CREATE TABLE conversation_attribute (
    organization_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    search_id INTEGER NOT NULL REFERENCES conversation_search(id) ON DELETE CASCADE,
    PRIMARY KEY (organization_id, name, value, search_id)
) WITHOUT ROWID;
CREATE INDEX conversation_attribute_search ON conversation_attribute(search_id);
CREATE VIRTUAL TABLE conversation_words USING fts5(
    subject, said,                              -- said: the parts, each on lines of its own
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);

CREATE TRIGGER conversation_search_gone AFTER DELETE ON conversation_search
BEGIN
    DELETE FROM conversation_words WHERE rowid = old.id;
END;
CREATE TRIGGER conversation_search_made AFTER INSERT ON conversation_search
BEGIN
    INSERT INTO conversation_words (rowid, subject, said)
        SELECT new.id, c.subject, (
            SELECT group_concat(part.value ->> 'body', char(10)) FROM json_each(c.parts) AS part
        )
        FROM conversation c
        WHERE c.organization_id = new.organization_id AND c.id = new.conversation_id;
    INSERT OR IGNORE INTO conversation_attribute (organization_id, name, value, search_id)
        SELECT new.organization_id, each.key, CAST(each.value AS TEXT), new.id
        FROM conversation c, json_each(c.attributes) AS each
        WHERE c.organization_id = new.organization_id AND c.id = new.conversation_id
        AND each.value IS NOT NULL;
END;
CREATE TRIGGER conversation_made AFTER INSERT ON conversation WHEN new.type = 'ticket'
BEGIN
    INSERT INTO conversation_search (organization_id, conversation_id, source, language, created_at)
        VALUES (new.organization_id, new.id, new.source, new.language, new.created_at);
END;
CREATE TRIGGER conversation_replaced
    AFTER UPDATE OF subject, source, created_at, attributes, parts, type ON conversation
BEGIN
    DELETE FROM conversation_search
        WHERE organization_id = new.organization_id AND conversation_id = new.id;
    INSERT INTO conversation_search (organization_id, conversation_id, source, language, created_at)
        SELECT new.organization_id, new.id, new.source, new.language, new.created_at
        WHERE new.type = 'ticket';
END;

INSERT INTO conversation_search (organization_id, conversation_id, source, language, created_at)
    SELECT organization_id, id, source, language, created_at FROM conversation
    WHERE type = 'ticket' ORDER BY created_at, id;
