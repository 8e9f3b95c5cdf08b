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

// repair mends one thing that a check looks at, without a loss whatever the reason was. It returns what it
// did, "" for nothing.
type repair struct {
	check string
	mend  func() (did string, err error)
}

// repairs lists what `windie doctor --fix` mends.
func (c *config) repairs() []repair {
	return []repair{
		{"data", c.mendFolders},
		{"data", c.mendLeftovers},
		{"state", func() (string, error) { return mendMode(filepath.Join(c.DataDir, databaseName)) }},
		{"approvals", c.mendApprovalKey},
	}
}

// fix mends what can be mended, and returns what it did and what it could not do.
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

// mendFolders makes the data folder, and those in it that a gateway makes.
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

// mendLeftovers removes temporary files which what was broken off left there: no command works for a day.
func (c *config) mendLeftovers() (string, error) {
	list, err := os.ReadDir(c.tempDir())
	if err != nil {
		return "", nil //nolint:nilerr // there is no folder, or the check of it says what is wrong
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

// sweepLeftovers is mendLeftovers for a gateway that begins.
func (c *config) sweepLeftovers(log *slog.Logger) {
	if did, err := c.mendLeftovers(); err != nil {
		log.Warn("temporary files of what was broken off cannot be removed", slog.Any("err", err))
	} else if did != "" {
		log.Info(did)
	}
}

// mendApprovalKey lets only the gateway's user read the key, and removes a file that holds none: the gateway makes
// another when it starts.
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

// mendMode lets only its owner read and write a file.
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
