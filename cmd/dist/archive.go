package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// member is a file in an archive.
type member struct {
	path string
	mode int64
	data []byte
}

// archives writes the archive of a program with its extra files, and the archive of its symbols.
func (r *release) archives(p program, extras []extra) error {
	for title, file := range map[string]string{p.title: p.file, p.title + "-symbols": p.symbols} {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		members := []member{{path.Join(title, p.name), 0o755, data}}
		if title == p.title {
			for _, e := range extras {
				members = append(members, member{path.Join(title, e.path), 0o644, e.data})
			}
		}
		write, ending := writeTar, ".tar.gz"
		if p.os == "windows" {
			write, ending = writeZip, ".zip"
		}
		if err := r.file(title+ending, func(w io.Writer) error { return write(w, members, r.time) }); err != nil {
			return err
		}
	}
	return nil
}

// file writes one published file.
func (r *release) file(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(filepath.Join(r.out, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // it is published
	if err != nil {
		return err
	}
	return cmp.Or(write(f), f.Sync(), f.Close())
}

// writeTar writes a compressed tar archive. Members are sorted, belong to root, and have the time
// at.
func writeTar(w io.Writer, members []member, at time.Time) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(packed)
	for _, m := range sorted(members) {
		head := &tar.Header{Name: m.path, Mode: m.mode, Size: int64(len(m.data)), ModTime: at, Typeflag: tar.TypeReg, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
		if err := out.WriteHeader(head); err != nil {
			return err
		}
		if _, err := out.Write(m.data); err != nil {
			return err
		}
	}
	return cmp.Or(out.Close(), packed.Close())
}

// writeZip writes the same members as a zip archive.
func writeZip(w io.Writer, members []member, at time.Time) error {
	out := zip.NewWriter(w)
	for _, m := range sorted(members) {
		head := &zip.FileHeader{Name: m.path, Method: zip.Deflate, Modified: at}
		head.SetMode(os.FileMode(m.mode))
		f, err := out.CreateHeader(head)
		if err != nil {
			return err
		}
		if _, err := f.Write(m.data); err != nil {
			return err
		}
	}
	return out.Close()
}

// sorted returns members by path, and leaves the argument alone.
func sorted(members []member) []member {
	return slices.SortedFunc(slices.Values(members), func(a, b member) int { return cmp.Compare(a.path, b.path) })
}

// sumsFile is the file name of the checksums.
const sumsFile = "SHA256SUMS"

// checksums writes the SHA-256 of each file of a folder, in the format of sha256sum, and returns
// the name of the written file.
func checksums(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var lines []byte
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		lines = fmt.Appendf(lines, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	name := filepath.Join(dir, sumsFile)
	return name, os.WriteFile(name, lines, 0o644) //nolint:gosec // it is published
}
