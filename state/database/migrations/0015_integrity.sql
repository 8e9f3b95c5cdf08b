-- +goose Up
CREATE TABLE carried (
    name   TEXT PRIMARY KEY,          -- of a table that is carried over from another database; empty: of all
    source TEXT NOT NULL,             -- which database
    after  TEXT NOT NULL,             -- JSON: the key of the last row that is here; empty before the first
    copied BIGINT NOT NULL,           -- how many rows are here
    done   BOOLEAN NOT NULL
);

CREATE TABLE scrubs (
    name    TEXT PRIMARY KEY,         -- what is looked through: artifacts
    owner   TEXT NOT NULL,            -- random, of the process that does
    held    BIGINT NOT NULL,          -- until when the owner is taken to be there, microseconds since 1970
    after   TEXT NOT NULL,            -- id of the last one that was looked at
    began   BIGINT NOT NULL,          -- when this round did
    ended   BIGINT NOT NULL,          -- when the last whole round did, 0 for none yet
    checked BIGINT NOT NULL,          -- artifacts of this round
    bytes   BIGINT NOT NULL           -- of them
);

CREATE TABLE damages (
    id    TEXT PRIMARY KEY,           -- of an artifact
    what  TEXT NOT NULL,              -- damaged, missing
    found BIGINT NOT NULL             -- when it was found last, microseconds since 1970
);

-- +goose Down
DROP TABLE damages;
DROP TABLE scrubs;
DROP TABLE carried;
