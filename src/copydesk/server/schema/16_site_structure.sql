-- The structure of a site as one: groups have a place, links to elsewhere stand among the sections.
-- All of these have one order in their site, in which a group stands right before what is in it.

ALTER TABLE section_group ADD COLUMN position REAL NOT NULL DEFAULT 0;
ALTER TABLE section_group ADD COLUMN parent_id TEXT REFERENCES section_group(id);
ALTER TABLE section_group ADD COLUMN localized_title TEXT;
ALTER TABLE section_group ADD COLUMN icon TEXT;
ALTER TABLE section_group ADD COLUMN draft INTEGER NOT NULL DEFAULT 0;
ALTER TABLE site_space ADD COLUMN draft INTEGER NOT NULL DEFAULT 0;
CREATE TABLE site_link (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES site(id) ON DELETE CASCADE,
    position REAL NOT NULL,
    group_id TEXT REFERENCES section_group(id),
    title TEXT NOT NULL,
    localized_title TEXT,
    description TEXT,
    localized_description TEXT,
    icon TEXT,
    url TEXT NOT NULL,
    draft INTEGER NOT NULL DEFAULT 0,
    condition TEXT
) WITHOUT ROWID;
CREATE INDEX site_link_place ON site_link(site_id, position, id);
CREATE INDEX section_group_place ON section_group(site_id, position, id);
CREATE VIEW site_entry AS
    SELECT 'site-section' AS kind, id, site_id, position, group_id AS parent_id FROM site_section
    UNION ALL
    SELECT 'site-section-group', id, site_id, position, parent_id FROM section_group
    UNION ALL
    SELECT 'site-external-link', id, site_id, position, group_id FROM site_link;
CREATE TABLE entry_order AS
    WITH lead AS (
        SELECT group_id, min(position) AS position FROM site_section
        WHERE group_id IS NOT NULL GROUP BY group_id
    ), entry AS (
        SELECT s.site_id, s.id, coalesce(lead.position, s.position) AS lead_at,
            coalesce(s.group_id, '') AS around, 1 AS below, s.position
        FROM site_section s LEFT JOIN lead ON lead.group_id = s.group_id
        UNION ALL
        SELECT g.site_id, g.id, coalesce(lead.position, 9e9), g.id, 0, 0.0
        FROM section_group g LEFT JOIN lead ON lead.group_id = g.id
    )
    SELECT id, row_number() OVER (PARTITION BY site_id ORDER BY lead_at, around, below, position, id) AS place
    FROM entry;
CREATE INDEX entry_order_id ON entry_order(id);
UPDATE site_section SET position = (SELECT place FROM entry_order o WHERE o.id = site_section.id);
UPDATE section_group SET position = (SELECT place FROM entry_order o WHERE o.id = section_group.id);
DROP TABLE entry_order;
