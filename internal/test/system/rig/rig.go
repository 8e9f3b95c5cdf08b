// Package rig runs the program as people do, in processes of its own, for tests of the whole.
//
//	func TestMain(m *testing.M) { rig.Main(m) }
//
//	func TestReady(t *testing.T) {
//		url := rig.Serve(t, "WINDIE_MODE=hosted")
//		code, printed, complaint := rig.Windie(t, nil, "doctor", "--running", "--listen", strings.TrimPrefix(url, "http://"))
//		…
//	}
//
// WINDIE_TEST_PROGRAM names a program to run; without it one is built, once for each process of tests.
package rig

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The program's exit codes besides 0.
const (
	ExitFailed  = 1 // the command ran, and the answer is no
	ExitUsage   = 2 // the command could not run as it was called
	ExitDamaged = 3 // the database is damaged
)

// ReadyLine is what a gateway prints once it serves, with its URL.
var ReadyLine = regexp.MustCompile(`Windie is ready at (http://\S+)`)

// Main runs the tests of a package, and removes what Program has built.
func Main(m *testing.M) {
	code := m.Run()
	if dir, err := built(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// built returns a folder that Main removes, for the program.
var built = sync.OnceValues(func() (dir string, err error) { return os.MkdirTemp("", "windie-rig") })

var build = sync.OnceValues(func() (program string, err error) {
	if named := os.Getenv("WINDIE_TEST_PROGRAM"); named != "" {
		return filepath.Abs(named)
	}
	dir, err := built()
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, "windie")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/windieos/windie/cmd/windie").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
})

// Program returns the path of the program.
func Program(t testing.TB) string {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// Output collects what a command prints, and may be read meanwhile.
type Output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// Command returns the program with arguments, whose variables are environ, PATH where that does not set it, and GOCOVERDIR,
// which a program that was built with -cover writes to. When the context ends it gets the signal to stop, and is killed a
// minute later.
func Command(ctx context.Context, environ []string, args ...string) *exec.Cmd {
	program, err := build()
	cmd := exec.CommandContext(ctx, program, args...)
	if err != nil {
		cmd.Err = err // which says more than that there is no such program
	}
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}, environ...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	return cmd
}

// Run runs a command to its end, or until the context ends, and returns its exit code, which is -1 if it was killed or
// did not start; stderr says why.
func Run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd := Command(ctx, environ, args...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if stdin != nil {
		in, err := cmd.StdinPipe() // and not cmd.Stdin: a command that ends before its input does is not waited for
		if err != nil {
			fmt.Fprintln(stderr, err)
			return -1
		}
		go func() {
			_, _ = io.Copy(in, stdin)
			_ = in.Close()
		}()
	}
	if err := cmd.Run(); cmd.ProcessState == nil {
		fmt.Fprintln(stderr, err)
		return -1
	}
	return cmd.ProcessState.ExitCode()
}

// Windie runs a command to its end, with a data folder of its own.
func Windie(t testing.TB, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, complaint Output
	code = Run(t.Context(), args, []string{"WINDIE_DATA_DIR=" + t.TempDir()}, stdin, &out, &complaint)
	return code, out.String(), complaint.String()
}
