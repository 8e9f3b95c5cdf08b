-- +goose Up
CREATE TABLE audit (
    time     BIGINT NOT NULL,         -- of the newest record, microseconds since 1970
    id       BIGINT NOT NULL,         -- random
    user_id  TEXT NOT NULL,           -- what the records have in common
    tool     TEXT NOT NULL,
    protocol TEXT NOT NULL,
    outcome  TEXT NOT NULL,
    records  TEXT NOT NULL,           -- JSON, the rest of each, the oldest first; they span a second at most
    PRIMARY KEY (time, id)
);
CREATE INDEX audit_by_user ON audit (user_id, time, id);
CREATE INDEX audit_by_tool ON audit (tool, time, id);

-- +goose Down
DROP TABLE audit;
