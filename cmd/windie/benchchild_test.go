//go:build system

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/state/identity"
)

// childEnv names the variable that makes this test program a gateway of a
// benchmark, in a process of its own: what the benchmark itself takes must not
// count. Its words are the kind of gateway, and what that is to do; or those of
// a command of windie's.
const childEnv = "BENCH_GATEWAY"

// profileEnv names the folder that the processors' profiles of gateways go to.
const profileEnv = "BENCH_PROFILES"

func TestMain(m *testing.M) {
	if words := strings.Fields(os.Getenv(childEnv)); len(words) > 0 {
		if err := joinGroup(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitFailed)
		}
		os.Exit(beGateway(words))
	}
	os.Exit(m.Run())
}

// beGateway serves until its parent is gone, or it is told to stop.
func beGateway(words []string) int {
	ctx, cancel := context.WithCancel(untilSignaled())
	defer cancel()
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		cancel()
	}()
	if folder := os.Getenv(profileEnv); folder != "" {
		defer profile(filepath.Join(folder, strings.Join(words, "-")+".pprof"))()
	}
	if words[0] == "serve" || words[0] == "token" || words[0] == "user" {
		return run(ctx, words, os.Environ(), nil, os.Stdout, os.Stderr)
	}
	if words[0] == "errands" {
		if err := serveErrands(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return exitFailed
		}
		return 0
	}
	if err := serveScript(ctx, words); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	return 0
}

// profile notes in a file what computes, until stop.
func profile(file string) (stop func()) {
	out, err := os.Create(file)
	if err == nil {
		err = pprof.StartCPUProfile(out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return func() {}
	}
	return func() {
		pprof.StopCPUProfile()
		_ = out.Close()
	}
}

// serveScript serves as `windie serve` does, but for the model, which speaks at
// a fixed pace: the words are the pieces of an answer, and how many come in a
// second.
func serveScript(ctx context.Context, words []string) error {
	model, err := newPaced(words[0], words[1])
	if err != nil {
		return err
	}
	log := slog.New(slog.DiscardHandler)
	cmd := new(cobra.Command)
	c, err := addConfigFlags(cmd, os.Environ())()
	if err != nil {
		return err
	}
	kept, err := openState(ctx, c, log, asMain)
	if err != nil {
		return err
	}
	defer kept.close()
	visible, scenes := c.visible(kept.artifacts), newScenes(c, nil, pools{})
	_, tools, err := newTools(ctx, c, visible, kept, scenes)
	if err != nil {
		return err
	}
	sessions := session.New(session.Config{
		Journal: kept.journal, Tools: tools, System: "You are a helpful assistant.",
		Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return model, models.Request{Model: "paced"}, nil
		},
	})
	defer sessions.Close()
	_, language, err := newSessions(c, nil, kept, nil, tools, nil, log)
	if err != nil {
		return err
	}
	ln, err := listen(ctx, c)
	if err != nil {
		return err
	}
	greet(cmd, "http://"+ln.Addr().String(), c.Mode)
	return doors.New(c.hosting(gateway.App{Models: language,
		Identity: identity.Open(kept.db), Store: visible, Scenes: scenes, State: kept.db, Journal: kept.journal,
		Sessions: sessions, Tools: tools, Log: log,
	})).Serve(ctx, ln)
}

// paced is a model whose answers have so many pieces, one each so often. A
// piece is "@" and the time when it was said.
type paced struct {
	pieces int
	every  time.Duration
}

func newPaced(pieces, perSecond string) (paced, error) {
	n, err := strconv.Atoi(pieces)
	rate, bad := strconv.ParseFloat(perSecond, 64)
	return paced{n, time.Duration(float64(time.Second) / rate)}, errors.Join(err, bad)
}

func (p paced) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return models.Scripted(ctx, "paced", req, func(ctx context.Context, answer *models.Answer) error {
		tick := time.NewTicker(p.every)
		defer tick.Stop()
		for range p.pieces {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-tick.C:
			}
			if err := answer.Text(fmt.Sprintf("@%d says, ", time.Now().UnixNano())); err != nil {
				return err
			}
		}
		answer.End(models.Stop)
		return nil
	})
}

// hosted is a gateway in another process, in hosted mode and without limits.
type hosted struct {
	url string
	pid int
}

// operatorToken is what the gateways of benchmarks ask their operator for.
const operatorToken = "operator-token-of-the-benchmarks"

// host starts one, which ends with the benchmark.
func host(b *testing.B, words ...any) *hosted {
	b.Helper()
	return hostWith(b, words)
}

// hostWith starts one with variables added to its environment.
func hostWith(b testing.TB, words []any, variables ...string) *hosted {
	b.Helper()
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), childEnv+"="+strings.TrimSpace(fmt.Sprintln(words...)), "WINDIE_DATA_DIR="+filepath.Join(b.TempDir(), "data"),
		"WINDIE_LISTEN=127.0.0.1:0", "WINDIE_MODE=hosted", "WINDIE_LOG_LEVEL=warn", "WINDIE_OPERATOR_TOKEN="+operatorToken)
	for _, s := range settings(new(config)) {
		if strings.HasPrefix(s.key, "limits.") {
			cmd.Env = append(cmd.Env, s.env+"=0")
		}
	}
	cmd.Env = append(cmd.Env, variables...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	in, err := cmd.StdinPipe() // which is closed when this process ends
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if m := readyLine.FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return &hosted{url: m[1], pid: cmd.Process.Pid}
		}
	}
	b.Fatal("the gateway does not start")
	return nil
}

// commandProcess runs a command in a process of its own, and says when it returned.
func commandProcess(t *testing.T, variables []string, args ...string) (out []byte, returned time.Time) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(append(os.Environ(), variables...), childEnv+"="+strings.Join(args, " "))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe() // it ends with that
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err = cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out, time.Now()
}

// resident is how much memory the gateway has, in bytes.
func (h *hosted) resident(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", h.pid))
	if err != nil {
		b.Skip("this system does not tell:", err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		b.Fatal(err)
	}
	return float64(pages * os.Getpagesize())
}

// cpu is how long a process has computed. 100 ticks are a second on every
// Linux.
func cpu(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip("this system does not tell:", err)
	}
	_, rest, _ := strings.Cut(string(text), ") ") // behind the name, which may have spaces
	var ticks time.Duration
	for _, word := range strings.Fields(rest)[11:13] {
		n, err := strconv.Atoi(word)
		if err != nil {
			b.Fatal(err)
		}
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond
}
