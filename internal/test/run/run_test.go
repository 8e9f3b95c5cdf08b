package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module is a module with a test of each kind. A flake fails for as long as its marker is not there.
var module = map[string]string{
	"go.mod": "module example\n\ngo 1.26\n",
	"good/good_test.go": `package good
import "testing"
func TestGood(t *testing.T) { t.Run("case", func(t *testing.T) {}) }
func TestNeeds(t *testing.T) { t.Skip("the moon is missing; to get it: make moon") }
func TestNeedsToo(t *testing.T) { t.Run("case", func(t *testing.T) { t.Skip("the moon is missing; to get it: make moon") }) }
func TestOther(t *testing.T) { t.Log("a word before"); t.Skip("only on Mars") }
func TestLong(t *testing.T) { t.Skip("nobody mounts here:\n    x.go:1: a test within said\nPASS") }`,
	"flaky/flaky_test.go": `package flaky
import ("os"; "testing")
func TestFlaky(t *testing.T) {
	if _, err := os.Stat("marker"); err != nil {
		_ = os.WriteFile("marker", nil, 0o600)
		t.Error("the first time")
	}
}`,
	"dying/dying_test.go": `package dying
import ("os"; "testing")
func TestBefore(t *testing.T) {}
func TestDies(t *testing.T) {
	if _, err := os.Stat("marker"); err != nil {
		_ = os.WriteFile("marker", nil, 0o600)
		panic("the process ends")
	}
}
func TestBehind(t *testing.T) {}`,
	"bad/bad_test.go": `package bad
import "testing"
func TestBad(t *testing.T) { t.Run("case", func(t *testing.T) { t.Error("always") }) }`,
	"broken/broken_test.go": `package broken
func nothing() int {}`,
}

// said runs the tests of packages of the module.
func said(t *testing.T, o options, packages ...string) (ok bool, out string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range module {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if o.flakes != "" {
		o.flakes = filepath.Join(dir, o.flakes)
	}
	o.dir = dir
	var b strings.Builder
	ok, err := o.run(t.Context(), &b, append([]string{"-count=1", "-vet=off"}, packages...))
	if err != nil {
		t.Fatal(err)
	}
	if o.flakes != "" {
		list, _ := os.ReadFile(o.flakes)
		b.WriteString("list: " + string(list))
	}
	return ok, b.String()
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		opts     options
		packages []string
		ok       bool
		want     []string
	}{
		{"skips are counted by what is missing", options{}, []string{"./good"}, true, []string{
			"2 tests skipped: 2 for want of the moon. To run them: make moon\n", "1 test skipped: only on Mars\n", "1 test skipped: nobody mounts here:\n", "3 passed, 0 failed, 4 skipped\n"}},
		{"a failure", options{}, []string{"./good", "./bad"}, false, []string{"always", "4 skipped", "1 failed"}},
		{"a failure that stays one", options{again: true}, []string{"./bad"}, false, []string{"example/bad TestBad failed; it runs twice more, alone", "1 failed"}},
		{"a flake", options{again: true, flakes: "flakes"}, []string{"./flaky", "./good"}, true, []string{
			"FLAKE: example/flaky TestFlaky failed among the others, and passed twice alone:\n", "the first time", "0 failed", "list: example/flaky TestFlaky\n"}},
		{"a flake that runs but once", options{}, []string{"./flaky"}, false, []string{"1 failed"}},
		{"a process that ends", options{again: true}, []string{"./dying"}, true, []string{"FLAKE: example/dying failed among the others", "the process ends"}},
		{"a package that does not build", options{again: true}, []string{"./broken", "./good"}, false, []string{"missing return", "1 failed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ok, out := said(t, tt.opts, tt.packages...)
			if ok != tt.ok {
				t.Errorf("ok is %v:\n%s", ok, out)
			}
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in:\n%s", want, out)
				}
			}
		})
	}
}
