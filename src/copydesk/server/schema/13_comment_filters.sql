-- What comments are filtered by stands in their order's indexes: a long discussion is counted, and a
-- page of it found, without reading every comment in it.

DROP INDEX comment_change_request;
CREATE INDEX comment_change_request
    ON comment(change_request_id, posted_at, id, status, posted_by, page_id)
    WHERE change_request_id IS NOT NULL;
DROP INDEX comment_space;
CREATE INDEX comment_space
    ON comment(space_id, posted_at, id, status, posted_by, page_id, change_request_id)
    WHERE change_request_id IS NULL;
DROP INDEX reply_comment;
CREATE INDEX reply_comment ON reply(comment_id, posted_at, id, posted_by);
