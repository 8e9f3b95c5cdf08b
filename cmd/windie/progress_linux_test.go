//go:build system

package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/state/retention"
)

// manyScreens returns a folder whose screens take over a second to read.
func manyScreens(t *testing.T) string {
	t.Helper()
	screens, dir := filepath.Join(testkit.RepoRoot(t), "perception", "testdata", "screens"), t.TempDir()
	for _, name := range []string{"board", "calendar", "chat", "dashboard", "dialog", "landing", "mail", "login"} {
		for _, kind := range []string{".png", ".json"} {
			if err := os.Symlink(filepath.Join(screens, name+kind), filepath.Join(dir, name+kind)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "questions.json"), []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A command that takes over a second says on a terminal how far it is, beside its answer, and elsewhere nothing.
func TestProgressOfCommands(t *testing.T) {
	t.Parallel()
	dir := manyScreens(t)
	environ := []string{"WINDIE_DATA_DIR=" + t.TempDir()}
	t.Run("terminal", func(t *testing.T) {
		tty, drawn := testkit.Terminal(t)
		var out bytes.Buffer
		if code := run(t.Context(), []string{"eval", dir}, environ, nil, &out, tty); code != 0 {
			t.Fatalf("%d %s", code, drawn())
		}
		if !strings.Contains(out.String(), "board") || strings.Contains(out.String(), "screens read") {
			t.Errorf("printed %s", out.String())
		}
		testkit.Eventually(t, "the line came and is gone", func() (string, bool) {
			return drawn(), strings.Contains(drawn(), "/8)") && strings.Contains(drawn(), "screens read") && strings.HasSuffix(drawn(), "\r")
		})
	})
	t.Run("pipe", func(t *testing.T) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		code := run(t.Context(), []string{"eval", dir}, environ, nil, io.Discard, w)
		_ = w.Close()
		if said, err := io.ReadAll(r); err != nil || code != 0 || len(said) > 0 {
			t.Errorf("%d %q %v", code, said, err)
		}
	})
}

// Building a plugin and measuring one show on a terminal how far they are; what the compiler says comes behind that.
func TestProgressOfPluginTools(t *testing.T) {
	t.Parallel()
	root, dir := testkit.RepoRoot(t), t.TempDir()
	environ := append(os.Environ(), "WINDIE_DATA_DIR="+filepath.Join(dir, "data"), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	words := filepath.Join(dir, "words")
	quiet := func(args ...string) {
		t.Helper()
		var said bytes.Buffer
		if code := run(t.Context(), append([]string{"tool"}, args...), environ, nil, io.Discard, &said); code != 0 {
			t.Fatalf("%s: %s", args, said.String())
		}
	}
	quiet("new", "go", words, "--kit", root)
	quiet("build", words)
	cold := append(slices.Clone(environ), "GOCACHE="+filepath.Join(dir, "cache")) // so that building takes over a second
	for _, tt := range []struct {
		name    string
		args    []string
		environ []string
		line    string // that is drawn
		said    string // behind it
	}{
		{"build", []string{"build", words}, cold, "building " + words, "+ GOOS=wasip1"},
		{"bench", []string{"bench", filepath.Join(words, "words.wasm"), "count", `{"text": "one two"}`, "-n", "300"}, environ, "calls in fresh", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tty, drawn := testkit.Terminal(t)
			var out bytes.Buffer
			if code := run(t.Context(), append([]string{"tool"}, tt.args...), tt.environ, nil, &out, tty); code != 0 {
				t.Fatalf("%d %s", code, drawn())
			}
			testkit.Eventually(t, "the line and what follows", func() (string, bool) {
				_, behind, found := strings.Cut(drawn(), tt.line)
				return drawn(), found && strings.Contains(behind, tt.said)
			})
		})
	}
}

// A backup and what is restored of it report how many bytes of all are done.
func TestProgressOfBackups(t *testing.T) {
	t.Parallel()
	var steps []progress.Step
	ctx := progress.To(t.Context(), func(s progress.Step) { steps = append(steps, s) })
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	file := filepath.Join(from, "memory", "big.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Repeat([]byte("word "), 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	kept(t, from) // a database, and all else of a gateway
	archive := filepath.Join(t.TempDir(), "a.tar.zst")
	for _, work := range []struct {
		dir  string
		args func(c *config) error
	}{
		{from, func(c *config) error { _, err := c.backup(ctx, archive); return err }},
		{to, func(c *config) error { _, err := c.restore(ctx, archive, false); return err }},
	} {
		t.Run(filepath.Base(work.dir), func(t *testing.T) {
			steps = nil
			c, err := loadWith(t, nil, []string{"WINDIE_DATA_DIR=" + work.dir}, "")
			if err != nil {
				t.Fatal(err)
			}
			if err := work.args(c); err != nil {
				t.Fatal(err)
			}
			if len(steps) < 2 {
				t.Fatalf("%d steps", len(steps))
			}
			for i, s := range steps {
				if !s.Bytes || s.Of == 0 || s.Done > s.Of || i > 0 && s.Done < steps[i-1].Done {
					t.Errorf("step %d is %+v", i, s)
				}
			}
			if last := steps[len(steps)-1]; last.Done < last.Of*9/10 {
				t.Errorf("the last step is %+v", last)
			}
		})
	}
}

// What is pruned is counted and removed with reports of how many of all are done.
func TestProgressOfPrune(t *testing.T) {
	t.Parallel()
	c, kept := keptThings(t, t.TempDir())
	ages := map[string]*time.Duration{}
	for _, kind := range prunable {
		ages[kind] = new(time.Duration)
	}
	*ages["artifacts"], *ages["prompts"] = time.Nanosecond, time.Nanosecond
	store := kept.openRetention(c, slog.New(slog.DiscardHandler), retention.Options{Now: func() time.Time { return time.Now().Add(48 * time.Hour) }}) // all of now is old
	var steps []string
	ctx := progress.To(t.Context(), func(s progress.Step) { steps = append(steps, fmt.Sprint(s.What, " ", s.Done, "/", s.Of)) })
	found, err := c.pruneEach(ctx, store, ages, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.pruneEach(ctx, store, ages, found.Kinds); err != nil {
		t.Fatal(err)
	}
	want := []string{"counting artifacts 0/0", "counting prompts 0/0", "counting prompts 1/0", "counting prompts 2/0", "counting prompts 3/0",
		"removing artifacts 0/3", "removing artifacts 3/3", // which are removed together
		"removing prompts 0/3", "removing prompts 1/3", "removing prompts 2/3", "removing prompts 3/3"}
	if !slices.Equal(steps, want) {
		t.Errorf("got %q, want %q", steps, want)
	}
}
