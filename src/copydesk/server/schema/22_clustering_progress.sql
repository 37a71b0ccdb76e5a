-- How many of the issues that wait were looked at by the process that groups them.

ALTER TABLE clustering ADD COLUMN looked INTEGER NOT NULL DEFAULT 0;
