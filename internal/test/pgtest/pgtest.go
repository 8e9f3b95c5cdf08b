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
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windieos/windie/internal/test/testkit"
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
	testkit.Skip(t, "PostgreSQL", "make deps")
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

// How long a server may take to answer for the first time, or to end.
const patience = 60 * time.Second

// superuser is the name that everybody connects by, without a password: only
// the server's own user can reach its folder.
const superuser = "windie"

// Server is a running PostgreSQL. Its methods are for one goroutine.
type Server struct {
	URL string // of an empty database; see Own

	bin     string // folder of the programs
	dir     string // data, log and socket
	durable bool   // wait for the disk
	child   *exec.Cmd
	alive   io.Closer // ends the server when closed, as it is when this program ends
}

func launch(bin string, durable bool) (*Server, error) {
	dir, err := newFolder()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, dir: dir, durable: durable}
	initdb := s.command(filepath.Join(bin, "initdb"), "-D", s.data(), "-A", "trust", "-U", superuser, "-E", "UTF8", "--locale=C", "--no-sync")
	if output, err := initdb.CombinedOutput(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("initdb: %w; it printed:\n%s", err, output)
	}
	if err := s.start(); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }
func (s *Server) output() string {
	text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return string(text)
}

// watcher starts the server and ends it when its own input does, in a shell,
// since nothing else outlives a test program that is killed. Its first argument
// is the signal to end it with, unless a file of that name says another.
const watcher = `exec 2>>log
"$@" </dev/null >>log 2>&1 &
read -r how
kill -"${how:-INT}" $!
wait $!
[ -n "$how" ] || rm -rf -- "$PWD"`

func (s *Server) start() error {
	args := []string{"-c", watcher, "sh", filepath.Join(s.bin, "postgres"), "-D", s.data(), "-k", s.dir, "-c", "listen_addresses=", "-c", "max_connections=200"}
	if !s.durable {
		args = append(args, "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off")
	}
	s.child = s.command("sh", args...)
	alive, err := s.child.StdinPipe()
	if err != nil {
		return err
	}
	if err := s.child.Start(); err != nil {
		return err
	}
	s.alive = alive
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.url("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not answer: %w; it printed:\n%s", err, s.output())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop ends the server, and all connections to it, in order.
func (s *Server) Stop(t testing.TB) { t.Helper(); s.end(t, "INT") }

// Crash ends the server as a crash would: what it knows by then is on disk or lost.
func (s *Server) Crash(t testing.TB) { t.Helper(); s.end(t, "QUIT") }

func (s *Server) end(t testing.TB, signal string) {
	t.Helper()
	_, err := io.WriteString(s.alive.(io.Writer), signal+"\n")
	if err := errors.Join(err, s.alive.Close(), s.child.Wait()); err != nil {
		t.Fatalf("PostgreSQL did not stop: %v; it printed:\n%s", err, s.output())
	}
	s.child = nil
}

// Restart starts a server that was stopped, on what it kept.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) remove() {
	if s.child != nil && s.alive != nil {
		_ = s.alive.Close() // the watcher does the rest
		_ = s.child.Wait()
	}
	_ = os.RemoveAll(s.dir)
}
