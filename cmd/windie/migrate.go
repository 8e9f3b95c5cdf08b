package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/state/carry"
	"github.com/windieos/windie/state/database"
)

// migrated is the output of `windie migrate`.
type migrated struct {
	Database  bool     `json:"database"`  // whether the tables are in PostgreSQL
	Artifacts int64    `json:"artifacts"` // number in the bucket
	Copied    int64    `json:"copied"`    // of them, copied by this run
	Damaged   []string `json:"damaged"`   // artifacts that stayed in the folder
}

// print prints the result in sentences, with a line for each damaged artifact.
func (m migrated) print(w io.Writer) error {
	if m.Database {
		fmt.Fprintln(w, "All tables are in PostgreSQL, and are the same there.")
	}
	if m.Artifacts > 0 {
		fmt.Fprintf(w, "%d artifacts are in the bucket, and are the same there; %d of them came now.\n", m.Artifacts, m.Copied)
	}
	for _, id := range m.Damaged {
		fmt.Fprintf(w, "%s is damaged, and stayed behind: restore it from a backup, and migrate again\n", id)
	}
	_, err := fmt.Fprintln(w, "What lies in the data folder stays there: memory, plugins and what they keep are still used, the rest is your backup.")
	return err
}

// migrateCommand returns `windie migrate`. The exit code is 1 if damaged artifacts stay in the
// folder.
func migrateCommand(load loader) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Move state from SQLite to PostgreSQL, and artifacts from the folder to S3",
		Long: "Stop the gateway, and set WINDIE_DATABASE_URL, the WINDIE_S3_* variables, or both. Run this\n" +
			"command, then start the gateway with the same settings. The command does not change the data\n" +
			"folder. If it is interrupted, run it again: it continues.",
		Example: "  WINDIE_DATABASE_URL=postgres://windie:secret@db.example/windie windie migrate\n  windie migrate --json",
		Args:    cobra.NoArgs,
	}
	answer := printed(cmd)
	cmd.RunE = load.run(func(cmd *cobra.Command, c *config, _ []string) error {
		ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "opening the databases")
		done, err := c.migrate(ctx, progressOn(ctx, cmd.ErrOrStderr()))
		shown()
		if err != nil {
			return plain.Explain(err)
		}
		if err := answer(done); err != nil || len(done.Damaged) == 0 {
			return err
		}
		return silentError(exitFailed)
	})
	return cmd
}

// progressOn returns a Report that prints lines, or moves the progress bar if ctx has one.
func progressOn(ctx context.Context, w io.Writer) carry.Report {
	if progress.IsTaken(ctx) {
		return func(what string, done, of int64) { progress.Report(ctx, what, done, of) }
	}
	return func(what string, done, of int64) {
		if of > 0 {
			fmt.Fprintf(w, "%s: %d of %d\n", what, done, of)
			return
		}
		fmt.Fprintf(w, "%s: %d\n", what, done)
	}
}

// migrate copies the database and the artifacts that the settings store elsewhere. It fails while a
// gateway runs on the data folder. done is valid even if it fails.
func (c *config) migrate(ctx context.Context, report carry.Report) (done migrated, err error) {
	if c.DatabaseURL == "" && c.S3.Endpoint == "" {
		return done, errors.New("no target for the migration: set WINDIE_DATABASE_URL to move state to PostgreSQL, or WINDIE_S3_ENDPOINT and the other WINDIE_S3_* variables to move artifacts to a bucket")
	}
	if err := c.makeDirs(); err != nil {
		return done, err
	}
	leave, err := c.alone(ctx)
	if err != nil {
		return done, err
	}
	defer leave()
	if c.DatabaseURL != "" {
		if done.Database, err = c.migrateState(ctx, report); err != nil {
			return done, err
		}
	}
	if c.S3.Endpoint == "" {
		return done, nil
	}
	return done, c.migrateArtifacts(ctx, report, &done)
}

// migrateState copies windie.db to the database of the settings. found reports whether windie.db
// exists.
func (c *config) migrateState(ctx context.Context, report carry.Report) (found bool, err error) {
	file := filepath.Join(c.DataDir, databaseName)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	from, err := database.Open(ctx, database.Config{File: file, Check: startCheck})
	if err != nil {
		return false, err
	}
	defer from.Close()
	to, err := database.Open(ctx, c.databaseConfig())
	if err != nil {
		return false, err
	}
	defer to.Close()
	return true, carry.Tables(ctx, from, to, report)
}

// migrateArtifacts copies the artifacts of the folder to the bucket of the settings.
func (c *config) migrateArtifacts(ctx context.Context, report carry.Report, done *migrated) error {
	dir := filepath.Join(c.DataDir, artifactsDir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	from, err := dirstore.Open(dir)
	if err != nil {
		return err
	}
	store, err := openStore(ctx, c)
	if err != nil {
		return err
	}
	if closer, ok := store.(io.Closer); ok {
		defer closer.Close()
	}
	to, ok := store.(carry.Target)
	if !ok {
		return errors.New("the artifact store in the settings cannot import artifacts")
	}
	carried, err := carry.Artifacts(ctx, from, to, report)
	done.Artifacts, done.Copied, done.Damaged = carried.Copied+carried.Present, carried.Copied, carried.Damaged
	return err
}

// refuseHalf fails for a database with an incomplete migration.
func refuseHalf(ctx context.Context, db *database.DB) error {
	half, err := carry.Unfinished(ctx, db)
	if err == nil && half {
		err = errors.New("the database contains an interrupted migration: run windie migrate again, or choose an empty database")
	}
	return err
}
