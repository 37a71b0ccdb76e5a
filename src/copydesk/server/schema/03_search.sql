-- The full-text index over primary content, filled with the primary content that is there.
--
-- search_page says which pages are indexed, in which version and where they stand; search is the index
-- itself, with a row of the same number for each. copydesk.server.search_index keeps both.

CREATE TABLE search_page (
    id INTEGER PRIMARY KEY,                     -- the rowid in search
    space_id TEXT NOT NULL REFERENCES space(id) ON DELETE CASCADE,
    page_id TEXT NOT NULL,
    version TEXT NOT NULL,                      -- page_version.hash
    path TEXT NOT NULL,
    ancestors TEXT NOT NULL,                    -- JSON array of the titles above, from the top
    UNIQUE (space_id, page_id)
);
-- Marks belong to the letters that carry them: Hindi and Thai are not cut inside of words.
CREATE VIRTUAL TABLE search USING fts5(
    space, title, description, body,
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);
CREATE TRIGGER search_page_gone AFTER DELETE ON search_page
BEGIN
    DELETE FROM search WHERE rowid = old.id;
END;

INSERT INTO search_page (space_id, page_id, version, path, ancestors)
WITH RECURSIVE placed (space_id, page_id, version, data, path, titles, children, place) AS (
    SELECT s.id, json_extract(node.value, '$[0]'), v.hash, v.data,
           json_extract(v.data, '$.slug'), json_array(json_extract(v.data, '$.title')),
           json_extract(node.value, '$[2]'), printf('%08d', node.key)
    FROM space s
    JOIN revision r ON r.id = s.revision_id
    JOIN tree t ON t.hash = r.tree_hash
    JOIN json_each(t.data, '$.pages') AS node
    JOIN page_version v ON v.hash = json_extract(node.value, '$[1]')
    UNION ALL
    SELECT p.space_id, json_extract(node.value, '$[0]'), v.hash, v.data,
           p.path || '/' || json_extract(v.data, '$.slug'),
           json_insert(p.titles, '$[#]', json_extract(v.data, '$.title')),
           json_extract(node.value, '$[2]'), p.place || printf('.%08d', node.key)
    FROM placed p
    JOIN json_each(p.children) AS node
    JOIN page_version v ON v.hash = json_extract(node.value, '$[1]')
)
SELECT space_id, page_id, version, path, json_remove(titles, '$[#-1]')
FROM placed WHERE json_extract(data, '$.type') <> 'group' ORDER BY space_id, place;

INSERT INTO search (rowid, space, title, description, body)
SELECT s.id, s.space_id, json_extract(v.data, '$.title'),
       coalesce(json_extract(v.data, '$.description'), ''), coalesce(CAST(b.data AS TEXT), '')
FROM search_page s
JOIN page_version v ON v.hash = s.version
LEFT JOIN blob b ON b.hash = json_extract(v.data, '$.text');
