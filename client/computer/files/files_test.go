package files_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/files"
)

func TestMain(m *testing.M) {
	if os.Getenv(writerEnv) != "" {
		writeUntilKilled()
		return
	}
	goleak.VerifyTestMain(m)
}

// machine is the tools of a folder of the test's own.
type machine struct {
	agent.View

	dir string
}

func open(t testing.TB, dir string, rules files.Rules) *machine {
	t.Helper()
	folder, err := files.Open(dir, rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	tools := agent.NewRegistry()
	for _, tool := range folder.Tools() {
		if err := tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	return &machine{tools.View(), dir}
}

// call calls a tool, and returns its answer, or behind "failed: " why there is no answer.
func (m *machine) call(ctx context.Context, t testing.TB, tool string, in any) string {
	t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	result, err := m.Invoke(ctx, tool, agent.Call{Arguments: raw})
	switch {
	case err != nil:
		return "failed: " + err.Error()
	case result.IsError:
		return "failed: " + result.Content[0].Text
	}
	return string(result.Structured)
}

// is calls a tool, whose answer begins with want, or has what stands behind a * of want.
func (m *machine) is(t testing.TB, want, tool string, in any) {
	t.Helper()
	got := m.call(t.Context(), t, tool, in)
	if part, within := strings.CutPrefix(want, "*"); within && !strings.Contains(got, part) || !within && !strings.HasPrefix(got, want) {
		t.Errorf("%s: %.300s; want %s", tool, got, want)
	}
}

// hasNot fails if a tool is there.
func (m *machine) hasNot(t testing.TB, tool string) {
	t.Helper()
	if _, offered := m.Get(tool); offered {
		t.Errorf("%s is there where that is not allowed", tool)
	}
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

type arguments map[string]any

// What files can be asked for, and what is answered.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := open(t, dir, files.Rules{})
	put(t, dir, "a.txt", "one\ntwo\nthree")
	put(t, dir, "binary", "a\xff")
	put(t, dir, "long", strings.Repeat("x", files.MaxRead+1))
	put(t, dir, "min.js", strings.Repeat("x", 2*files.MaxRead+100)+"\nsecond\n")
	put(t, dir, "fits", strings.Repeat("x", files.MaxRead))
	put(t, dir, "b/c/d_test.go", "package d\n\nfunc Wanted() {}\n")
	put(t, dir, "b/e.go", "package e // wanted\n")
	put(t, dir, "b/.git/config", "wanted")
	put(t, dir, "zero", "wanted\x00")
	for name, tt := range map[string]struct {
		tool string
		in   arguments
		want string
	}{
		"whole":              {"file.read", arguments{"path": "a.txt"}, `{"text":"one\ntwo\nthree","line_end":3,"more":false}`},
		"absolute":           {"file.read", arguments{"path": filepath.Join(dir, "a.txt")}, `{"text":"one\ntwo\nthree","line_end":3,"more":false}`},
		"by lines":           {"file.read", arguments{"path": "./a.txt", "line_start": 2, "line_end": 2}, `{"text":"two\n","line_end":2,"more":true}`},
		"no lines":           {"file.read", arguments{"path": "a.txt", "line_start": 5, "line_end": 3}, `failed: line_end 3 is before line_start 5`},
		"behind the end":     {"file.read", arguments{"path": "a.txt", "line_start": 9}, `{"text":"","line_end":8,"more":false}`},
		"no text":            {"file.read", arguments{"path": "binary"}, "failed: binary is not UTF-8 text"},
		"a long line":        {"file.read", arguments{"path": "long"}, "failed: line 1 of long has more than"},
		"behind a long line": {"file.read", arguments{"path": "min.js", "line_start": 2}, `{"text":"second\n","line_end":2,"more":false}`},
		"as long as may":     {"file.read", arguments{"path": "fits"}, `{"text":"xxx`},
		"nothing":            {"file.read", arguments{"path": "none"}, "failed: none does not exist"},
		"a folder":           {"file.read", arguments{"path": "."}, "failed: . is a folder, not a file"},
		"stat":               {"file.stat", arguments{"path": "a.txt", "sum": true}, `{"kind":"file","size":13,`},
		"stat's sum":         {"file.stat", arguments{"path": "a.txt", "sum": true}, "*e03ef36b1f7b6a0dbb9ad0a8e6b7f0e1"},
		"find by name":       {"file.find", arguments{"pattern": "*.go"}, `*"path":"b/c/d_test.go"`},
		"find by path":       {"file.find", arguments{"pattern": "b/*.go"}, `{"files":[{"path":"b/e.go"`},
		"find deep":          {"file.find", arguments{"pattern": "**/c/**/*_test.go"}, `{"files":[{"path":"b/c/d_test.go"`},
		"find below":         {"file.find", arguments{"pattern": "c/*", "path": "b"}, `{"files":[{"path":"b/c/d_test.go"`},
		"find in git":        {"file.find", arguments{"pattern": "**/config"}, `{"files":[],"more":false}`},
		"find badly":         {"file.find", arguments{"pattern": "["}, "failed: invalid pattern"},
		"find no folder":     {"file.find", arguments{"pattern": "*", "path": "a.txt"}, "failed: a.txt is not a folder"},
		"grep":               {"file.grep", arguments{"pattern": "wanted"}, `{"matches":[{"path":"b/e.go","line":1,"text":"package e // wanted"}],"files":`},
		"grep any case":      {"file.grep", arguments{"pattern": "wanted", "ignore_case": true, "files": "*_test.go"}, `{"matches":[{"path":"b/c/d_test.go","line":3,"text":"func Wanted() {}"}],"files":1,"more":false}`},
		"grep one file":      {"file.grep", arguments{"pattern": "^t", "path": "a.txt"}, `{"matches":[{"path":"a.txt","line":2,"text":"two"},{"path":"a.txt","line":3,"text":"three"}],"files":1,"more":false}`},
		"grep badly":         {"file.grep", arguments{"pattern": "("}, "failed: invalid pattern"},
	} {
		t.Run(name, func(t *testing.T) {
			got := m.call(t.Context(), t, tt.tool, tt.in)
			if name == "stat's sum" { // by what sha256sum prints
				tt.want = "*" + sumOf("one\ntwo\nthree")
			}
			if part, within := strings.CutPrefix(tt.want, "*"); within && !strings.Contains(got, part) || !within && !strings.HasPrefix(got, tt.want) {
				t.Errorf("%.300s; want %s", got, tt.want)
			}
		})
	}
}

// As many entries and matches are given as is promised, and no more.
func TestBounds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := open(t, dir, files.Rules{})
	for i := range files.MaxEntries {
		put(t, dir, "many/"+strings.Repeat("x", i%200+1)+"-"+string(rune('a'+i/200)), "")
	}
	put(t, dir, "lines", strings.Repeat("a\n", files.MaxMatches))
	put(t, dir, "wide", strings.Repeat("w", files.MaxLine+1))
	put(t, dir, "large", strings.Repeat("l", files.MaxSearch+1))
	is := func(want bool, tool string, in arguments) {
		t.Helper()
		if got := m.call(t.Context(), t, tool, in); strings.HasSuffix(got, `"more":true}`) != want {
			t.Errorf("%s %v: more is not %t: %.80s", tool, in, want, got)
		}
	}
	is(false, "file.list", arguments{"path": "many"})
	is(false, "file.find", arguments{"pattern": "many/*"})
	is(false, "file.grep", arguments{"pattern": "a", "path": "lines"})
	put(t, dir, "many/one more", "")
	put(t, dir, "lines", strings.Repeat("a\n", files.MaxMatches+1))
	is(true, "file.list", arguments{"path": "many"})
	is(true, "file.find", arguments{"pattern": "many/*"})
	is(true, "file.grep", arguments{"pattern": "a", "path": "lines"})
	if got := m.call(t.Context(), t, "file.grep", arguments{"pattern": "w+", "path": "wide"}); !strings.Contains(got, strings.Repeat("w", files.MaxLine)+`…"`) {
		t.Errorf("a wide line: %.700s", got)
	}
	if got := m.call(t.Context(), t, "file.grep", arguments{"pattern": "l", "path": "large"}); got != `{"matches":[],"files":0,"more":false}` {
		t.Errorf("a large file: %.100s", got)
	}
}

// Files are written, edited and moved; nothing else is left.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := open(t, dir, files.Rules{Remove: true})
	if err := os.Mkdir(filepath.Join(dir, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "full/x", "")
	put(t, dir, "limit", "a"+strings.Repeat("x", files.MaxWrite-1))
	put(t, dir, "beyond", "a"+strings.Repeat("x", files.MaxWrite))
	put(t, dir, "script", "#!/bin/sh\n")
	put(t, dir, "protected", "p")
	if err := os.Chmod(filepath.Join(dir, "protected"), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, "beyond"), filepath.Join(dir, "linked")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "script"), 0o750); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		tool string
		in   arguments
		want string
	}{
		{"file.write", arguments{"path": "b/c/d.txt", "text": "new\nnew\nold"}, `{"size":11}`},
		{"file.list", arguments{"path": "b/c"}, `{"entries":[{"name":"d.txt","size":11}],"more":false}`},
		{"file.list", arguments{"path": "b"}, `{"entries":[{"name":"c/","size":0}],"more":false}`},
		{"file.edit", arguments{"path": "b/c/d.txt", "old": "new", "new": "x"}, "failed: b/c/d.txt contains the text 2 times"},
		{"file.edit", arguments{"path": "b/c/d.txt", "old": "none", "new": "x"}, "failed: b/c/d.txt does not contain the text"},
		{"file.edit", arguments{"path": "b/c/d.txt", "old": "old", "new": "older"}, `{"replaced":1,"line":3}`},
		{"file.edit", arguments{"path": "b/c/d.txt", "old": "new\n", "new": "", "all": true}, `{"replaced":2,"line":1}`},
		{"file.read", arguments{"path": "b/c/d.txt"}, `{"text":"older","line_end":1,"more":false}`},
		{"file.edit", arguments{"path": "limit", "old": "a", "new": "b"}, `{"replaced":1,"line":1}`},
		{"file.edit", arguments{"path": "limit", "old": "b", "new": "bb"}, "failed: limit would have 1048577 bytes"},
		{"file.edit", arguments{"path": "limit", "old": "x", "new": strings.Repeat("y", files.MaxWrite/2), "all": true}, "failed: limit would have 549755289601 bytes"},
		{"file.write", arguments{"path": "braces", "text": "if x {\n}\n}\n}\nend\n"}, `{"size":17}`},
		{"file.edit", arguments{"path": "braces", "old": "}\n}\n", "new": "}\n"}, "failed: braces contains the text twice, overlapping"},
		{"file.edit", arguments{"path": "braces", "old": "}\n}\nend", "new": "}\nend"}, `{"replaced":1,"line":3}`},
		{"file.edit", arguments{"path": "beyond", "old": "a", "new": "b"}, "failed: beyond has more than 1048576 bytes"},
		{"file.write", arguments{"path": "script", "text": "#!/bin/sh\necho\n"}, `{"size":15}`},
		{"file.stat", arguments{"path": "script"}, `*"mode":"-rwxr-x---"`},
		{"file.write", arguments{"path": "full", "text": "x"}, "failed: full is not a file but a folder"},
		{"file.write", arguments{"path": "protected", "text": "x"}, "failed: protected is write-protected"},
		{"file.edit", arguments{"path": "protected", "old": "p", "new": "x"}, "failed: protected is write-protected"},
		{"file.write_chunk", arguments{"path": "protected", "size": 1, "sha256": sumOf("x"), "offset": 0, "content": "x"}, "failed: protected is write-protected"},
		{"file.read", arguments{"path": "protected"}, `{"text":"p"`},
		{"file.mkdir", arguments{"path": "e/f"}, `{"path":"e/f"}`},
		{"file.move", arguments{"from": "script", "to": "b/c/d.txt"}, "failed: b/c/d.txt exists already"},
		{"file.move", arguments{"from": "script", "to": "g/script"}, `{"path":"g/script"}`},
		{"file.move", arguments{"from": "none", "to": "h"}, "failed: none does not exist"},
		{"file.move", arguments{"from": "beyond", "to": "linked", "replace": true}, "failed: beyond and linked are the same file"},
		{"file.remove", arguments{"path": "full"}, "failed: full is not empty"},
		{"file.remove", arguments{"path": "e/f"}, `{"path":"e/f"}`},
		{"file.remove", arguments{"path": "."}, "failed: . is the working folder itself"},
		{"file.list", arguments{"path": "b/c"}, `{"entries":[{"name":"d.txt","size":5}],"more":false}`},
	} {
		m.is(t, step.want, step.tool, step.in)
	}
	for _, name := range []string{"file.write", "file.write_chunk", "file.edit", "file.mkdir", "file.move", "file.remove"} {
		open(t, dir, files.Rules{ReadOnly: true, Remove: true}).hasNot(t, name)
	}
	open(t, dir, files.Rules{}).hasNot(t, "file.remove")
}
