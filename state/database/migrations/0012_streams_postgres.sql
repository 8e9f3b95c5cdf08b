-- +goose Up
-- Streams are listed by the beginnings of their names, in the order of bytes.
ALTER TABLE streams ALTER COLUMN name TYPE TEXT COLLATE "C";

-- Leases that were given back have no rows any longer.
DELETE FROM leases WHERE owner = '';

-- +goose Down
ALTER TABLE streams ALTER COLUMN name TYPE TEXT COLLATE "default";
