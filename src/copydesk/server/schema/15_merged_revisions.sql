-- The change request that a revision merged, found without reading all that were merged.

CREATE INDEX change_request_merged ON change_request(revision_merged)
    WHERE revision_merged IS NOT NULL;
