//go:build unix

package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// newFolder makes a folder that the server's user can use, with a path short
// enough for a socket in it.
func newFolder() (string, error) {
	dir, err := os.MkdirTemp(root(), "pgtest")
	if err != nil {
		return "", err
	}
	c, err := credential()
	if err == nil && c != nil {
		err = os.Chown(dir, int(c.Uid), int(c.Gid))
	}
	return dir, err
}

// longest is how many bytes a folder's path may have: a socket's own bound is
// 103 on some systems, and its name takes some.
const longest = 60

// root is where the folder is made: the usual place for temporary files, unless
// the way there is closed to others, or long.
func root() string {
	for dir := os.TempDir(); len(os.TempDir()) < longest; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode()&0o001 == 0 {
			break
		}
		if dir == filepath.Dir(dir) {
			return os.TempDir()
		}
	}
	return "/tmp"
}

// credential is whom the server runs as, nil for this user: PostgreSQL refuses to run as root.
func credential() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("the ids of the user %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

// command is one that runs in the server's folder, as its user, out of reach of
// a Ctrl-C that is meant for the test program.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = s.dir
	c, _ := credential() // newFolder has asked before
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c, Setpgid: true}
	return cmd
}
