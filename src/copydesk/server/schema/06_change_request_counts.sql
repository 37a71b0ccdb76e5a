-- Counts kept for every status, so that no page of a long list counts all of it.

ALTER TABLE space ADD COLUMN change_requests_archived INTEGER NOT NULL DEFAULT 0;
ALTER TABLE space ADD COLUMN change_requests_merged INTEGER NOT NULL DEFAULT 0;
UPDATE space SET
    change_requests_archived = (
        SELECT count(*) FROM change_request WHERE space_id = space.id AND status = 'archived'
    ),
    change_requests_merged = (
        SELECT count(*) FROM change_request WHERE space_id = space.id AND status = 'merged'
    );
