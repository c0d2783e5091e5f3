-- What a keyed creation was asked for, so that a repeat with another body can be told so. Unknown, and null, for what was
-- made before this, and for what came by an import.
alter table ticket_creations add column body_sha256 text;
alter table part_creations add column body_sha256 text;
