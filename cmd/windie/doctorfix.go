package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/windieos/windie/state/identity"
)

// repair repairs the subject of one check. It never loses data, whatever the cause. It returns what
// it did, or "" for nothing.
type repair struct {
	check string
	mend  func() (did string, err error)
}

// repairs lists the repairs of `windie doctor --fix`.
func (c *config) repairs() []repair {
	return []repair{
		{"data", c.mendFolders},
		{"data", c.mendLeftovers},
		{"state", func() (string, error) { return mendMode(filepath.Join(c.DataDir, databaseName)) }},
		{"approvals", c.mendApprovalKey},
	}
}

// fix runs all repairs, and returns what they did and what failed.
func (c *config) fix() (did []string) {
	for _, r := range c.repairs() {
		said, err := r.mend()
		if err != nil {
			said = fmt.Sprintf("%s could not be repaired: %v", r.check, err)
		}
		if said != "" {
			did = append(did, said)
		}
	}
	return did
}

// mendFolders creates the data folder, and the folders that a gateway creates in it.
func (c *config) mendFolders() (string, error) {
	_, err := os.Stat(c.DataDir)
	if !errors.Is(err, fs.ErrNotExist) {
		return "", c.makeDirs()
	}
	if err := c.makeDirs(); err != nil {
		return "", err
	}
	return "created the folder " + c.DataDir, nil
}

// mendLeftovers removes temporary files of interrupted commands. It removes only entries older than
// staleAfter, because no command runs that long.
func (c *config) mendLeftovers() (string, error) {
	list, err := os.ReadDir(c.tempDir())
	if err != nil {
		return "", nil //nolint:nilerr // there is not a folder, or the check of it says what is wrong
	}
	removed := 0
	for _, entry := range list {
		info, err := entry.Info()
		if err != nil || time.Since(info.ModTime()) < staleAfter {
			continue
		}
		if err := os.RemoveAll(filepath.Join(c.tempDir(), entry.Name())); err != nil {
			return "", err
		}
		removed++
	}
	if removed == 0 {
		return "", nil
	}
	return fmt.Sprintf("deleted %d temporary files older than a day in %s", removed, c.tempDir()), nil
}

// sweepLeftovers is mendLeftovers for a starting gateway.
func (c *config) sweepLeftovers(log *slog.Logger) {
	if did, err := c.mendLeftovers(); err != nil {
		log.Warn("cannot delete temporary files of interrupted operations", slog.Any("err", err))
	} else if did != "" {
		log.Info(did)
	}
}

// mendApprovalKey restricts the key's file to the gateway's user, and removes a file without a key:
// the gateway makes a new one when it starts.
func (c *config) mendApprovalKey() (string, error) {
	name := c.approvalKeyFile()
	if c.Mode == hostedMode {
		return "", nil
	}
	if did, err := mendMode(name); did != "" || err != nil {
		return did, err
	}
	if _, err := os.ReadFile(name); err != nil {
		return "", nil //nolint:nilerr // the gateway makes one that is not there, and the check says what is wrong with one that is
	}
	if _, err := identity.ReadLocalKey(name); err == nil {
		return "", nil
	}
	return "deleted " + name + ", which contained no key; the gateway creates another when it starts", os.Remove(name)
}

// mendMode restricts a file's access to its owner.
func mendMode(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return "", nil //nolint:nilerr // what is not there needs no mending
	}
	if err := os.Chmod(name, 0o600); err != nil {
		return "", err
	}
	return name + " is now readable only by the gateway's user", nil
}
