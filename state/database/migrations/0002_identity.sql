-- +goose Up
CREATE TABLE users (
    id      TEXT PRIMARY KEY,
    created BIGINT NOT NULL           -- microseconds since 1970
);
CREATE INDEX users_by_age ON users (created, id);

CREATE TABLE installs (
    id               TEXT PRIMARY KEY,
    user_id          TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash       TEXT NOT NULL UNIQUE, -- SHA-256 of the token, in lower-case hex
    operating_system TEXT NOT NULL,        -- as the client says; empty for unknown
    created          BIGINT NOT NULL,
    last_seen        BIGINT NOT NULL,      -- 0 for never
    revoked          BIGINT NOT NULL       -- 0 for not
);
CREATE INDEX installs_by_age ON installs (created, id);
CREATE INDEX installs_by_user ON installs (user_id, created, id);

-- +goose Down
DROP TABLE installs;
DROP TABLE users;
