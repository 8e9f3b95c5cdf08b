package terminal

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/sdkapi"
)

// Blocks are cut at empty lines outside of fences, and the pieces that a text comes in change nothing.
func TestCutBlocks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want []string
		open string
	}{
		"one paragraph":  {"one\ntwo", nil, "one\ntwo"},
		"two":            {"one\n\ntwo", []string{"one\n"}, "two"},
		"a fence":        {"```go\na\n\nb\n```\n\nend", []string{"```go\na\n\nb\n```\n"}, "end"},
		"an open fence":  {"```\na\n\nb\n", nil, "```\na\n\nb\n"},
		"tildes":         {"~~~\n```\n\n~~~\n\nend", []string{"~~~\n```\n\n~~~\n"}, "end"},
		"a list goes on": {"1. a\n\n   more\n\nend", []string{"1. a\n\n   more\n"}, "end"},
		"empty lines":    {"a\n\n\nb", []string{"a\n\n"}, "b"},
		"at the end":     {"a\n\n", nil, "a\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, open := cutBlocks(tt.text)
			if !slices.Equal(got, tt.want) || open != tt.open {
				t.Errorf("%q and %q", got, open)
			}
			var pieces []string
			rest := ""
			for _, r := range tt.text {
				var more []string
				more, rest = cutBlocks(rest + string(r))
				pieces = append(pieces, more...)
			}
			if strings.Join(pieces, "|") != strings.Join(tt.want, "|") || rest != tt.open {
				t.Errorf("in pieces: %q and %q", pieces, rest)
			}
		})
	}
}

func approval(tool, arguments string) *sdkapi.AgentApprovalMessage {
	return &sdkapi.AgentApprovalMessage{Name: tool, Arguments: json.RawMessage(arguments)}
}

// Which rules allow which calls.
func TestPermits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rule, tool, arguments string
		want                  bool
	}{
		"a tool":           {"file_write", "file_write", `{"path":"a"}`, true},
		"another tool":     {"file_write", "file_remove", `{"path":"a"}`, false},
		"a pattern":        {"file_*", "file_write", `{}`, true},
		"all":              {"*", "process_run", `{}`, true},
		"a file":           {"file_write:*.md", "file_write", `{"path":"a.md"}`, true},
		"deeper":           {"file_write:*.md", "file_write", `{"path":"docs/a.md"}`, false},
		"a folder":         {"file_write:docs/**", "file_write", `{"path":"docs/x/a.md"}`, true},
		"out of it":        {"file_write:docs/**", "file_write", `{"path":"docs/../a.md"}`, false},
		"beside it":        {"file_write:docs/**", "file_write", `{"path":"docs2/a.md"}`, false},
		"above the root":   {"file_write:**", "file_write", `{"path":"../a.md"}`, false},
		"without a file":   {"file_write:docs/**", "file_write", `{}`, false},
		"one of two files": {"move:docs/**", "move", `{"from":"docs/a","to":"b"}`, false},
		"both files":       {"move:docs/**", "move", `{"from":"docs/a","to":"docs/b"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules, err := parseRules([]string{tt.rule})
			if err != nil {
				t.Fatal(err)
			}
			if got := rules.allow(approval(tt.tool, tt.arguments)); got != tt.want {
				t.Errorf("%v", got)
			}
		})
	}
	if _, err := parseRules([]string{"[:x"}); !Wrong(err) {
		t.Errorf("%v", err)
	}
}

// "Always here" is for the file's folder, for the file where that is the root, and for the program.
func TestAlwaysHere(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		arguments, place, fits, other string
	}{
		"a folder":  {`{"path":"a/b.md"}`, "a/", `{"path":"a/c/d.md"}`, `{"path":"b.md"}`},
		"the root":  {`{"path":"b*.md"}`, "b*.md", `{"path":"b*.md"}`, `{"path":"bb.md"}`},
		"a program": {`{"program":"git","args":["status"]}`, "git", `{"program":"git","args":["push"]}`, `{"program":"rm"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, place, ok := onPlace(approval("tool", tt.arguments))
			if !ok || place != tt.place || !r.allows("tool", json.RawMessage(tt.fits)) || r.allows("tool", json.RawMessage(tt.other)) || r.allows("tool2", json.RawMessage(tt.fits)) {
				t.Errorf("%+v %q %v", r, place, ok)
			}
		})
	}
	if _, _, ok := onPlace(approval("tool", `{"query":"x"}`)); ok {
		t.Error("a call without a file has a place")
	}
}

// What calls change is known by call and in sum; what is as it was before is no change.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f := newFiles(root)
	write := func(call, name, text string) {
		t.Helper()
		note := f.watch(call, json.RawMessage(fmt.Sprintf(`{"path":%q}`, name)))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		note()
	}
	write("c1", "a.txt", "one\ntwo\n")
	write("c2", "a.txt", "one\n2\n")
	write("c3", "b.txt", "b\n")
	note := f.watch("c4", json.RawMessage(`{"path":"b.txt"}`))
	if err := os.Remove(filepath.Join(dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	note()
	write("c5", "binary", "a\xff")
	if got := f.of("c2").diff(); got != "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n" {
		t.Errorf("%s", got)
	}
	got := f.summary()
	want := []written{{"a.txt", "created", 2, 0}, {"binary", "created", 0, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if c := f.planned(json.RawMessage(`{"path":"a.txt","text":"one\n3\n"}`)); c == nil || !strings.Contains(c.diff(), "-2\n+3\n") {
		t.Errorf("%+v", c)
	}
	if c := f.of("c6"); c != nil {
		t.Errorf("%+v", c)
	}
}

// What was said comes back, the line that is being written too, and on another day.
func TestHistory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x", "history")
	h := openHistory(file)
	for _, text := range []string{"one", "two\nlines", "two\nlines"} {
		h.add(text)
	}
	h = openHistory(file)
	var got []string
	for text, ok := h.back("new"); ok; text, ok = h.back("") {
		got = append(got, text)
	}
	for text, ok := h.forth(); ok; text, ok = h.forth() {
		got = append(got, text)
	}
	if want := []string{"two\nlines", "one", "two\nlines", "new"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for n := range maxHistory + 10 {
		h.add(fmt.Sprint(n))
	}
	if h = openHistory(file); len(h.said) != maxHistory || h.said[0] != "10" {
		t.Errorf("%d entries, the first is %q", len(h.said), h.said[0])
	}
}

// A paste of paths of images is taken for these images, anything else for text.
func TestPastedImages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.png", "b c.JPG", "d.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"one":          {"$/a.png", 1},
		"two":          {"$/a.png '$/b c.JPG'\n", 2},
		"escaped":      {`$/b\ c.JPG`, 1},
		"a URL":        {"file://$/a.png", 1},
		"no image":     {"$/d.txt", 0},
		"gone":         {"$/e.png", 0},
		"text with it": {"see $/a.png", 0},
		"nothing":      {"", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := pastedImages(strings.ReplaceAll(tt.text, "$", dir)); len(got) != tt.want {
				t.Errorf("%q", got)
			}
		})
	}
}

// Nothing that the agent says controls the terminal.
func TestSafe(t *testing.T) {
	t.Parallel()
	m := &markdown{style: "dark"}
	m.resize(80)
	if got := m.render("a\x1b]0;title\x07b\u202e"); strings.Contains(got, "\x1b]") || strings.Contains(got, "\x07") || strings.Contains(got, "\u202e") {
		t.Errorf("%q", got)
	}
	if got := safe("a\tb\nc"); got != "a    b\nc" {
		t.Errorf("%q", got)
	}
}

// What a call of the gateway's reports is shown beside it, until it has ended.
func TestNotesOfCalls(t *testing.T) {
	t.Parallel()
	talk := talk{md: &markdown{style: "dark"}, files: &files{}, notes: map[string]string{}}
	shown := func(m sdkapi.AgentMessage, want string) {
		t.Helper()
		if talk.hear(m); talk.notes["c1"] != want {
			t.Errorf("%q, want %q", talk.notes["c1"], want)
		}
	}
	shown(&sdkapi.AgentProgressMessage{ToolCallID: "c1", Message: "3 of 10"}, "3 of 10")
	shown(&sdkapi.AgentProgressMessage{ToolCallID: "c1", Output: "one\ntwo\n"}, "two")
	shown(&sdkapi.AgentToolOutputMessage{ToolCallID: "c1", Outcome: "done"}, "")
}
