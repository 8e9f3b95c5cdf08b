-- +goose Up
CREATE TABLE socket_tickets (
    ticket_hash TEXT PRIMARY KEY,     -- SHA-256 of the ticket, in lower-case hex
    user_id     TEXT NOT NULL,
    install_id  TEXT NOT NULL,
    path        TEXT NOT NULL,        -- of the WebSocket that it opens
    created     BIGINT NOT NULL,      -- microseconds since 1970
    expires     BIGINT NOT NULL
);
CREATE INDEX socket_tickets_by_user ON socket_tickets (user_id, created);
CREATE INDEX socket_tickets_by_end ON socket_tickets (expires);

-- +goose Down
DROP TABLE socket_tickets;
