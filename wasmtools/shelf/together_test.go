package shelf_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/wasmtools/shelf"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// shelfVariable has a test process add plugins to the shelf in a folder.
const shelfVariable = "WINDIE_TEST_SHELF"

const addedByEach = 8

// addMany adds plugins from the file echo.wasm of the market's folder.
func (m *market) addMany(prefix string) {
	m.t.Helper()
	for i := range addedByEach {
		m.mustAdd(shelf.Request{Reference: filepath.Join(m.dir, "echo.wasm"), As: fmt.Sprintf("%s_%d", prefix, i)})
	}
}

// Two processes add plugins at once: each waits for the other, and none is lost.
func TestTwoProcessesAdd(t *testing.T) {
	m := newMarket(t)
	if dir := os.Getenv(shelfVariable); dir != "" {
		m.dir = dir
		m.cfg.Dir, m.cfg.Grants = filepath.Join(dir, "plugins"), filepath.Join(dir, "grants.json")
		m.addMany("other")
		return
	}
	t.Parallel()
	if err := os.WriteFile(filepath.Join(m.dir, "echo.wasm"), wasmtest.Echo(), 0o600); err != nil {
		t.Fatal(err)
	}
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTwoProcessesAdd$")
	other.Env = append(os.Environ(), shelfVariable+"="+m.dir)
	var out strings.Builder
	other.Stdout, other.Stderr = &out, &out
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	m.addMany("own")
	if err := other.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	list, err := m.shelf().List()
	if err != nil || len(list) != 2*addedByEach {
		t.Errorf("%d plugins of %d, %v", len(list), 2*addedByEach, err)
	}
	for _, p := range list {
		if p.Problem != "" {
			t.Errorf("%s: %s", p.Name, p.Problem)
		}
	}
}

// A plugin that a gateway was given since the plan keeps its name.
func TestApplyAfterAnUpload(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	s := m.shelf()
	c, err := s.Plan(t.Context(), shelf.Request{Reference: m.push("a:1", pkg(`{"name":"repeat"}`))})
	if err != nil {
		t.Fatal(err)
	}
	uploaded := filepath.Join(m.cfg.Dir, "repeat", "repeat.js")
	if err := os.MkdirAll(filepath.Dir(uploaded), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(uploaded, []byte("// by hand"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), c); err == nil || !strings.Contains(messageOf(err), "the folder already has a plugin \"repeat\"") {
		t.Errorf("applied: %v", err)
	}
	if content, err := os.ReadFile(uploaded); err != nil || string(content) != "// by hand" {
		t.Errorf("it holds %q, %v", content, err)
	}
}
