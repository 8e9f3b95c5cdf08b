package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/windieos/windie/identity"
)

func (c *config) approvalKeyFile() string { return filepath.Join(c.DataDir, "approval.key") }

// approvalKey returns the key that shows a local gateway a person's own programs.
// A hosted gateway has none: there a user's token says who decides.
func (c *config) approvalKey(log *slog.Logger) (string, error) {
	if c.Mode == hostedMode {
		return "", nil
	}
	return identity.LocalKey(c.approvalKeyFile(), log)
}

// checkApprovalKey checks the key for the doctor, and does not create it.
func (c *config) checkApprovalKey(context.Context) (string, error) {
	name := c.approvalKeyFile()
	_, err := os.Lstat(name)
	switch {
	case c.Mode == hostedMode:
		return "users' tokens say who decides", nil
	case errors.Is(err, fs.ErrNotExist):
		return "the gateway makes " + name + " when it starts", nil
	}
	if err := identity.CheckLocalKey(name); err != nil {
		return "", err
	}
	_, err = identity.ReadLocalKey(name)
	return name + " is the gateway's user's alone", err
}
