-- The issues of one conversation in their order, found without reading those of all others.

DROP INDEX issue_conversation;
CREATE INDEX issue_conversation ON issue(organization_id, conversation_id, created_at, id);
