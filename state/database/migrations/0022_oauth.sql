-- +goose Up
CREATE TABLE oauth_clients (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL,        -- as the client says
    redirect_uris TEXT NOT NULL,        -- a JSON list
    created       BIGINT NOT NULL,      -- microseconds since 1970
    expires       BIGINT NOT NULL       -- a grant extends it
);
CREATE INDEX oauth_clients_by_end ON oauth_clients (expires);

CREATE TABLE oauth_grants (
    install_id TEXT PRIMARY KEY REFERENCES installs (id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL,
    parent_id  TEXT NOT NULL,           -- install whose token signed the person in; else empty
    client_id  TEXT NOT NULL,
    client     TEXT NOT NULL,           -- the client's name
    redirect   TEXT NOT NULL,           -- the URI that got the code
    resource   TEXT NOT NULL,
    scopes     TEXT NOT NULL,           -- separated by spaces
    created    BIGINT NOT NULL,
    expires    BIGINT NOT NULL
);
CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id, created, install_id);
CREATE INDEX oauth_grants_by_parent ON oauth_grants (parent_id);
CREATE INDEX oauth_grants_by_end ON oauth_grants (expires);

CREATE TABLE oauth_codes (
    code_hash  TEXT PRIMARY KEY,        -- SHA-256 of the code, in lower-case hex
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    parent_id  TEXT NOT NULL,
    client_id  TEXT NOT NULL,
    client     TEXT NOT NULL,
    redirect   TEXT NOT NULL,
    challenge  TEXT NOT NULL,           -- of PKCE, S256
    resource   TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    expires    BIGINT NOT NULL,
    install_id TEXT NOT NULL            -- the grant that the code began; empty for an unused code
);
CREATE INDEX oauth_codes_by_user ON oauth_codes (user_id);
CREATE INDEX oauth_codes_by_end ON oauth_codes (expires);

CREATE TABLE oauth_tokens (
    token_hash TEXT PRIMARY KEY,        -- SHA-256 of the token, in lower-case hex
    install_id TEXT NOT NULL REFERENCES oauth_grants (install_id) ON DELETE CASCADE,
    kind       TEXT NOT NULL,           -- access or refresh
    scopes     TEXT NOT NULL,
    expires    BIGINT NOT NULL,
    used       BIGINT NOT NULL          -- when a refresh token was exchanged; 0 for not
);
CREATE INDEX oauth_tokens_by_grant ON oauth_tokens (install_id);
CREATE INDEX oauth_tokens_by_end ON oauth_tokens (expires);

-- +goose Down
DROP TABLE oauth_tokens;
DROP TABLE oauth_codes;
DROP TABLE oauth_grants;
DROP TABLE oauth_clients;
