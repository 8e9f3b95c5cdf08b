-- +goose Up
ALTER TABLE artifacts ADD COLUMN size BIGINT NOT NULL DEFAULT 0; -- of the bytes; 0 for those stored before there was a size
ALTER TABLE artifacts ADD COLUMN kept BOOLEAN NOT NULL DEFAULT FALSE; -- it does not expire
CREATE INDEX artifacts_by_owner ON artifacts (owner, created, id);

CREATE TABLE erasures (
    user_id TEXT PRIMARY KEY,         -- whose data are being erased
    began   BIGINT NOT NULL,          -- microseconds since 1970
    removed TEXT NOT NULL             -- JSON: how much so far, by kind
);

-- +goose Down
DROP TABLE erasures;
DROP INDEX artifacts_by_owner;
ALTER TABLE artifacts DROP COLUMN kept;
ALTER TABLE artifacts DROP COLUMN size;
