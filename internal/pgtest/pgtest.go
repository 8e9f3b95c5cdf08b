// Package pgtest runs PostgreSQL for tests: a real one, on a folder of its own,
// that nobody else can reach.
//
//	url := pgtest.Start(t)      // an empty database on the server that this test program's tests share
//	server := pgtest.Own(t)     // a server of the test's own, to stop and start again
//
// Tests that need it are skipped where it is not installed.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/windieos/windie/internal/testkit"
)

// shared is the server of this test program. Nobody stops it: it ends when the
// program does, however it does.
var shared struct {
	once   sync.Once
	server *Server
	err    error
	count  atomic.Int64 // of databases made
}

// Start returns the URL of an empty database, which is removed with the test.
// The first call starts the server, which takes a second or two.
func Start(t testing.TB) (url string) {
	t.Helper()
	bin := programs(t)
	shared.once.Do(func() { shared.server, shared.err = launch(bin, false) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	name := fmt.Sprintf("test%d", shared.count.Add(1))
	shared.server.admin(t, "CREATE DATABASE "+name)
	t.Cleanup(func() { shared.server.admin(t, "DROP DATABASE "+name+" WITH (FORCE)") })
	return shared.server.url(name)
}

// Own returns a server with an empty database, which ends with the test. What
// it has acknowledged is on disk.
func Own(t testing.TB) *Server {
	t.Helper()
	s, err := launch(programs(t), true)
	if err != nil {
		t.Fatal(err)
	}
	s.URL = s.url("postgres")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("PostgreSQL printed:\n%s", s.output())
		}
		s.remove()
	})
	return s
}

// programs returns the folder of initdb and postgres, or skips the test.
func programs(t testing.TB) string {
	t.Helper()
	var folders []string
	if found, err := exec.LookPath("initdb"); err == nil {
		if program, err := filepath.EvalSymlinks(found); err == nil { // initdb looks for postgres beside itself
			folders = append(folders, filepath.Dir(program))
		}
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is a good one
	slices.Reverse(debian)
	for _, folder := range append(folders, debian...) {
		if isProgram(folder, "initdb") && isProgram(folder, "postgres") {
			return folder
		}
	}
	testkit.Skip(t, "PostgreSQL, with the program initdb,", "make deps")
	return ""
}

func isProgram(folder, name string) bool {
	info, err := os.Stat(filepath.Join(folder, name))
	return err == nil && !info.IsDir() && info.Mode()&0o111 != 0
}

// admin runs one statement on the server, outside any test's database.
func (s *Server) admin(t testing.TB, statement string) {
	t.Helper()
	ctx := context.Background() // a test's own has ended when it cleans up
	conn, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Error(err)
	}
}

// url is where a database is reached: over a socket in the server's folder. The
// host before that is for code that looks for one in a URL.
func (s *Server) url(name string) string {
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Host: "localhost", Path: "/" + name, RawQuery: url.Values{"host": {s.dir}}.Encode()}
	return u.String()
}
