// Package backup writes files into one archive and extracts them all, or none of them.
//
//	out, err := backup.Create("windie.tar.zst", backup.Manifest{Version: "1.4.0"})
//	err = out.Add(ctx, "windie.db", "/tmp/snapshot.db")
//	_, err = out.Finish()
//
//	manifest, err := backup.Extract(ctx, "windie.tar.zst", "/var/lib/windie/.new")
//
// An archive is a tar file compressed with zstd, which other programs can read. Its last file is
// the manifest, which has the size and the SHA-256 of every other file. An archive without a
// manifest is incomplete: its writing was interrupted.
package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/windieos/windie/internal/progress"
)

// format is the version of the archive format. Extract refuses a higher one.
const format = 1

// manifestName is the name of the manifest in an archive.
const manifestName = "manifest.json"

// ErrReserved is in the error chain if Add gets a file with the name of the manifest.
var ErrReserved = errors.New("a backup reserves the name " + manifestName + " for its own list of files; rename the file")

// filePerm is the mode of an archive and of every extracted file. Some of these files are keys.
const filePerm fs.FileMode = 0o600

// Manifest describes an archive and lists its files. Create sets Format and Created. Writer.Add
// adds each file to Files.
type Manifest struct {
	Format  int    `json:"format"`
	Version string `json:"version"` // version of the program that wrote the archive
	// Schema is the version of the database's tables; 0 if the archive has no database.
	Schema  int64     `json:"schema,omitempty"`
	Created time.Time `json:"created"`
	Files   []File    `json:"files"`
}

// File describes one file of an archive.
type File struct {
	Path   string `json:"path"`   // path in the archive, separated by slashes
	Size   int64  `json:"size"`   // size of the file, in bytes
	SHA256 string `json:"sha256"` // SHA-256 of the file's content, in lower-case hexadecimal
}

// Size returns the total size of all files, in bytes.
func (m Manifest) Size() (size int64) {
	for _, f := range m.Files {
		size += f.Size
	}
	return size
}

// Writer writes an archive. It must be used by one goroutine at a time. Make one with Create.
type Writer struct {
	path     string
	file     *os.File // has a temporary name until Finish
	zip      *zstd.Encoder
	tar      *tar.Writer
	manifest Manifest
	read     int64 // bytes of files that Add has read
	expected int64 // total bytes that Expect announced; 0 if it was not called
}

// Create begins an archive at path. It fails if path exists. The caller must call Finish or Abort.
func Create(path string, m Manifest) (*Writer, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("backup: the file %s already exists; choose another name", path), err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".backup-*") // with filePerm
	if err != nil {
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = failed.Err // the temporary name would not help the user
		}
		return nil, fmt.Errorf("backup: cannot write to the folder %s: %w", filepath.Dir(path), err)
	}
	// One goroutine leaves the other cores to a gateway that runs at the same time.
	zip, err := zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	m.Format, m.Created = format, time.Now().UTC().Truncate(time.Second)
	return &Writer{path: path, file: file, zip: zip, tar: tar.NewWriter(zip), manifest: m}, nil
}

// Expect announces the approximate total size of all files to add, in bytes. Progress reports use
// this size.
func (w *Writer) Expect(bytes int64) { w.expected = bytes }

// Add copies the file at the path source into the archive. name is the file's path in the archive,
// separated by slashes. If source does not exist, Add fails with fs.ErrNotExist. If name is the
// name of the manifest, Add fails with ErrReserved. After either error, the caller can still add
// other files. If source grows during the copy, the added bytes are not copied. If source shrinks,
// Add fails, and the archive cannot be completed.
func (w *Writer) Add(ctx context.Context, name, source string) error {
	if name == manifestName {
		return fmt.Errorf("backup: %w", ErrReserved)
	}
	file, err := os.Open(source)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("backup: %s is not a regular file", source)
	}
	sum := sha256.New()
	if err := w.write(name, info.Size(), info.ModTime(), io.TeeReader(&reading{ctx, file, w.report(ctx)}, sum)); err != nil {
		return fmt.Errorf("backup: %s: %w", source, err)
	}
	w.manifest.Files = append(w.manifest.Files, File{name, info.Size(), sumOf(sum)})
	return nil
}

// write adds a file of exactly size bytes. If content is shorter, write fails and the archive
// cannot be completed.
func (w *Writer) write(name string, size int64, modified time.Time, content io.Reader) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: int64(filePerm), ModTime: modified, Format: tar.FormatPAX}
	if err := w.tar.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.CopyN(w.tar, content, size)
	return err
}

// Finish completes the archive: it writes the manifest, waits until all data is on disk, and then
// gives the archive its name.
func (w *Writer) Finish() (Manifest, error) {
	text, err := json.MarshalIndent(w.manifest, "", "  ")
	if err == nil {
		err = w.write(manifestName, int64(len(text)), w.manifest.Created, bytes.NewReader(text))
	}
	for _, end := range []func() error{w.tar.Close, w.zip.Close, w.file.Sync} {
		if err == nil {
			err = end()
		}
	}
	if err = errors.Join(err, w.file.Close()); err == nil {
		err = os.Link(w.file.Name(), w.path) // unlike a rename, a link replaces nothing
		if err != nil && !errors.Is(err, fs.ErrExist) {
			err = os.Rename(w.file.Name(), w.path) // for a file system without links
		}
	}
	_ = os.Remove(w.file.Name()) // the temporary name
	if err != nil {
		return Manifest{}, fmt.Errorf("backup: %w", err)
	}
	return w.manifest, nil
}

// Abort deletes the incomplete archive. After Finish it does nothing.
func (w *Writer) Abort() {
	_ = w.zip.Close() // the content is discarded
	_ = w.file.Close()
	_ = os.Remove(w.file.Name())
}

// report returns a function that adds n bytes to the progress of reading files.
func (w *Writer) report(ctx context.Context) func(n int) {
	return func(n int) {
		w.read += int64(n)
		progress.Bytes(ctx, "files in the backup", w.read, max(w.read, w.expected))
	}
}

// reading is a reader of r that fails once ctx has ended. It calls report with the length of each
// read.
type reading struct {
	ctx    context.Context
	r      io.Reader
	report func(n int)
}

// Read implements io.Reader.
func (r *reading) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(p)
	r.report(n)
	return n, err
}

// sumOf returns a hash in lower-case hexadecimal.
func sumOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
