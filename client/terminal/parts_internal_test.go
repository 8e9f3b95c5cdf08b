package terminal

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/sdk"
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
	f := filesOf(t, t.TempDir())
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
			if got := rules.allow(approval(tt.tool, tt.arguments), f); got != tt.want {
				t.Errorf("%v", got)
			}
		})
	}
	if _, err := parseRules([]string{"[:x"}); !Wrong(err) {
		t.Errorf("%v", err)
	}
}

// A rule for a folder holds for calls that can change files of that folder alone: whatever cannot be placed is asked about,
// and no folder is offered for it.
func TestWhatCannotBePlaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"docs", "src"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"docs/link": "../src", "docs/gone": "../src/new.go", "same": "docs"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err) // Windows lets not everybody make links
		}
	}
	f := filesOf(t, dir)
	for name, tt := range map[string]struct {
		arguments string
		allowed   bool
		place     string // that is offered
	}{
		"below the root":              {`{"path":"$/docs/a.md","text":"x"}`, true, "docs/"},
		"deeper":                      {`{"path":"docs/x/y/a.md"}`, true, "docs/x/y/"},
		"all that our tools take":     {`{"path":"docs/a","text":"../src","content":"/","old":"a","new":"b","all":true,"size":1,"sha256":"0","encoding":"text"}`, true, "docs/"},
		"moved":                       {`{"from":"docs/a.md","to":"$/docs/b.md","replace":true}`, true, ""},
		"moved out":                   {`{"from":"docs/a.md","to":"$/src/main.go","replace":true}`, false, ""},
		"moved away":                  {`{"from":"docs/a.md","to":"/elsewhere/main.go"}`, false, ""},
		"the root itself":             {`{"from":"docs/a.md","to":"$"}`, false, ""},
		"the root, relative":          {`{"from":"docs/a.md","to":"."}`, false, ""},
		"nowhere":                     {`{"from":"docs/a.md","to":""}`, false, ""},
		"beside the root":             {`{"path":"$2/docs/a.md"}`, false, ""},
		"up, and down again":          {`{"path":"docs/../docs/a.md"}`, false, ""},
		"up through a link":           {`{"path":"docs/link/../a.md"}`, false, ""},
		"above the root":              {`{"from":"docs/a.md","to":"../a.md"}`, false, ""},
		"through a link":              {`{"path":"docs/link/main.go"}`, false, ""},
		"a link":                      {`{"path":"docs/link"}`, false, ""},
		"a link to what is not there": {`{"path":"docs/gone"}`, false, ""},
		"a link to the folder":        {`{"path":"same/a.md"}`, false, ""},
		"back slashes":                {`{"path":"docs/..\\..\\src\\main.go"}`, false, ""},
		"a drive":                     {`{"from":"docs/a.md","to":"C:\\src\\main.go"}`, false, ""},
		"the folder in another case":  {`{"path":"DOCS/a.md"}`, false, "DOCS/"},
		"a name in another case":      {`{"path":"docs/a.md","Path":"src/main.go"}`, false, ""},
		"a name that is not known":    {`{"path":"docs/a.md","backup":"src/main.go"}`, false, ""},
		"several":                     {`{"path":"docs/a.md","paths":["src/main.go"]}`, false, ""},
		"a path that is a list":       {`{"path":"docs/a.md","to":["src/main.go"]}`, false, ""},
		"nested":                      {`{"path":"docs/a.md","edits":{"path":"src/main.go"}}`, false, ""},
		"a command":                   {`{"path":"docs/a.md","command":"rm -r src"}`, false, ""},
		"arguments of a program":      {`{"path":"docs/a.md","args":["-c","rm -r src"]}`, false, ""},
		"no object":                   {`["docs/a.md"]`, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			asked := approval("tool", strings.ReplaceAll(tt.arguments, "$", dir))
			rules, err := parseRules([]string{"tool:docs/**"})
			if err != nil {
				t.Fatal(err)
			}
			if got := rules.allow(asked, f); got != tt.allowed {
				t.Errorf("allowed: %v", got)
			}
			if _, place, ok := onPlace(asked, f); place != tt.place || ok != (tt.place != "") {
				t.Errorf("offers %q, %v", place, ok)
			}
		})
	}
}

// A rule for a program is not for one that is named besides it.
func TestProgramTwice(t *testing.T) {
	t.Parallel()
	f := filesOf(t, t.TempDir())
	git := rule{tool: "process_run", program: "git"}
	for _, arguments := range []string{`{"program":"rm","PROGRAM":"git"}`, `{"PROGRAM":"rm","program":"git"}`, `{"Program":"git"}`, `{"program":["git"]}`} {
		if git.allows("process_run", json.RawMessage(arguments), f) {
			t.Error(arguments)
		}
	}
}

// filesOf returns the files of a folder, until the test ends.
func filesOf(t *testing.T, dir string) *files {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return newFiles(root)
}

// "Always here" is for the file's folder, for the file where that is the root, and for the program.
func TestAlwaysHere(t *testing.T) {
	t.Parallel()
	f := filesOf(t, t.TempDir())
	for name, tt := range map[string]struct {
		arguments, place, fits, other string
	}{
		"a folder":  {`{"path":"a/b.md"}`, "a/", `{"path":"a/c/d.md"}`, `{"path":"b.md"}`},
		"the root":  {`{"path":"b*.md"}`, "b*.md", `{"path":"b*.md"}`, `{"path":"bb.md"}`},
		"a program": {`{"program":"git","args":["status"]}`, "git", `{"program":"git","args":["push"]}`, `{"program":"rm"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, place, ok := onPlace(approval("tool", tt.arguments), f)
			if !ok || place != tt.place || !r.allows("tool", json.RawMessage(tt.fits), f) || r.allows("tool", json.RawMessage(tt.other), f) || r.allows("tool2", json.RawMessage(tt.fits), f) {
				t.Errorf("%+v %q %v", r, place, ok)
			}
		})
	}
	if _, _, ok := onPlace(approval("tool", `{"query":"x"}`), f); ok {
		t.Error("a call without a file has a place")
	}
}

// What calls change is known by call and in sum; what is as it was before is no change.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := filesOf(t, dir)
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
	write("c6", "src.go", "one\n")
	note = f.watch("c7", json.RawMessage(fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "src.go"))))
	if err := os.WriteFile(filepath.Join(dir, "src.go"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if note(); f.of("c7") == nil {
		t.Error("a write by its absolute path was missed")
	}
	got := f.summary()
	want := []written{{"a.txt", "created", 2, 0}, {"binary", "created", 0, 0}, {"src.go", "created", 2, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if c := f.planned(json.RawMessage(`{"path":"a.txt","text":"one\n3\n"}`)); c == nil || !strings.Contains(c.diff(), "-2\n+3\n") {
		t.Errorf("%+v", c)
	}
	if c := f.of("c8"); c != nil {
		t.Errorf("%+v", c)
	}
}

// Lines are counted that look as the head of a diff does.
func TestCountedLines(t *testing.T) {
	t.Parallel()
	c := change{"a.sql", content{there: true, text: "-- one\n-- two\nx\n"}, content{there: true, text: "x\n++ three\n"}}
	if added, removed := c.lines(); added != 1 || removed != 2 {
		t.Errorf("+%d −%d of\n%s", added, removed, c.diff())
	}
	if added, removed := (&change{path: "a"}).lines(); added != 0 || removed != 0 {
		t.Errorf("+%d −%d of nothing", added, removed)
	}
}

// What was said ends with its own turn: not with the one before, unless what came between is kept no longer.
func TestLinesEndWithTheirTurn(t *testing.T) {
	t.Parallel()
	head := func(turn string) sdkapi.AgentHead { return sdkapi.AgentHead{TurnID: turn} }
	done := func(turn string) sdkapi.AgentMessage {
		return &sdkapi.AgentDoneMessage{AgentHead: head(turn), Metadata: sdkapi.AgentDoneMetadata{Reason: "done"}}
	}
	ours := &sdkapi.AgentUserMessageMessage{AgentHead: head("t2"), MessageID: "ours"}
	another := &sdkapi.AgentUserMessageMessage{AgentHead: head("t1"), MessageID: "another"}
	for name, tt := range map[string]struct {
		heard []sdkapi.AgentMessage
		ends  bool
	}{
		"the one before":           {[]sdkapi.AgentMessage{done("t1")}, false},
		"another client's":         {[]sdkapi.AgentMessage{another, done("t1")}, false},
		"the one before, and ours": {[]sdkapi.AgentMessage{done("t1"), ours, done("t2")}, true},
		"something was lost":       {[]sdkapi.AgentMessage{&sdkapi.AgentResyncMessage{}, done("t2")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			l := newLines(Options{Out: &out, Err: &out, JSON: true}, &runner{files: filesOf(t, t.TempDir())}, nil)
			l.host = &sdk.Host{}
			ended := false
			for i, m := range tt.heard {
				var err error
				if ended, _, err = l.hear(m, "ours"); err != nil || ended && i < len(tt.heard)-1 {
					t.Fatalf("message %d ends it: %v", i, err)
				}
			}
			if ended != tt.ends || strings.Count(out.String(), `"type":"result"`) != map[bool]int{true: 1}[tt.ends] {
				t.Errorf("ended: %v\n%s", ended, out.String())
			}
		})
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
