-- The tables of a desk as the first version of its schema has them.
--
-- Times are ISO 8601 strings in UTC with microseconds, so that their order as text is their order in
-- time. Columns that hold JSON are named for what they hold and commented so. Content is immutable:
-- rows of blob, page_version and revision are only ever added.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE user (
    id TEXT PRIMARY KEY,
    display_name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    photo_url TEXT,
    created_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE token (
    hash TEXT PRIMARY KEY,            -- SHA-256 of the bearer token, which is never kept
    user_id TEXT NOT NULL REFERENCES user(id),
    label TEXT NOT NULL,
    created_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE organization (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    created_at TEXT NOT NULL,
    email_domains TEXT NOT NULL DEFAULT '[]',   -- JSON array
    hostname TEXT,
    type TEXT NOT NULL DEFAULT 'business',
    use_case TEXT,
    community_type TEXT,
    default_role TEXT,                          -- NULL is guest
    default_content TEXT,                       -- JSON
    logo TEXT,
    sso INTEGER NOT NULL DEFAULT 0,
    ai INTEGER NOT NULL DEFAULT 0,
    invite_links INTEGER NOT NULL DEFAULT 1,
    plan TEXT NOT NULL DEFAULT 'free_2024',
    merge_rules TEXT NOT NULL DEFAULT '{"type":"none"}'  -- JSON
) WITHOUT ROWID;

CREATE TABLE member (
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES user(id),
    role TEXT,                                  -- NULL is guest
    disabled INTEGER NOT NULL DEFAULT 0,
    joined_at TEXT NOT NULL,
    last_seen_at TEXT,
    sso INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, user_id)
) WITHOUT ROWID;
CREATE INDEX member_user ON member(user_id);
CREATE INDEX member_joined ON member(organization_id, joined_at, user_id);

CREATE TABLE team (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX team_organization ON team(organization_id, created_at, id);
CREATE TABLE team_member (
    team_id TEXT NOT NULL REFERENCES team(id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES user(id),
    role TEXT NOT NULL DEFAULT 'member',
    PRIMARY KEY (team_id, user_id)
) WITHOUT ROWID;
CREATE INDEX team_member_user ON team_member(user_id);

CREATE TABLE access_grant (
    container_id TEXT NOT NULL,                 -- a space or a collection
    subject_id TEXT NOT NULL,                   -- a user or a team
    level TEXT NOT NULL,
    PRIMARY KEY (container_id, subject_id)
) WITHOUT ROWID;
CREATE INDEX access_grant_subject ON access_grant(subject_id);

CREATE TABLE collection (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    parent_id TEXT REFERENCES collection(id),
    position REAL NOT NULL,                     -- among siblings, spaces and collections alike
    title TEXT NOT NULL,
    description TEXT,
    default_level TEXT DEFAULT 'inherit',       -- NULL is no access
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX collection_place ON collection(organization_id, parent_id, position, id);

CREATE TABLE space (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    parent_id TEXT REFERENCES collection(id),
    position REAL NOT NULL,
    title TEXT NOT NULL,
    emoji TEXT NOT NULL DEFAULT '',
    visibility TEXT NOT NULL DEFAULT 'private',
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT,
    edit_mode TEXT NOT NULL DEFAULT 'live',
    merge_rules TEXT NOT NULL DEFAULT '{"type":"inherit"}',  -- JSON
    language TEXT,
    default_level TEXT DEFAULT 'inherit',       -- NULL is no access
    git_sync TEXT,                              -- JSON
    visitor_auth TEXT,                          -- JSON
    source TEXT,                                -- JSON: where it was imported from
    revision_id TEXT NOT NULL,
    next_number INTEGER NOT NULL DEFAULT 1,     -- of the next change request
    comments INTEGER NOT NULL DEFAULT 0,        -- open comments on the space itself
    change_requests INTEGER NOT NULL DEFAULT 0,
    change_requests_open INTEGER NOT NULL DEFAULT 0,
    change_requests_draft INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX space_place ON space(organization_id, parent_id, position, id);

CREATE TABLE blob (
    hash TEXT PRIMARY KEY,                      -- SHA-256 of data
    size INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE TABLE page (
    id TEXT PRIMARY KEY,
    space_id TEXT NOT NULL REFERENCES space(id) ON DELETE CASCADE,
    source_key TEXT,                            -- identity in the source it was imported from
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX page_space ON page(space_id, source_key);
CREATE TABLE page_version (
    hash TEXT PRIMARY KEY,                      -- SHA-256 of data
    page_id TEXT NOT NULL,
    data TEXT NOT NULL,                         -- JSON of content.PageData
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE tree (
    hash TEXT PRIMARY KEY,                      -- SHA-256 of data
    data TEXT NOT NULL                          -- JSON of content.Content
) WITHOUT ROWID;
CREATE TABLE revision (
    id TEXT PRIMARY KEY,
    space_id TEXT NOT NULL REFERENCES space(id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    tree_hash TEXT NOT NULL REFERENCES tree(hash),
    parents TEXT NOT NULL,                      -- JSON array of revision ids
    author_id TEXT,
    git TEXT,                                   -- JSON
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX revision_space ON revision(space_id, created_at);

CREATE TABLE change_request (
    id TEXT PRIMARY KEY,
    space_id TEXT NOT NULL REFERENCES space(id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    status TEXT NOT NULL,
    subject TEXT NOT NULL DEFAULT '',
    description TEXT,                           -- JSON Document
    created_by TEXT NOT NULL REFERENCES user(id),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    revision_id TEXT NOT NULL,
    revision_initial TEXT NOT NULL,
    revision_merged_ancestor TEXT,
    revision_merged TEXT,
    merged_at TEXT,
    cluster_id TEXT,
    comments INTEGER NOT NULL DEFAULT 0,        -- open comments
    UNIQUE (space_id, number)
) WITHOUT ROWID;
CREATE INDEX change_request_space ON change_request(space_id, status, updated_at, id);
CREATE INDEX change_request_organization
    ON change_request(organization_id, status, updated_at, id, space_id);
CREATE INDEX change_request_creator
    ON change_request(created_by, organization_id, status, updated_at, id, space_id);
CREATE INDEX change_request_cluster
    ON change_request(cluster_id, organization_id, status, updated_at, id, space_id)
    WHERE cluster_id IS NOT NULL;
CREATE TABLE contributor (
    change_request_id TEXT NOT NULL REFERENCES change_request(id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES user(id),
    PRIMARY KEY (change_request_id, user_id)
) WITHOUT ROWID;
CREATE INDEX contributor_user ON contributor(user_id);
CREATE TABLE requested_reviewer (
    change_request_id TEXT NOT NULL REFERENCES change_request(id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES user(id),
    requested_by TEXT NOT NULL REFERENCES user(id),
    created_at TEXT NOT NULL,
    PRIMARY KEY (change_request_id, user_id)
) WITHOUT ROWID;
CREATE INDEX requested_reviewer_user ON requested_reviewer(user_id);
CREATE TABLE review (
    id TEXT PRIMARY KEY,
    change_request_id TEXT NOT NULL REFERENCES change_request(id) ON DELETE CASCADE,
    revision_id TEXT NOT NULL,
    reviewer TEXT NOT NULL REFERENCES user(id),
    status TEXT NOT NULL,
    comment TEXT,
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX review_change_request ON review(change_request_id, created_at, id);

CREATE TABLE comment (
    id TEXT PRIMARY KEY,
    space_id TEXT NOT NULL REFERENCES space(id) ON DELETE CASCADE,
    change_request_id TEXT REFERENCES change_request(id) ON DELETE CASCADE,
    revision_id TEXT NOT NULL,
    page_id TEXT,
    node_id TEXT,
    table_cell TEXT,                            -- JSON
    review_id TEXT,
    body TEXT NOT NULL,                         -- Markdown
    posted_by TEXT NOT NULL REFERENCES user(id),
    posted_at TEXT NOT NULL,
    edited_at TEXT,
    status TEXT NOT NULL DEFAULT 'open',
    resolved_at TEXT,
    resolved_by TEXT REFERENCES user(id),
    replies INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX comment_change_request ON comment(change_request_id, posted_at, id)
    WHERE change_request_id IS NOT NULL;
CREATE INDEX comment_space ON comment(space_id, posted_at, id) WHERE change_request_id IS NULL;
CREATE TABLE reply (
    id TEXT PRIMARY KEY,
    comment_id TEXT NOT NULL REFERENCES comment(id) ON DELETE CASCADE,
    body TEXT NOT NULL,
    posted_by TEXT NOT NULL REFERENCES user(id),
    posted_at TEXT NOT NULL,
    edited_at TEXT
) WITHOUT ROWID;
CREATE INDEX reply_comment ON reply(comment_id, posted_at, id);
CREATE TABLE reaction (
    target_id TEXT NOT NULL,                    -- a comment or a reply
    emoji TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES user(id),
    reacted_at TEXT NOT NULL,
    PRIMARY KEY (target_id, emoji, user_id)
) WITHOUT ROWID;

CREATE TABLE site (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    type TEXT NOT NULL DEFAULT 'basic',
    title TEXT NOT NULL,
    icon TEXT,                                  -- JSON
    hostname TEXT,
    basename TEXT,
    proxy TEXT,
    visibility TEXT NOT NULL DEFAULT 'public',
    published INTEGER NOT NULL DEFAULT 0,
    adaptive_content INTEGER NOT NULL DEFAULT 0,
    adaptive_schema TEXT,                       -- JSON
    adaptive_schema_updated_at TEXT,
    ads TEXT,                                   -- JSON
    agents_context TEXT NOT NULL DEFAULT 'included',
    default_section_id TEXT,
    default_site_space_id TEXT,                 -- of a site without sections
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX site_organization ON site(organization_id, created_at, id);
CREATE TABLE section_group (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES site(id) ON DELETE CASCADE,
    title TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE site_section (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES site(id) ON DELETE CASCADE,
    position REAL NOT NULL,
    group_id TEXT REFERENCES section_group(id),
    title TEXT NOT NULL,
    description TEXT,
    path TEXT NOT NULL,
    condition TEXT,
    icon TEXT,
    default_site_space_id TEXT
) WITHOUT ROWID;
CREATE INDEX site_section_place ON site_section(site_id, position, id);
CREATE TABLE site_space (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES site(id) ON DELETE CASCADE,
    section_id TEXT REFERENCES site_section(id) ON DELETE CASCADE,
    space_id TEXT NOT NULL REFERENCES space(id),
    position REAL NOT NULL,
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    condition TEXT,
    hidden INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX site_space_place ON site_space(site_id, section_id, position, id);
CREATE INDEX site_space_space ON site_space(space_id);
CREATE TABLE share_link (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES site(id) ON DELETE CASCADE,
    name TEXT,
    key TEXT NOT NULL,
    active INTEGER NOT NULL DEFAULT 1,
    created_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE cluster (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    icon TEXT,
    summary TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    issues INTEGER NOT NULL DEFAULT 0,
    conversations INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX cluster_updated ON cluster(organization_id, updated_at, id);
CREATE INDEX cluster_issues ON cluster(organization_id, issues, id);
CREATE INDEX cluster_conversations ON cluster(organization_id, conversations, id);
CREATE TABLE conversation (
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    subject TEXT NOT NULL DEFAULT '',
    source TEXT NOT NULL,
    source_url TEXT,
    created_at TEXT NOT NULL,
    processed_at TEXT NOT NULL,
    attributes TEXT NOT NULL DEFAULT '{}',      -- JSON
    parts TEXT NOT NULL,                        -- JSON array
    PRIMARY KEY (organization_id, id)
) WITHOUT ROWID;
CREATE INDEX conversation_created ON conversation(organization_id, created_at, id);
CREATE TABLE issue (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL,
    cluster_id TEXT REFERENCES cluster(id) ON DELETE SET NULL,
    title TEXT NOT NULL,
    summary TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    ingested_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX issue_cluster ON issue(cluster_id, created_at, id);
CREATE INDEX issue_organization ON issue(organization_id, created_at, id);
CREATE INDEX issue_conversation ON issue(organization_id, conversation_id);
