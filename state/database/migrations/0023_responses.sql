-- +goose Up
-- Responses of /openai/v1/responses, for clients that continue or get them.
CREATE TABLE responses (
  user_id  TEXT   NOT NULL,
  id       TEXT   NOT NULL,
  previous TEXT   NOT NULL, -- id of the response that it continues; else empty
  created  BIGINT NOT NULL, -- microseconds since 1970
  used     BIGINT NOT NULL, -- when it was stored or last continued; likewise
  size     BIGINT NOT NULL, -- bytes of body and items
  body     TEXT   NOT NULL, -- the response, as JSON
  items    TEXT   NOT NULL, -- its input and its output, as a JSON list
  PRIMARY KEY (user_id, id)
);
CREATE INDEX responses_by_use ON responses (user_id, used);
CREATE INDEX responses_by_time ON responses (used);

-- +goose Down
DROP TABLE responses;
