-- +goose Up
CREATE TABLE once (
    user_id TEXT NOT NULL,
    route   TEXT NOT NULL,            -- id of the operation
    name    TEXT NOT NULL,            -- the Idempotency-Key
    digest  TEXT NOT NULL,            -- of the request; empty while it is not known
    nonce   TEXT NOT NULL,            -- random; what the request begins is named after it
    state   TEXT NOT NULL,            -- open, answered, unkept, turn
    owner   TEXT NOT NULL,            -- random, of the request that works on it while it is open
    held    BIGINT NOT NULL,          -- until when the owner is taken to be there, microseconds since 1970
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    began   TEXT NOT NULL,            -- JSON: the turn that the request began; empty for none
    status  BIGINT NOT NULL,          -- of the answer
    header  TEXT NOT NULL,            -- JSON
    size    BIGINT NOT NULL,          -- of the body, in bytes
    body    TEXT NOT NULL,
    PRIMARY KEY (user_id, route, name)
);
CREATE INDEX once_by_expiry ON once (expires);

-- +goose Down
DROP TABLE once;
