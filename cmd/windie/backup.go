package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/backup"
	"github.com/windieos/windie/state/database"
)

// Names in the data folder, and in a backup of it.
const (
	databaseName = "windie.db"
	lockName     = "gateway-lock" // see occupy
	artifactsDir = "artifacts"
)

// leftOut are the names in the data folder that a backup does not copy as plain files: some are
// copied separately, some can be made again, and some only hold locks.
var leftOut = []string{"tmp", "compiled", artifactsDir, databaseName, databaseName + "-wal", databaseName + "-shm", databaseName + "-lock",
	lockName, restoringName, stageName, replacedName}

// artifactPage is the number of artifacts listed at a time.
const artifactPage = 1000

// backedUp is the output of `windie backup`.
type backedUp struct {
	Path      string   `json:"path"`
	Files     int      `json:"files"`
	Bytes     int64    `json:"bytes"` // uncompressed size of the files
	Artifacts int      `json:"artifacts"`
	Gone      int      `json:"gone"`     // artifacts deleted during the backup
	Unread    int      `json:"unread"`   // files that could not be added, such as unreadable ones
	Besides   []string `json:"besides"`  // data outside of the data folder, and how to back it up
	Warnings  []string `json:"warnings"` // problems
}

// print prints the size and the number of files, then a line for each piece of data outside the
// backup and for each warning.
func (b backedUp) print(w io.Writer) error {
	fmt.Fprintf(w, "%s has %s; files: %d, artifacts among them: %d", b.Path, amount(b.Bytes), b.Files, b.Artifacts)
	if b.Gone > 0 {
		fmt.Fprintf(w, "; %d artifacts were deleted meanwhile", b.Gone)
	}
	fmt.Fprintln(w)
	for _, line := range slices.Concat(b.Besides, b.Warnings) {
		fmt.Fprintln(w, line)
	}
	return nil
}

// backupCommand returns `windie backup`. The exit code is 1 if the backup lacks a file, such
// as an unreadable one.
func backupCommand(load loader) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FILE|DIR",
		Short: "Back up the data folder into one file",
		Long: "The command also works while a gateway runs. The file is a tar archive, compressed with zstd, with a\n" +
			"checksum for each file. It is written atomically. If you give a folder DIR, the file's name contains\n" +
			"the time. Data in PostgreSQL or in a bucket is not included: the command prints how to back it up.",
		Example: "  windie backup windie.tar.zst\n  windie backup /backups",
		Args:    cobra.ExactArgs(1),
	}
	answer := printed(cmd)
	cmd.RunE = load.run(func(cmd *cobra.Command, c *config, args []string) error {
		ctx, shown := progress.Show(cmd.Context(), cmd.ErrOrStderr(), "copying the database")
		done, err := c.backup(ctx, args[0])
		shown()
		if err != nil {
			return plain.Explain(err)
		}
		if err := answer(done); err != nil || done.Unread == 0 {
			return err
		}
		return silentError(exitFailed)
	})
	return cmd
}

// backup writes the data folder to a file. The database comes first. Files named by its rows then
// still exist, unless somebody deletes them meanwhile. Later files have no row and are left out.
func (c *config) backup(ctx context.Context, to string) (done backedUp, err error) {
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		to = filepath.Join(to, "windie-"+time.Now().UTC().Format("20060102-150405")+".tar.zst")
	}
	if _, err := os.Stat(c.DataDir); err != nil {
		return done, fmt.Errorf("there is nothing to back up: %w; name the data folder (WINDIE_DATA_DIR)", err)
	}
	if err := c.makeDirs(); err != nil {
		return done, err
	}
	c.removeStale()
	temp, err := os.MkdirTemp(c.tempDir(), "backup-*")
	if err != nil {
		return done, err
	}
	defer os.RemoveAll(temp)
	root, err := filepath.Abs(c.DataDir)
	if err != nil {
		return done, err
	}
	b := &backingUp{config: c, root: root, temp: temp, began: time.Now(), done: backedUp{Path: to, Besides: c.elsewhere()}}
	manifest := backup.Manifest{Version: version}
	if c.DatabaseURL == "" {
		if manifest.Schema, err = database.Snapshot(ctx, c.databaseConfig().File, filepath.Join(temp, databaseName)); err != nil {
			return done, err
		}
	}
	if b.out, err = backup.Create(to, manifest); err != nil {
		return done, err
	}
	defer b.out.Abort()
	b.out.Expect(bytesUnder(temp) + bytesUnder(filepath.Join(root, artifactsDir)) + bytesUnder(root, leftOut...))
	for _, step := range []func(context.Context) error{b.addDatabase, b.addArtifacts, b.addRest} {
		if err := step(ctx); err != nil {
			return done, err
		}
	}
	manifest, err = b.out.Finish()
	b.done.Files, b.done.Bytes = len(manifest.Files), manifest.Size()
	return b.done, err
}

// bytesUnder returns the size of a file or folder in bytes, except the names in without. It skips
// unreadable entries.
func bytesUnder(root string, without ...string) (size int64) {
	_ = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // whoever copies the file reports it
		}
		rel, _ := filepath.Rel(root, file) // cannot fail: the file is below root
		left := slices.Contains(without, rel)
		if left && d.IsDir() {
			return filepath.SkipDir
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() && !left {
			size += info.Size()
		}
		return nil
	})
	return size
}

// staleAfter is the age from which a folder of copies counts as left by a crash.
const staleAfter = 24 * time.Hour

// removeStale removes the copies of killed backups.
func (c *config) removeStale() {
	left, _ := filepath.Glob(filepath.Join(c.tempDir(), "backup-*")) // cannot fail: the pattern is valid
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > staleAfter {
			_ = os.RemoveAll(dir) // a leftover only takes disk space
		}
	}
}

// elsewhere lists the data that these settings store outside of the data folder.
func (c *config) elsewhere() (lines []string) {
	if c.DatabaseURL != "" {
		lines = append(lines, "The database is not in it: pg_dump --format=custom --file=windie.dump \"$WINDIE_DATABASE_URL\"")
	}
	if c.S3.Endpoint != "" {
		lines = append(lines, fmt.Sprintf("The artifacts are not in it: after the database, aws s3 sync --endpoint-url %s s3://%[2]s/%[3]s s3://BACKUP/%[3]s", c.S3.Endpoint, c.S3.Bucket, c.S3.Prefix))
	}
	for name, path := range map[string]string{"shared_dir": c.SharedDir, "mcp.file": c.MCP.File} {
		rel, err := filepath.Rel(c.DataDir, path)
		if path != "" && (err != nil || !filepath.IsLocal(rel)) {
			lines = append(lines, fmt.Sprintf("Not in it, as it lies elsewhere: %s (%s)", path, name))
		}
	}
	slices.Sort(lines)
	return lines
}

// backingUp is a running backup.
type backingUp struct {
	*config
	out   *backup.Writer
	root  string // absolute path of the data folder
	temp  string // folder of copies
	began time.Time
	done  backedUp
}

// addDatabase adds the copy of the database that backup made. It adds nothing if the database is
// PostgreSQL.
func (b *backingUp) addDatabase(ctx context.Context) error {
	if b.DatabaseURL != "" {
		return nil
	}
	return b.out.Add(ctx, databaseName, filepath.Join(b.temp, databaseName))
}

// addArtifacts adds the artifacts of the folder.
func (b *backingUp) addArtifacts(ctx context.Context) error {
	dir := filepath.Join(b.DataDir, artifactsDir)
	if _, err := os.Stat(dir); b.S3.Endpoint != "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	store, err := dirstore.Open(dir)
	if err != nil {
		return err
	}
	rows, err := b.rows(ctx)
	if err != nil {
		return err
	}
	for after := ""; ; {
		ids, err := store.Walk(ctx, after, artifactPage)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := b.addArtifact(ctx, store, id, rows); err != nil {
				return err
			}
			after = id
		}
		if len(ids) < artifactPage {
			return nil
		}
	}
}

// rows returns the artifact ids in the copy of the database, or nil if there is no database.
func (b *backingUp) rows(ctx context.Context) (map[string]bool, error) {
	if b.DatabaseURL != "" {
		return nil, nil
	}
	db, err := database.Open(ctx, database.Config{File: filepath.Join(b.temp, databaseName)})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	var ids []string
	if err := db.Read().NewRaw("SELECT id FROM artifacts").Scan(ctx, &ids); err != nil {
		return nil, database.Fault("backup", err)
	}
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		known[id] = true
	}
	return known, nil
}

// addArtifact adds an artifact, unless it is newer than the copy of the database, or was deleted.
func (b *backingUp) addArtifact(ctx context.Context, store *dirstore.Store, id string, rows map[string]bool) error {
	data, sidecar := store.Files(id)
	info, err := store.Stat(ctx, id)
	switch code := fault.CodeOf(err); {
	case code == sdkapi.ArtifactNotFound:
		b.done.Gone++
		return nil
	case code == sdkapi.ArtifactDamaged:
		b.done.Warnings = append(b.done.Warnings, fmt.Sprintf("%s is damaged; run windie scrub to find all damaged artifacts", id))
	case err != nil:
		return b.skip(ctx, data, err)
	case rows != nil && !rows[id] && !info.CreatedAt.Before(b.began.Truncate(time.Second)):
		return nil
	}
	// Both files or none: the copy of the sidecar stays, even if the artifact is deleted meanwhile.
	sidecarCopy, err := b.copied(ctx, sidecar)
	if err == nil {
		err = readThrough(ctx, data, io.Discard)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		b.done.Gone++
		return nil
	case err != nil:
		return b.skip(ctx, data, err)
	}
	switch err := b.addFile(ctx, data, data); {
	case errors.Is(err, fs.ErrNotExist):
		b.done.Gone++
		return nil
	case err != nil:
		return err
	}
	b.done.Artifacts++
	return b.addFile(ctx, sidecar, sidecarCopy)
}

// skip records a file that cannot be added, and continues: the other files are worth a backup.
func (b *backingUp) skip(ctx context.Context, file string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	b.done.Unread++
	b.done.Warnings = append(b.done.Warnings, fmt.Sprintf("%s is not in the backup: %v", file, err))
	return nil
}

// readThrough copies a file to a writer, up to its end: a file must be added to an archive
// completely or not at all.
func readThrough(ctx context.Context, file string, to io.Writer) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	for err == nil {
		if _, err = io.CopyN(to, in, 1<<20); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// copied copies a file into b.temp and returns the path of the copy, which the next call replaces. A
// file that may change during the backup is added from a copy, because an archive cannot be
// completed if a file shrinks while Add reads it.
func (b *backingUp) copied(ctx context.Context, file string) (to string, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	to = filepath.Join(b.temp, "copy")
	out, err := os.Create(to)
	if err != nil {
		return "", err
	}
	if err := errors.Join(readThrough(ctx, file, out), out.Close()); err != nil {
		return "", err
	}
	return to, os.Chtimes(to, info.ModTime(), info.ModTime())
}

// addFile adds a file of the data folder under its name there. The content is that of source.
func (b *backingUp) addFile(ctx context.Context, file, source string) error {
	name, err := filepath.Rel(b.root, file)
	if err != nil {
		return err
	}
	return b.out.Add(ctx, filepath.ToSlash(name), source)
}

// addRest adds all other files, such as memory, plugins, grants and keys. It also adds files that it
// does not know, because a later version may have written them.
func (b *backingUp) addRest(ctx context.Context) error {
	entries, err := os.ReadDir(b.root)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if slices.Contains(leftOut, entry.Name()) {
			continue
		}
		err := filepath.WalkDir(filepath.Join(b.root, entry.Name()), func(file string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist): // deleted meanwhile
				return nil
			case err != nil: // an unreadable folder, which WalkDir skips
				return b.skip(ctx, file, err)
			case d.IsDir():
				return nil
			case !d.Type().IsRegular():
				b.done.Warnings = append(b.done.Warnings, file+" is a link, or no file at all; it is not in the backup")
				return nil
			case isPassing(d.Name()), b.isOutput(file):
				return nil
			}
			source, err := b.copied(ctx, file)
			switch {
			case errors.Is(err, fs.ErrNotExist): // deleted meanwhile
				return nil
			case err != nil:
				return b.skip(ctx, file, err)
			}
			if err = b.addFile(ctx, file, source); errors.Is(err, backup.ErrReserved) {
				return b.skip(ctx, file, err)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// isPassing reports whether a file with this name is temporary or only a lock.
func isPassing(name string) bool {
	return name == ".lock" || strings.HasPrefix(name, ".tmp-") || strings.HasPrefix(name, ".new-") || strings.HasPrefix(name, ".backup-")
}

// isOutput reports whether a file is an earlier backup beside this one.
func (b *backingUp) isOutput(file string) bool {
	to, err := filepath.Abs(b.done.Path)
	return err == nil && filepath.Dir(to) == filepath.Dir(file) && strings.HasSuffix(file, ".tar.zst")
}

// namesOf lists the entries of a folder, except those in without.
func namesOf(dir string, without ...string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := map[string]bool{}
	for _, entry := range entries {
		if !slices.Contains(without, entry.Name()) {
			names[entry.Name()] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), err
}
