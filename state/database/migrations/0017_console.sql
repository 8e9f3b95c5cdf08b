-- +goose Up
CREATE TABLE console_codes (
    code_hash TEXT PRIMARY KEY,       -- SHA-256 of the code of a link, in lower-case hex
    expires   BIGINT NOT NULL         -- microseconds since 1970
);

CREATE TABLE console_visits (
    id         TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,  -- SHA-256 of the cookie, in lower-case hex
    kind       TEXT NOT NULL,         -- person, operator or install
    user_id    TEXT NOT NULL,         -- of an install; else empty
    install_id TEXT NOT NULL,         -- likewise
    proof      TEXT NOT NULL,         -- SHA-256 of the cookie with the secret that let the visitor in
    agent      TEXT NOT NULL,         -- the browser, as it names itself
    created    BIGINT NOT NULL,
    seen       BIGINT NOT NULL,
    expires    BIGINT NOT NULL
);
CREATE INDEX console_visits_by_user ON console_visits (user_id, created, id);

-- +goose Down
DROP TABLE console_visits;
DROP TABLE console_codes;
