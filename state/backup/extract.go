package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/windieos/windie/internal/progress"
)

// maxWindow limits the memory that zstd may use for an archive, in bytes.
const maxWindow = 64 << 20

// maxManifest limits the size of the manifest, in bytes. It has room for some ten million files.
const maxManifest = 2 << 30

// ErrDamaged is in the chain of the error that Extract returns for a damaged or incomplete archive.
var ErrDamaged = errors.New("the backup is damaged or incomplete; use another backup")

// ErrNewer is in the chain of the error that Extract returns for an archive with a newer format,
// which a newer version of windie wrote.
var ErrNewer = errors.New("a newer version of windie wrote the backup; restore it with that version")

// Extract creates a folder, and extracts all files of an archive into it. archive and folder are
// the paths. Extract fails if the folder exists. When Extract returns nil, every file is on disk
// and matches its hash in the manifest. If a file cannot be extracted, Extract removes the folder.
func Extract(ctx context.Context, archive, folder string) (m Manifest, err error) {
	file, err := os.Open(archive)
	if err != nil {
		return m, err
	}
	defer file.Close()
	if err := os.Mkdir(folder, 0o700); err != nil {
		return m, err
	}
	info, err := file.Stat()
	if err != nil {
		return m, errors.Join(err, os.RemoveAll(folder))
	}
	read := int64(0)
	in := &reading{ctx, file, func(n int) {
		read += int64(n)
		progress.Bytes(ctx, "of the backup unpacked", read, info.Size())
	}}
	if m, err = extract(ctx, in, folder); err != nil {
		err = fmt.Errorf("backup: %s: %w", archive, err)
		return Manifest{}, errors.Join(err, os.RemoveAll(folder))
	}
	return m, nil
}

// extract extracts an archive into an existing folder. If it fails, the files that it wrote remain.
func extract(ctx context.Context, from io.Reader, to string) (Manifest, error) {
	root, err := os.OpenRoot(to) // keeps every name inside the folder
	if err != nil {
		return Manifest{}, err
	}
	defer root.Close()
	unzip, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return Manifest{}, err
	}
	defer unzip.Close()
	in, found := tar.NewReader(unzip), map[string]File{}
	for {
		header, err := in.Next()
		switch {
		case ctx.Err() != nil:
			return Manifest{}, ctx.Err()
		case err != nil: // io.EOF too: the manifest is missing
			return Manifest{}, errors.Join(ErrDamaged, err)
		case header.Typeflag != tar.TypeReg || !fs.ValidPath(header.Name):
			return Manifest{}, fmt.Errorf("%w: the backup contains %q, which does not belong in a backup", ErrDamaged, header.Name)
		case header.Name == manifestName:
			return readManifest(in, found)
		}
		one, err := extractOne(root, header, in)
		if err != nil {
			return Manifest{}, err
		}
		found[one.Path] = one
	}
}

// extractOne writes one file, and returns its path, size and hash.
func extractOne(root *os.Root, header *tar.Header, in io.Reader) (File, error) {
	if dir := path.Dir(header.Name); dir != "." {
		if err := root.MkdirAll(filepath.FromSlash(dir), 0o700); err != nil {
			return File{}, err
		}
	}
	name := filepath.FromSlash(header.Name)
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if err != nil {
		return File{}, err
	}
	sum := sha256.New()
	size, readErr := io.Copy(io.MultiWriter(file, sum), in)
	err = errors.Join(file.Sync(), file.Close())
	if readErr != nil {
		return File{}, errors.Join(ErrDamaged, readErr)
	}
	if err == nil {
		err = root.Chtimes(name, header.ModTime, header.ModTime)
	}
	return File{header.Name, size, sumOf(sum)}, err
}

// readManifest reads the manifest and compares it with the extracted files.
func readManifest(in io.Reader, found map[string]File) (m Manifest, err error) {
	text, err := io.ReadAll(io.LimitReader(in, maxManifest))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return m, errors.Join(ErrDamaged, err)
	}
	if m.Format > format {
		return m, ErrNewer
	}
	for _, f := range m.Files {
		if found[f.Path] != f {
			return m, fmt.Errorf("%w: %s differs from the manifest", ErrDamaged, f.Path)
		}
	}
	if len(found) != len(m.Files) {
		return m, fmt.Errorf("%w: the backup contains files that the manifest does not list", ErrDamaged)
	}
	return m, nil
}
