-- What is in the trash, found without reading every space: each list leaves it out.

CREATE INDEX space_deleted ON space(organization_id) WHERE deleted_at IS NOT NULL;
