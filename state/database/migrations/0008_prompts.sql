-- +goose Up
CREATE TABLE prompts (
    user_id      TEXT NOT NULL,
    id           TEXT NOT NULL,       -- as in the routes
    conversation TEXT NOT NULL,       -- empty for none
    status       TEXT NOT NULL,       -- open, completed, failed, canceled
    began        BIGINT NOT NULL,     -- microseconds since 1970
    ended        BIGINT NOT NULL,     -- 0 while open
    input        TEXT NOT NULL,       -- how what the user said begins
    PRIMARY KEY (user_id, id)
);
CREATE INDEX prompts_by_time ON prompts (user_id, began, id);
CREATE INDEX prompts_by_status ON prompts (user_id, status, began, id);
CREATE INDEX prompts_by_conversation ON prompts (user_id, conversation, began, id);

-- +goose Down
DROP TABLE prompts;
