-- +goose Up
-- The index is made anew from the files. Its words have other forms, in the table as it is.
DELETE FROM memory_terms;
DELETE FROM memory_chunks;
DELETE FROM memory_files;
UPDATE memory_users SET generation = generation + 1;

-- +goose Down
DELETE FROM memory_terms;
DELETE FROM memory_chunks;
DELETE FROM memory_files;
