package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

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

// launch makes a data folder and starts a server on it.
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

// start starts the server on its folder and waits until it answers.
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

// Crash ends the server as a crash would: what it knows by then is on disk or
// lost.
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

// remove ends the server, if it runs, and removes its folder.
func (s *Server) remove() {
	if s.child != nil && s.alive != nil {
		_ = s.alive.Close() // the watcher does the rest
		_ = s.child.Wait()
	}
	_ = os.RemoveAll(s.dir)
}
