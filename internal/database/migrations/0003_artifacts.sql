-- +goose Up
CREATE TABLE artifacts (
    id      TEXT PRIMARY KEY,
    owner   TEXT NOT NULL,
    created BIGINT NOT NULL,          -- microseconds since 1970
    expires BIGINT NOT NULL           -- 0 for never
);
CREATE INDEX artifacts_by_expiry ON artifacts (expires);

-- +goose Down
DROP TABLE artifacts;
