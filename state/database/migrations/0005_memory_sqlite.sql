-- +goose Up
CREATE TABLE memory_users (
    owner      TEXT PRIMARY KEY,     -- hash of place and folder
    place      TEXT NOT NULL,        -- id of the folder of memories, of which there may be several
    folder     TEXT NOT NULL,        -- name of the user's folder in it
    generation BIGINT NOT NULL       -- rises with each change of the index
);

CREATE TABLE memory_files (
    owner    TEXT NOT NULL,
    path     TEXT NOT NULL,
    size     BIGINT NOT NULL,
    modified BIGINT NOT NULL,        -- nanoseconds since 1970, as the file system says
    settled  BOOLEAN NOT NULL,       -- false while the file may change without another time
    hash     TEXT NOT NULL,
    PRIMARY KEY (owner, path)
);

CREATE TABLE memory_chunks (
    id         INTEGER PRIMARY KEY,
    owner      TEXT NOT NULL,
    path       TEXT NOT NULL,
    kind       TEXT NOT NULL,        -- long_term, daily, other
    day        BIGINT NOT NULL,      -- of a daily file, microseconds since 1970; else 0
    line_start BIGINT NOT NULL,
    line_end   BIGINT NOT NULL,
    hash       TEXT NOT NULL,
    text       TEXT NOT NULL,
    space      TEXT NOT NULL DEFAULT '', -- which model the vector is of
    vector     BLOB                  -- 32-bit floats, little end first
);
CREATE INDEX memory_chunks_by_file ON memory_chunks (owner, path);

-- The words are made by the gateway: letters and digits, with spaces between.
CREATE VIRTUAL TABLE memory_terms USING fts5(scope, stems, plain,
    content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
-- In fewer pieces an index is slower to write, and much quicker to search.
INSERT INTO memory_terms (memory_terms, rank) VALUES ('automerge', 2);

-- +goose Down
DROP TABLE memory_terms;
DROP TABLE memory_chunks;
DROP TABLE memory_files;
DROP TABLE memory_users;
