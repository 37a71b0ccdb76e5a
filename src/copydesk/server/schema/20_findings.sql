-- What is found out about sites, and what people ask of them.
--
-- Issues with the same title ask the same question; question keeps their numbers. finding has what
-- copydesk.server.findings makes of clusters and broken links, and what people say of that;
-- site_scan says from which state of the site's content and clusters it was made. The context
-- records of a site are the conversations of its organization, and documents beside them.

ALTER TABLE conversation ADD COLUMN type TEXT NOT NULL DEFAULT 'ticket';
ALTER TABLE conversation ADD COLUMN description TEXT;
DROP INDEX conversation_created;
CREATE INDEX conversation_created ON conversation(organization_id, created_at, id, type);
ALTER TABLE conversation ADD COLUMN answered TEXT AS (
    CASE
        WHEN NOT instr(parts, '"role":"assistant"') AND NOT instr(parts, '"role":"team-member"') THEN 'no'
        -- Whoever writes again after an answer needed more than that.
        WHEN instr(substr(parts, min(
            coalesce(nullif(instr(parts, '"role":"assistant"'), 0), length(parts)),
            coalesce(nullif(instr(parts, '"role":"team-member"'), 0), length(parts))
        )), '"role":"user"') THEN 'partially'
        ELSE 'yes'
    END
);
ALTER TABLE conversation ADD COLUMN channel TEXT AS (
    CASE WHEN source IN ('slack', 'discord', 'github', 'linear') THEN 'builtin:' || source ELSE 'api' END
);
ALTER TABLE conversation ADD COLUMN connector TEXT AS (
    CASE
        WHEN source IN (
            'email', 'website', 'youtube', 'github-discussions', 'github-issues', 'intercom', 'front',
            'zendesk', 'zoho-desk', 'freshdesk', 'pylon', 'hubspot', 'linear', 'jira'
        ) THEN 'builtin:' || source
        WHEN source GLOB 'integration:[^:]*' THEN 'integration:' || substr(
            source, 13, instr(substr(source, 13) || ':', ':') - 1
        )
        ELSE 'builtin:api'
    END
);
ALTER TABLE conversation ADD COLUMN language TEXT AS (
    coalesce(CAST(json_extract(attributes, '$.language') AS TEXT), 'und')
);

CREATE TABLE question (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    words TEXT NOT NULL,                        -- the title whatever its case
    title TEXT NOT NULL,
    created_at TEXT NOT NULL,
    asked_at TEXT NOT NULL,                     -- the last time
    answers INTEGER NOT NULL,                   -- how often it was asked
    answered INTEGER NOT NULL,                  -- how often that was answered
    type TEXT AS (
        CASE
            WHEN words GLOB 'how *' OR words LIKE '%how do %' OR words LIKE '%how to %' THEN 'how-to'
            WHEN words GLOB '*[45][0-9][0-9]*' OR words LIKE '%error%' OR words LIKE '%fail%'
                OR words LIKE '%not %' OR words LIKE '%stop%' OR words LIKE '%cannot%' THEN 'troubleshooting'
            WHEN words GLOB 'what *' OR words GLOB 'which *' OR words GLOB 'where *' THEN 'reference'
            WHEN words GLOB 'can *' OR words GLOB 'is there *' OR words GLOB 'does *' THEN 'exploring'
            ELSE 'unknown'
        END
    ),
    UNIQUE (organization_id, words)
) WITHOUT ROWID;
CREATE INDEX question_asked ON question(organization_id, asked_at, id);
CREATE INDEX question_answers ON question(organization_id, answers, id);
CREATE INDEX question_answered ON question(organization_id, answered, id);

ALTER TABLE issue ADD COLUMN question_id TEXT;
ALTER TABLE issue ADD COLUMN answered TEXT NOT NULL DEFAULT 'no';
ALTER TABLE issue ADD COLUMN channel TEXT NOT NULL DEFAULT 'api';
ALTER TABLE issue ADD COLUMN language TEXT NOT NULL DEFAULT 'und';
UPDATE issue SET (answered, channel, language) = (
    SELECT answered, channel, language FROM conversation c
    WHERE c.organization_id = issue.organization_id AND c.id = issue.conversation_id
) WHERE EXISTS (
    SELECT 1 FROM conversation c
    WHERE c.organization_id = issue.organization_id AND c.id = issue.conversation_id
);
INSERT INTO question (id, organization_id, words, title, created_at, asked_at, answers, answered)
    SELECT id, organization_id, casefold(title), title, min(created_at), max(created_at), count(*),
        sum(answered = 'yes')
    FROM (SELECT * FROM issue ORDER BY created_at, id) GROUP BY organization_id, casefold(title);
UPDATE issue SET question_id = (
    SELECT q.id FROM question q
    WHERE q.organization_id = issue.organization_id AND q.words = casefold(issue.title)
);
CREATE INDEX issue_question ON issue(question_id, created_at, id);

CREATE TABLE site_scan (
    site_id TEXT PRIMARY KEY REFERENCES site(id) ON DELETE CASCADE,
    state TEXT NOT NULL,                        -- of what was looked at
    complete INTEGER NOT NULL                   -- whether every text has been read
) WITHOUT ROWID;
CREATE TABLE text_link (
    hash TEXT PRIMARY KEY,                      -- of the text, in blob
    urls TEXT NOT NULL                          -- JSON array: where it leads
) WITHOUT ROWID;
CREATE TABLE finding (
    id TEXT PRIMARY KEY,                        -- made of the site and the cluster or broken link
    site_id TEXT NOT NULL REFERENCES site(id) ON DELETE CASCADE,
    cluster_id TEXT REFERENCES cluster(id) ON DELETE CASCADE,
    space_id TEXT REFERENCES space(id) ON DELETE CASCADE,  -- with the broken link
    target TEXT,                                -- where that leads
    title TEXT NOT NULL,
    type TEXT NOT NULL,
    severity INTEGER NOT NULL,                  -- 0 is low
    status TEXT NOT NULL,
    decided INTEGER NOT NULL DEFAULT 0,         -- whether a person gave it its status
    gone INTEGER NOT NULL DEFAULT 0,            -- whether it was not found any more
    pages INTEGER NOT NULL,                     -- that it is about
    records INTEGER NOT NULL,
    questions INTEGER NOT NULL,
    sources INTEGER NOT NULL,                   -- records, or pages with the link
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX finding_updated ON finding(site_id, updated_at, id);
CREATE INDEX finding_severity ON finding(site_id, severity, id);
CREATE INDEX finding_sources ON finding(site_id, sources, id);
CREATE INDEX finding_cluster ON finding(cluster_id, site_id);
CREATE INDEX finding_space ON finding(space_id);
CREATE TABLE finding_page (
    finding_id TEXT NOT NULL REFERENCES finding(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    space_id TEXT NOT NULL REFERENCES space(id) ON DELETE CASCADE,
    page_id TEXT NOT NULL,
    PRIMARY KEY (finding_id, position)
) WITHOUT ROWID;
CREATE INDEX finding_page_space ON finding_page(space_id);
CREATE TABLE finding_request (
    change_request_id TEXT PRIMARY KEY REFERENCES change_request(id) ON DELETE CASCADE,
    finding_id TEXT NOT NULL REFERENCES finding(id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX finding_request_finding ON finding_request(finding_id);
CREATE TABLE topic_usage (
    site_id TEXT NOT NULL REFERENCES site(id) ON DELETE CASCADE,
    cluster_id TEXT NOT NULL REFERENCES cluster(id) ON DELETE CASCADE,
    change_requests INTEGER NOT NULL,
    PRIMARY KEY (site_id, cluster_id)
) WITHOUT ROWID;
