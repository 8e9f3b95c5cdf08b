package main

import (
	"context"
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

// The key by which programs of a person's show a local gateway that they are
// such, see docs/mcp.md. It is kept as text, in hexadecimal digits.
const (
	approvalKeyBytes             = 32
	keyPerm          fs.FileMode = 0o600
	ownersOnly       fs.FileMode = 0o077 // bits that must not be set
)

func (c *config) approvalKeyFile() string { return filepath.Join(c.DataDir, "approval.key") }

// approvalKey returns the key of the data folder, which it makes where there is
// none. Processes that start at once get the same. A hosted gateway has none:
// there a user's token says who decides.
func (c *config) approvalKey(log *slog.Logger) (string, error) {
	if c.Mode == hostedMode {
		return "", nil
	}
	name := c.approvalKeyFile()
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(name); err != nil {
			return "", fmt.Errorf("the key that approvals ask for cannot be made: %w; let the gateway's user write to %s", err, c.DataDir)
		}
	}
	if err := checkKeyMode(name); err != nil {
		if os.Chmod(name, keyPerm) != nil || checkKeyMode(name) != nil {
			return "", err
		}
		log.Warn("the key that approvals ask for could be read by other users of this machine, and is the gateway's user's alone now; "+
			"delete the file and start again to have another key", slog.String("file", name))
	}
	return readKey(name)
}

// makeKey keeps a new key, unless another process does at the same time.
func makeKey(name string) error {
	random := make([]byte, approvalKeyBytes)
	_, _ = rand.Read(random)                                      // it never fails
	temporary, err := os.CreateTemp(filepath.Dir(name), ".new-*") // with keyPerm
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
	if err = os.Link(temporary.Name(), name); errors.Is(err, fs.ErrExist) { // whole, and never in place of another
		return nil
	}
	return err
}

// checkKeyMode reports whether the file of the key is its owner's alone. Windows
// has no such bits; there the folder of the user is private.
func checkKeyMode(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case runtime.GOOS != "windows" && info.Mode().Perm()&ownersOnly != 0:
		return fmt.Errorf("other users of this machine can read %s, and so could approve calls: run chmod 600 on it, or choose a data folder on a disk that knows of permissions", name)
	}
	return nil
}

// readKey returns the key in a file.
func readKey(name string) (string, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("the key that approvals ask for: %w; let the gateway's user read it, or delete it: the next start makes another", err)
	}
	key := strings.TrimSpace(string(raw))
	if random, err := hex.DecodeString(key); err != nil || len(random) != approvalKeyBytes {
		return "", fmt.Errorf("%s holds no key; delete it: the next start makes another", name)
	}
	return key, nil
}

// checkApprovalKey looks at the key for the doctor, and makes none.
func (c *config) checkApprovalKey(context.Context) (string, error) {
	name := c.approvalKeyFile()
	_, err := os.Lstat(name)
	switch {
	case c.Mode == hostedMode:
		return "users' tokens say who decides", nil
	case errors.Is(err, fs.ErrNotExist):
		return "the gateway makes " + name + " when it starts", nil
	}
	if err := checkKeyMode(name); err != nil {
		return "", err
	}
	_, err = readKey(name)
	return name + " is the gateway's user's alone", err
}
