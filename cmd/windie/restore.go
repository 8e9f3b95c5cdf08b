package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/state/backup"
	"github.com/windieos/windie/state/database"
)

// Names in the data folder during a restore.
const (
	stageName     = ".restore-new" // the unpacked backup
	replacedName  = ".restore-old" // the earlier content
	restoringName = ".restoring"   // exists while files are exchanged
)

// locks are the files that stay in a data folder, because processes lock them by name.
var locks = []string{databaseName + "-lock", lockName}

// restored is the output of `windie restore`.
type restored struct {
	Path    string   `json:"path"` // of the data folder
	Files   int      `json:"files"`
	Bytes   int64    `json:"bytes"`
	Created string   `json:"created"` // time of the backup
	Version string   `json:"version"` // of the program that made the backup
	Notes   []string `json:"notes"`
}

// print prints what was restored, then the data that must be restored from elsewhere.
func (r restored) print(w io.Writer) error {
	fmt.Fprintf(w, "%s has %s from %s, by windie %s; files: %d; start the gateway\n", r.Path, amount(r.Bytes), r.Created, r.Version, r.Files)
	for _, line := range r.Notes {
		fmt.Fprintln(w, line)
	}
	return nil
}

// restoreCommand returns `windie restore`. It fails while a gateway runs on the data folder.
func restoreCommand(load loader) *cobra.Command {
	var replace bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore a backup into the data folder",
		Long: "FILE is a backup from `windie backup`. The command unpacks and checks every file before it\n" +
			"replaces anything, so the disk needs space for both copies. First stop the gateway that uses the\n" +
			"data folder. When the gateway starts again, it migrates an older database. The command rejects a\n" +
			"newer database.",
		Example: "  windie restore windie.tar.zst\n  windie restore windie.tar.zst --replace",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "delete the current contents of the data folder")
	answer := printed(cmd)
	cmd.RunE = load.run(func(cmd *cobra.Command, c *config, args []string) error {
		ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "unpacking")
		done, err := c.restore(ctx, args[0], replace)
		shown()
		if err != nil {
			return plain.Explain(err)
		}
		return answer(done)
	})
	return cmd
}

// alone locks the data folder against gateways until the caller calls leave. It fails while a
// gateway runs there.
func (c *config) alone(ctx context.Context) (leave func(), err error) {
	state, err := database.Alone(filepath.Join(c.DataDir, databaseName))
	if err != nil {
		return nil, err
	}
	folder, err := c.occupy(ctx)
	if err != nil {
		state()
		return nil, err
	}
	return func() { folder(); state() }, nil
}

// restore replaces the content of the data folder with that of a backup file. It fails before any
// change if a gateway runs there, or if the folder has content and replace is not set.
func (c *config) restore(ctx context.Context, from string, replace bool) (done restored, err error) {
	if _, err := os.Stat(from); err != nil {
		return done, err
	}
	made, err := c.missingForRestore()
	if err == nil {
		err = os.MkdirAll(c.DataDir, 0o700)
	}
	if err != nil {
		return done, err
	}
	leave, err := c.alone(ctx)
	if err != nil {
		return done, err
	}
	defer func() {
		leave()
		if err != nil {
			c.takeBack(made)
		}
	}()
	if err := c.replaceable(from); err != nil {
		return done, err
	}
	old, err := namesOf(c.DataDir, append(locks, "tmp", stageName, replacedName, restoringName)...)
	if err != nil {
		return done, err
	}
	if len(old) > 0 && !replace {
		return done, fmt.Errorf("%s contains %s and %d other entries: choose an empty data folder (WINDIE_DATA_DIR), or add --replace to delete its content", c.DataDir, old[0], len(old)-1)
	}
	stage := filepath.Join(c.DataDir, stageName)
	if err := os.RemoveAll(stage); err != nil { // of an interrupted restore
		return done, err
	}
	manifest, err := backup.Extract(ctx, from, stage)
	if err == nil {
		err = checkStage(ctx, stage)
	}
	if err == nil {
		err = newfile.InheritAll(stage)
	}
	if err != nil {
		return done, errors.Join(err, os.RemoveAll(stage))
	}
	if err := c.exchange(stage); err != nil {
		return done, errors.Join(err, os.RemoveAll(stage))
	}
	return restored{Path: c.DataDir, Files: len(manifest.Files), Bytes: manifest.Size(), Created: manifest.Created.Format("2006-01-02 15:04:05 UTC"),
		Version: manifest.Version, Notes: c.restoreNotes(manifest)}, nil
}

// missingForRestore lists what a restore creates before it unpacks anything: the locks, and the
// data folder last.
func (c *config) missingForRestore() (missing []string, err error) {
	for _, name := range append(slices.Clone(locks), ".") {
		path := filepath.Join(c.DataDir, name)
		if _, statErr := os.Lstat(path); errors.Is(statErr, fs.ErrNotExist) {
			missing = append(missing, path)
		} else {
			err = errors.Join(err, statErr)
		}
	}
	return missing, err
}

// takeBack removes what a failed restore created, as far as possible. It leaves a data folder with
// other content, which a gateway may use.
func (c *config) takeBack(made []string) {
	if others, err := namesOf(c.DataDir, locks...); err != nil || len(others) > 0 {
		return
	}
	for _, path := range made {
		_ = os.Remove(path)
	}
}

// replaceable fails if the content of the data folder cannot or must not be replaced: part of it is
// a mount, or it contains the backup itself.
func (c *config) replaceable(from string) error {
	data, err := realPath(c.DataDir)
	if err != nil {
		return err
	}
	file, err := realPath(from)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(data, file); err == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("%s is in the data folder, which the restore replaces: first move it and other backups out of the folder", from)
	}
	mounted, err := mountsBelow(data)
	for _, path := range mounted {
		if path != filepath.Join(data, "tmp") { // which stays
			return fmt.Errorf("%s is a mount point in the data folder and cannot be replaced: unmount it, restore, then copy its files from the backup", path)
		}
	}
	return err
}

// realPath returns an absolute path without links.
func realPath(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// restoreNotes lists the data that the settings store elsewhere.
func (c *config) restoreNotes(m backup.Manifest) (notes []string) {
	if c.DatabaseURL != "" && m.Schema > 0 {
		notes = append(notes, "The settings name PostgreSQL, and the backup has a database of SQLite: windie migrate carries it over")
	}
	if c.DatabaseURL != "" && m.Schema == 0 {
		notes = append(notes, "The database was not in it: pg_restore --clean --if-exists --dbname=\"$WINDIE_DATABASE_URL\" windie.dump")
	}
	if c.S3.Endpoint != "" {
		notes = append(notes, fmt.Sprintf("Artifacts of the bucket were not in it: aws s3 sync --endpoint-url %s s3://BACKUP/%[3]s s3://%[2]s/%[3]s", c.S3.Endpoint, c.S3.Bucket, c.S3.Prefix))
	}
	return notes
}

// checkStage checks that this gateway can use an unpacked backup.
func checkStage(ctx context.Context, stage string) error {
	file := filepath.Join(stage, databaseName)
	_, err := database.Inspect(ctx, database.Config{File: file})
	return err
}

// exchange replaces the content of the data folder with that of stage. A file marks the exchange,
// so that a gateway refuses to start on a mixture. If exchange fails, it undoes its changes. A
// second call after a crash completes the interrupted exchange. The earlier content remains until
// all new files are in place.
func (c *config) exchange(stage string) error {
	marker, old := filepath.Join(c.DataDir, restoringName), filepath.Join(c.DataDir, replacedName)
	_, err := os.Stat(marker)
	again := err == nil // old has the only copy of the earlier content
	if !again {
		if err := errors.Join(os.RemoveAll(old), os.WriteFile(marker, nil, 0o600)); err != nil {
			return err
		}
	}
	if err := os.Mkdir(old, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	var done moves
	err = done.setAside(c.DataDir, old)
	if err == nil {
		err = done.all(stage, c.DataDir)
	}
	switch {
	case err == nil:
		return errors.Join(os.Remove(marker), os.Remove(stage), os.RemoveAll(old))
	case again:
		return fmt.Errorf("%w; the previous content is in %s", errors.Join(err, done.undo()), old)
	}
	if undone := done.undo(); undone != nil {
		return fmt.Errorf("%w; the previous content is in %s", errors.Join(err, undone), old)
	}
	return fmt.Errorf("nothing was replaced: %w", errors.Join(err, os.Remove(old), os.Remove(marker)))
}

// moves are the renames done so far.
type moves []struct{ from, to string }

// setAside moves the content of the data folder to old. If old has an entry of the same name, that
// entry is the earlier content: setAside deletes the one in the data folder, which comes from an
// interrupted restore.
func (m *moves) setAside(data, old string) error {
	names, err := namesOf(data, append(locks, "tmp", stageName, replacedName, restoringName)...)
	for _, name := range names {
		if _, statErr := os.Lstat(filepath.Join(old, name)); err == nil && statErr == nil {
			err = os.RemoveAll(filepath.Join(data, name))
		} else if err == nil {
			err = m.one(filepath.Join(data, name), filepath.Join(old, name))
		}
	}
	return err
}

// all moves everything from one folder to another.
func (m *moves) all(from, to string) error {
	names, err := namesOf(from)
	for _, name := range names {
		if err == nil {
			err = m.one(filepath.Join(from, name), filepath.Join(to, name))
		}
	}
	return err
}

// one renames a file or folder, and records the move for undo if it succeeds.
func (m *moves) one(from, to string) error {
	err := os.Rename(from, to)
	if err == nil {
		*m = append(*m, struct{ from, to string }{from, to})
	}
	return err
}

// undo undoes the moves, last first.
func (m moves) undo() (err error) {
	for _, move := range slices.Backward(m) {
		err = errors.Join(err, os.Rename(move.to, move.from))
	}
	return err
}

// half fails for a data folder in which a restore was interrupted during the exchange.
func (c *config) half() error {
	if _, err := os.Stat(filepath.Join(c.DataDir, restoringName)); err == nil {
		return fmt.Errorf("a restore of %s was interrupted: run it again with windie restore FILE --replace", c.DataDir)
	}
	return nil
}
