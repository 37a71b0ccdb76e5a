-- What invite links give: a role in the organization, or a level in a space or a collection. Those
-- that were there gave what whoever joins gets.

ALTER TABLE invite_link ADD COLUMN role TEXT;
ALTER TABLE invite_link ADD COLUMN space_id TEXT REFERENCES space(id) ON DELETE CASCADE;
ALTER TABLE invite_link ADD COLUMN collection_id TEXT REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE invite_link ADD COLUMN created_at TEXT NOT NULL DEFAULT '';
UPDATE invite_link SET role =
    (SELECT default_role FROM organization WHERE organization.id = organization_id);
