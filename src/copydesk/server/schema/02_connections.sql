-- What an organization connects: single sign-on, integrations, its agent, invite links.

CREATE TABLE invite_link (
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    PRIMARY KEY (organization_id, id)
) WITHOUT ROWID;

CREATE TABLE saml_provider (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    sso_url TEXT,
    entity_id TEXT,
    certificate TEXT,
    default_team TEXT REFERENCES team(id) ON DELETE SET NULL,
    default_role TEXT,                          -- NULL is guest
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX saml_provider_organization ON saml_provider(organization_id, created_at, id);
CREATE INDEX saml_provider_team ON saml_provider(default_team);

CREATE TABLE agent_instructions (
    organization_id TEXT PRIMARY KEY REFERENCES organization(id) ON DELETE CASCADE,
    instructions TEXT NOT NULL,                 -- JSON
    updated_at TEXT NOT NULL,
    updated_by TEXT NOT NULL REFERENCES user(id)
) WITHOUT ROWID;

CREATE TABLE integration (
    id TEXT PRIMARY KEY,                        -- its name, as it stands in paths
    owner TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    version INTEGER NOT NULL DEFAULT 0,
    title TEXT NOT NULL,
    description TEXT,
    summary TEXT,                               -- Markdown
    icon TEXT,                                  -- a data: URI
    preview_images TEXT NOT NULL DEFAULT '[]',  -- JSON array of data: URIs
    target TEXT NOT NULL DEFAULT 'all',
    verified INTEGER NOT NULL DEFAULT 0,
    visibility TEXT NOT NULL DEFAULT 'private',
    scopes TEXT NOT NULL DEFAULT '[]',          -- JSON array
    categories TEXT NOT NULL DEFAULT '[]',      -- JSON array
    blocks TEXT,                                -- JSON array
    block_domains TEXT NOT NULL DEFAULT '[]',   -- JSON array: the hosts that blocks unfurl
    content_sources TEXT,                       -- JSON array
    configurations TEXT,                        -- JSON
    external_links TEXT NOT NULL DEFAULT '[]',  -- JSON array
    content_security_policy TEXT,
    runtime TEXT NOT NULL DEFAULT 'v1',
    script TEXT,
    secrets TEXT NOT NULL DEFAULT '[]',         -- JSON array of names; values are never kept
    tunnel_url TEXT,                            -- of development mode
    tunnel_all INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX integration_owner ON integration(owner);
CREATE TABLE installation (
    id TEXT PRIMARY KEY,
    integration_id TEXT NOT NULL REFERENCES integration(id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL REFERENCES organization(id) ON DELETE CASCADE,
    status TEXT NOT NULL DEFAULT 'active',
    space_selection TEXT NOT NULL DEFAULT 'all',  -- or selected: has a row each
    site_selection TEXT NOT NULL DEFAULT 'all',
    configuration TEXT NOT NULL,                -- JSON
    external_ids TEXT NOT NULL DEFAULT '[]',    -- JSON array
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (integration_id, organization_id)
) WITHOUT ROWID;
CREATE INDEX installation_organization ON installation(organization_id);
CREATE TABLE space_installation (
    installation_id TEXT NOT NULL REFERENCES installation(id) ON DELETE CASCADE,
    space_id TEXT NOT NULL REFERENCES space(id) ON DELETE CASCADE,
    configuration TEXT NOT NULL DEFAULT '{}',   -- JSON
    external_ids TEXT NOT NULL DEFAULT '[]',    -- JSON array
    PRIMARY KEY (installation_id, space_id)
) WITHOUT ROWID;
CREATE INDEX space_installation_space ON space_installation(space_id);
CREATE TABLE site_installation (
    installation_id TEXT NOT NULL REFERENCES installation(id) ON DELETE CASCADE,
    site_id TEXT NOT NULL REFERENCES site(id) ON DELETE CASCADE,
    configuration TEXT NOT NULL DEFAULT '{}',   -- JSON
    external_ids TEXT NOT NULL DEFAULT '[]',    -- JSON array
    PRIMARY KEY (installation_id, site_id)
) WITHOUT ROWID;
CREATE INDEX site_installation_site ON site_installation(site_id);
CREATE TABLE integration_event (
    id TEXT PRIMARY KEY,
    integration_id TEXT NOT NULL REFERENCES integration(id) ON DELETE CASCADE,
    installation_id TEXT NOT NULL REFERENCES installation(id) ON DELETE CASCADE,
    created_at TEXT NOT NULL,
    payload TEXT NOT NULL,                      -- JSON
    status TEXT NOT NULL,
    logs TEXT NOT NULL                          -- JSON array
) WITHOUT ROWID;
CREATE INDEX integration_event_created ON integration_event(integration_id, created_at, id);
CREATE INDEX integration_event_installation ON integration_event(installation_id);
