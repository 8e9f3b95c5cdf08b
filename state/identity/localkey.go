package identity

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// The local key authenticates a person's own programs to a local gateway (docs/mcp.md). Its file
// has the key in hexadecimal.
const (
	localKeyBytes             = 32
	localKeyPerm  fs.FileMode = 0o600
	ownersOnly    fs.FileMode = 0o077 // permission bits that must be unset
)

// LocalKey returns the key in the file at the path name, and creates the file if it is missing.
// Processes that start at the same time get the same key. If other users can read the file,
// LocalKey makes the file private and logs a warning.
func LocalKey(name string, log *slog.Logger) (string, error) {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(name); err != nil {
			return "", fmt.Errorf("cannot create the key for approvals: %w; give the gateway's user write permission on %s", err, filepath.Dir(name))
		}
	}
	if err := CheckLocalKey(name); err != nil {
		if os.Chmod(name, localKeyPerm) != nil || CheckLocalKey(name) != nil {
			return "", err
		}
		log.Warn("other users of this machine could read the key for approvals; now only the gateway's user can; "+
			"if they may have copied it, delete the file and restart the gateway to create another key", slog.String("file", name))
	}
	return ReadLocalKey(name)
}

// makeKey writes a new key, unless another process writes one at the same time.
func makeKey(name string) error {
	random := make([]byte, localKeyBytes)
	_, _ = rand.Read(random)                                      // Read never fails
	temporary, err := os.CreateTemp(filepath.Dir(name), ".new-*") // with localKeyPerm
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.WriteString(hex.EncodeToString(random) + "\n")
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	// A link appears atomically and never replaces a file.
	if err = os.Link(temporary.Name(), name); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// CheckLocalKey returns an error if other users can read the key's file. On Windows, files have no
// such permission bits, but the user's folder is private.
func CheckLocalKey(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case runtime.GOOS != "windows" && info.Mode().Perm()&ownersOnly != 0:
		return fmt.Errorf("other users of this machine can read %s, so they could approve calls: run chmod 600 on it, or choose a data folder on a disk that supports file permissions", name)
	}
	return nil
}

// ReadLocalKey returns the key in a file. It fails if the file has no valid key.
func ReadLocalKey(name string) (string, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("cannot read the key for approvals: %w; give the gateway's user read permission, or delete the file: the next start creates another key", err)
	}
	key := strings.TrimSpace(string(raw))
	if random, err := hex.DecodeString(key); err != nil || len(random) != localKeyBytes {
		return "", fmt.Errorf("%s has no valid key; delete the file: the next start creates another key", name)
	}
	return key, nil
}
