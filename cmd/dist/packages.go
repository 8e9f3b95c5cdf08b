package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// packages writes the deb and rpm packages of a Linux program, configured by
// examples/deploy/nfpm.yaml.
func (r *release) packages(ctx context.Context, p program, extras []extra) error {
	if p.os != "linux" {
		return nil
	}
	tree := filepath.Join(r.work, p.title, "package")
	if err := layOut(tree, extras); err != nil {
		return err
	}
	variables := []string{"ARCH=" + p.arch, "VERSION=" + r.version, "PROGRAM=" + p.file, "TREE=" + tree, fmt.Sprint("SOURCE_DATE_EPOCH=", r.time.Unix())}
	for _, kind := range []string{"deb", "rpm"} {
		target := filepath.Join(r.out, p.title+"."+kind)
		if err := r.command(ctx, []string{"nfpm", "package", "--config", "examples/deploy/nfpm.yaml", "--packager", kind, "--target", target}, variables); err != nil {
			return fmt.Errorf("%w; install nfpm with: scripts/deps.sh dist", err)
		}
	}
	return nil
}

// layOut writes the extra files to their Linux locations below a folder. It compresses manual
// pages.
func layOut(tree string, extras []extra) error {
	for _, e := range extras {
		name, data := strings.TrimPrefix(e.path, "completions/"), e.data
		switch {
		case strings.HasPrefix(e.path, "man/"):
			var packed bytes.Buffer
			w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // cannot fail: the level is valid
			if _, err := w.Write(data); err != nil {
				return err
			}
			if err := w.Close(); err != nil {
				return err
			}
			name, data = filepath.Join("share", e.path+".gz"), packed.Bytes()
		case name == "windie.bash":
			name = "share/bash-completion/completions/windie"
		case name == "_windie":
			name = "share/zsh/vendor-completions/_windie"
		case name == "windie.fish":
			name = "share/fish/vendor_completions.d/windie.fish"
		case name == "windie.ps1":
			continue
		default:
			name = filepath.Join("share/doc/windie", e.path)
		}
		file := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // as packages have them
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil { //nolint:gosec // as packages have them
			return err
		}
	}
	return nil
}
