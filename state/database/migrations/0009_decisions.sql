-- +goose Up
CREATE INDEX decisions_by_user ON decisions (user_id, kind, created, id);
CREATE INDEX decisions_by_user_state ON decisions (user_id, kind, state, created, id);

-- +goose Down
DROP INDEX decisions_by_user_state;
DROP INDEX decisions_by_user;
