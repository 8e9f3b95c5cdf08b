-- +goose Up
CREATE TABLE artifacts (
    id      TEXT PRIMARY KEY,
    owner   TEXT NOT NULL,            -- empty: everybody's
    created BIGINT NOT NULL,          -- microseconds since 1970
    stored  BOOLEAN NOT NULL,         -- false while its bytes are on their way
    expires BIGINT NOT NULL,          -- 0 for never; before it is stored, when whoever puts it is taken for dead
    missing BIGINT NOT NULL           -- since when its bytes are not where they were, 0 while they are
);
CREATE INDEX artifacts_by_expiry ON artifacts (expires, id);

-- +goose Down
DROP TABLE artifacts;
