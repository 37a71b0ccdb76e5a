-- Which space names which stored bytes: what a space that is removed for good leaves to others is
-- found without reading all of them.

CREATE TABLE blob_name (
    hash TEXT NOT NULL,                         -- of a blob: a text of a page, or a file
    space_id TEXT NOT NULL REFERENCES space(id) ON DELETE CASCADE,
    PRIMARY KEY (hash, space_id)
) WITHOUT ROWID;
CREATE INDEX blob_name_space ON blob_name(space_id);
INSERT OR IGNORE INTO blob_name
    SELECT CASE WHEN json_valid(v.data) THEN json_extract(v.data, '$.text') END, page.space_id
    FROM page_version v JOIN page ON page.id = v.page_id;
INSERT OR IGNORE INTO blob_name
    SELECT json_extract(file.value, '$.blob'), named.space_id
    FROM (SELECT DISTINCT space_id, tree_hash FROM revision) named
    JOIN tree ON tree.hash = named.tree_hash
    JOIN json_each(CASE WHEN json_valid(tree.data) THEN tree.data ELSE '{}' END, '$.files')
        AS file;
CREATE INDEX page_version_page ON page_version(page_id);
