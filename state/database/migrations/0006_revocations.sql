-- +goose Up
CREATE TABLE revocations (
    seq        BIGINT PRIMARY KEY,    -- from 1, in the order in which they can be seen
    user_id    TEXT NOT NULL,
    install_id TEXT NOT NULL,         -- empty: the user is deleted, with all installs
    at         BIGINT NOT NULL        -- microseconds since 1970
);

-- +goose Down
DROP TABLE revocations;
