-- +goose Up
-- Sign-ins of users to MCP servers of others, from their beginning to their end.
CREATE TABLE upstream_sign_ins (
    state_hash TEXT PRIMARY KEY,        -- SHA-256 of the state, in lower-case hex
    user_id    TEXT NOT NULL,
    visit_id   TEXT NOT NULL,           -- browser in which it began
    server     TEXT NOT NULL,
    sealed     TEXT NOT NULL,           -- encrypted: verifier, issuer and client
    expires    BIGINT NOT NULL          -- microseconds since 1970
);
CREATE INDEX upstream_sign_ins_by_user ON upstream_sign_ins (user_id, expires);
CREATE INDEX upstream_sign_ins_by_end ON upstream_sign_ins (expires);

CREATE TABLE upstream_connections (
    user_id TEXT NOT NULL,
    server  TEXT NOT NULL,
    id      TEXT NOT NULL UNIQUE,       -- each sign-in has another one
    issuer  TEXT NOT NULL,
    scopes  TEXT NOT NULL,              -- separated by spaces
    sealed  TEXT NOT NULL,              -- encrypted: tokens, client, and where they are valid
    created BIGINT NOT NULL,            -- microseconds since 1970
    expires BIGINT NOT NULL,            -- end of the access token; 0 for unknown
    version BIGINT NOT NULL,            -- number of refreshes
    leased  BIGINT NOT NULL,            -- until when one gateway may refresh; 0 for nobody
    refused BIGINT NOT NULL,            -- not 0 if the user must sign in again
    PRIMARY KEY (user_id, server)
);

-- +goose Down
DROP TABLE upstream_connections;
DROP TABLE upstream_sign_ins;
