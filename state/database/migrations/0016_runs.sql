-- +goose Up
-- How far each run is. What has happened to it is in the stream run/ID of the journal.
CREATE TABLE runs (
  id           TEXT    PRIMARY KEY,
  workspace_id TEXT    NOT NULL,
  agent_id     TEXT    NOT NULL,
  requested_by TEXT    NOT NULL, -- empty: nobody says
  status       TEXT    NOT NULL,
  active       INTEGER NOT NULL, -- 1 while it counts for the cap of its workspace
  worker_id    TEXT    NOT NULL, -- empty for none
  held         INTEGER NOT NULL, -- 1 while the worker has it, or must hear of its end
  lease_until  BIGINT  NOT NULL, -- when the worker counts as lost, in microseconds since 1970
  created      BIGINT  NOT NULL,
  ended        BIGINT  NOT NULL, -- 0 until then
  record       TEXT    NOT NULL  -- all of it, as JSON
);
CREATE INDEX runs_by_time ON runs (created, id);
CREATE INDEX runs_by_workspace ON runs (workspace_id, status, created, id);
CREATE INDEX runs_by_worker ON runs (worker_id, workspace_id, held);
CREATE INDEX runs_by_lease ON runs (held, lease_until);
CREATE INDEX runs_by_user ON runs (requested_by, created, id);
CREATE INDEX runs_by_end ON runs (ended);

-- Workspaces that have had runs: who changes which runs count in one, locks its row.
CREATE TABLE run_workspaces (
  id TEXT PRIMARY KEY
);

-- Workers, by their last heartbeat.
CREATE TABLE run_workers (
  workspace_id TEXT   NOT NULL,
  id           TEXT   NOT NULL,
  session_id   TEXT   NOT NULL,
  earlier      TEXT   NOT NULL, -- its last sessions before, as JSON: they are over
  seen         BIGINT NOT NULL,
  record       TEXT   NOT NULL, -- the worker, as JSON
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX run_workers_by_time ON run_workers (seen);

-- What the operator's web hook is still to be told.
CREATE TABLE run_hooks (
  id     TEXT    PRIMARY KEY,
  run_id TEXT    NOT NULL,
  due    BIGINT  NOT NULL, -- when it is tried next
  tries  INTEGER NOT NULL,
  body   TEXT    NOT NULL
);
CREATE INDEX run_hooks_by_time ON run_hooks (due);
CREATE INDEX run_hooks_by_run ON run_hooks (run_id);

-- +goose Down
DROP TABLE run_hooks;
DROP TABLE run_workers;
DROP TABLE run_workspaces;
DROP TABLE runs;
