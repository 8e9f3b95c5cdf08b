-- +goose Up
-- Each gateway looks every second for leases that ran out. Most rows are given
-- back: one is kept for each session that there ever was.
CREATE INDEX leases_by_end ON leases (expires) WHERE owner <> '';

-- +goose Down
DROP INDEX leases_by_end;
