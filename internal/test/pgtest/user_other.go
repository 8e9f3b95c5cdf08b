//go:build !unix

package pgtest

import (
	"errors"
	"os/exec"
)

func newFolder() (string, error) {
	return "", errors.New("PostgreSQL is run for tests where there are Unix sockets alone")
}

func (s *Server) command(name string, args ...string) *exec.Cmd { return exec.Command(name, args...) }
