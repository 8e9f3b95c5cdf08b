// Package backup writes files into one archive, and gets them back whole or not at all.
//
//	out, err := backup.Create("windie.tar.zst", backup.Manifest{Version: "1.4.0"})
//	err = out.Add(ctx, "windie.db", "/tmp/snapshot.db")
//	err = out.Finish()
//
//	manifest, err := backup.Extract(ctx, "windie.tar.zst", "/var/lib/windie/.new")
//
// An archive is a tar, compressed by zstd, which other programs read too. Its last file is the
// manifest, with the size and the SHA-256 of every other: an archive without it was broken off.
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

// format is the version of the archives' form.
const format = 1

// manifestName is the name of the manifest in an archive.
const manifestName = "manifest.json"

// filePerm is the mode of an archive, and of all that comes out of one: keys are among it.
const filePerm fs.FileMode = 0o600

// Manifest says what is in an archive.
type Manifest struct {
	Format  int       `json:"format"`
	Version string    `json:"version"`          // of the program that wrote it
	Schema  int64     `json:"schema,omitempty"` // version of the database's tables, if one is in it
	Created time.Time `json:"created"`
	Files   []File    `json:"files"`
}

// File is one file of an archive.
type File struct {
	Path   string `json:"path"` // with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Size returns the bytes of all files.
func (m Manifest) Size() (size int64) {
	for _, f := range m.Files {
		size += f.Size
	}
	return size
}

// Writer writes an archive. It is for one goroutine.
type Writer struct {
	path     string
	file     *os.File // under a temporary name until Finish
	zip      *zstd.Encoder
	tar      *tar.Writer
	manifest Manifest
	read     int64 // bytes of files
	expected int64
}

// Create begins an archive at path, where nothing may be yet. The caller calls Finish or Abort.
func Create(path string, m Manifest) (*Writer, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("backup: %s is there already; choose another name", path), err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".backup-*") // with filePerm
	if err != nil {
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = failed.Err // the name of the file is nobody's concern
		}
		return nil, fmt.Errorf("backup: nothing can be written to the folder %s: %w", filepath.Dir(path), err)
	}
	// One goroutine, so that the gateway beside has the other cores.
	zip, err := zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	m.Format, m.Created = format, time.Now().UTC().Truncate(time.Second)
	return &Writer{path: path, file: file, zip: zip, tar: tar.NewWriter(zip), manifest: m}, nil
}

// Expect says about how many bytes the files have that will be added, for people who watch the progress.
func (w *Writer) Expect(bytes int64) { w.expected = bytes }

// Add puts a file into the archive, under a name with slashes. If the file is gone by now it fails
// with fs.ErrNotExist, and others can still be added. Of a file that grows meanwhile, what it had at
// first is kept.
func (w *Writer) Add(ctx context.Context, name, from string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("backup: %s is no file", from)
	}
	sum := sha256.New()
	if err := w.write(name, info.Size(), info.ModTime(), io.TeeReader(&reading{ctx, file, w.report(ctx)}, sum)); err != nil {
		return fmt.Errorf("backup: %s: %w", from, err)
	}
	w.manifest.Files = append(w.manifest.Files, File{name, info.Size(), sumOf(sum)})
	return nil
}

func (w *Writer) write(name string, size int64, modified time.Time, content io.Reader) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: int64(filePerm), ModTime: modified, Format: tar.FormatPAX}
	if err := w.tar.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.CopyN(w.tar, content, size)
	return err
}

// Finish writes the manifest, and gives the archive its name once all is on the disk.
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
		err = os.Link(w.file.Name(), w.path) // which, unlike a rename, replaces nothing
		if err != nil && !errors.Is(err, fs.ErrExist) {
			err = os.Rename(w.file.Name(), w.path) // a file system without links
		}
	}
	_ = os.Remove(w.file.Name()) // its other name is the archive
	if err != nil {
		return Manifest{}, fmt.Errorf("backup: %w", err)
	}
	return w.manifest, nil
}

// Abort removes what was written. After Finish it does nothing.
func (w *Writer) Abort() {
	_ = w.zip.Close() // it is thrown away
	_ = w.file.Close()
	_ = os.Remove(w.file.Name())
}

// report returns a function that reports the progress of reading files, n bytes further.
func (w *Writer) report(ctx context.Context) func(n int) {
	return func(n int) {
		w.read += int64(n)
		progress.Bytes(ctx, "files in the backup", w.read, max(w.read, w.expected))
	}
}

// reading reads r until ctx ends, and calls report with the length of each part.
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

// sumOf returns the text of a sum.
func sumOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
