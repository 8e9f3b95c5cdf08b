-- +goose Up
-- What users spent on models: a row for each user and day, in UTC, which all gateways add to.
CREATE TABLE spending (
  user_id  TEXT   NOT NULL,
  day      BIGINT NOT NULL, -- since 1970
  requests BIGINT NOT NULL,
  unpriced BIGINT NOT NULL, -- of the requests, those to models without a price
  input    BIGINT NOT NULL, -- tokens
  output   BIGINT NOT NULL, -- tokens
  cost     BIGINT NOT NULL, -- millionths of the currency of the prices
  PRIMARY KEY (user_id, day)
);

-- What requests under way may come to. Those of a gateway that died end when they expire.
CREATE TABLE reservations (
  id      TEXT   PRIMARY KEY,
  user_id TEXT   NOT NULL,
  day     BIGINT NOT NULL,
  tokens  BIGINT NOT NULL,
  cost    BIGINT NOT NULL,
  expires BIGINT NOT NULL
);
CREATE INDEX reservations_by_user ON reservations (user_id, day);

-- Budgets of single users, in place of the settings'.
CREATE TABLE budgets (
  user_id TEXT   PRIMARY KEY,
  tokens  BIGINT NOT NULL, -- of a day; 0: any number
  cost    BIGINT NOT NULL  -- likewise, in millionths
);

-- +goose Down
DROP TABLE budgets;
DROP TABLE reservations;
DROP TABLE spending;
