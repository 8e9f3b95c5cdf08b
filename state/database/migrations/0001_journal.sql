-- +goose Up
CREATE TABLE streams (
    id       BIGINT PRIMARY KEY,      -- random, so that a stream that was dropped never comes back
    name     TEXT NOT NULL UNIQUE,
    last     BIGINT NOT NULL,         -- number of the last event
    trimmed  BIGINT NOT NULL,         -- number of the last event that is not kept, 0 for none
    snapshot TEXT                     -- JSON, as of trimmed
);

CREATE TABLE events (
    stream_id BIGINT NOT NULL,
    seq       BIGINT NOT NULL,        -- from 1, without gaps
    time      BIGINT NOT NULL,        -- microseconds since 1970
    kind      TEXT NOT NULL,
    data      TEXT NOT NULL,          -- JSON
    PRIMARY KEY (stream_id, seq)
);

CREATE TABLE dropped (
    stream_id BIGINT PRIMARY KEY      -- of a stream that is gone, whose events are still to be removed
);

CREATE TABLE decisions (
    id      TEXT PRIMARY KEY,
    stream  TEXT NOT NULL,
    user_id TEXT NOT NULL,
    kind    TEXT NOT NULL,
    digest  TEXT NOT NULL,
    request TEXT NOT NULL,            -- JSON
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    state   TEXT NOT NULL,            -- pending, decided, expired
    denied  BOOLEAN NOT NULL,
    reason  TEXT NOT NULL,
    value   TEXT NOT NULL,            -- JSON
    ended   BIGINT NOT NULL           -- 0 while pending
);
CREATE INDEX decisions_by_stream ON decisions (stream, state);
CREATE INDEX decisions_by_end ON decisions (state, ended);

CREATE TABLE leases (
    key     TEXT PRIMARY KEY,
    owner   TEXT NOT NULL,            -- empty when given back
    token   BIGINT NOT NULL,          -- rises with each change of hands
    expires BIGINT NOT NULL
);

-- +goose Down
DROP TABLE leases;
DROP TABLE decisions;
DROP TABLE dropped;
DROP TABLE events;
DROP TABLE streams;
