-- +goose Up
-- What plugins store. Keys are bytes: they sort as such, and may hold what a text of PostgreSQL may not.
CREATE TABLE plugin_values (
    plugin  TEXT NOT NULL,
    user_id TEXT NOT NULL,            -- empty: what all users share
    name    BYTEA NOT NULL,           -- the key
    value   BYTEA NOT NULL,
    PRIMARY KEY (plugin, user_id, name)
);

-- How much each store holds, so that nobody needs to count.
CREATE TABLE plugin_stores (
    plugin  TEXT NOT NULL,
    user_id TEXT NOT NULL,
    bytes   BIGINT NOT NULL,          -- as they count against the quota
    entries BIGINT NOT NULL,
    PRIMARY KEY (plugin, user_id)
);
CREATE INDEX plugin_stores_by_user ON plugin_stores (user_id, plugin);

-- How much the stores of all users hold together. Who changes a plugin's values, locks its row.
CREATE TABLE plugin_totals (
    plugin TEXT PRIMARY KEY,
    bytes  BIGINT NOT NULL
);

-- +goose Down
DROP TABLE plugin_totals;
DROP TABLE plugin_stores;
DROP TABLE plugin_values;
