-- +goose Up
CREATE TABLE mcp_sessions (
    id_hash    TEXT PRIMARY KEY,      -- SHA-256 of the session's id, in lower-case hex
    user_id    TEXT NOT NULL,
    install_id TEXT NOT NULL,         -- by whose token it began; empty in local mode
    start      TEXT NOT NULL,         -- the client's message that began it, as JSON
    created    BIGINT NOT NULL,       -- microseconds since 1970
    expires    BIGINT NOT NULL
);
CREATE INDEX mcp_sessions_by_user ON mcp_sessions (user_id, created, id_hash);
CREATE INDEX mcp_sessions_by_end ON mcp_sessions (expires);

-- +goose Down
DROP TABLE mcp_sessions;
