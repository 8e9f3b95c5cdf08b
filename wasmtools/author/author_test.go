package author

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools"
)

func TestMergeJSON(t *testing.T) {
	t.Parallel()
	var base, more any
	_ = json.Unmarshal([]byte(`{"a":{"b":1,"l":[1]},"c":1,"d":[1]}`), &base)
	_ = json.Unmarshal([]byte(`{"a":{"l":[2],"n":{"x":1}},"c":2,"d":{"e":1}}`), &more)
	if got, want := inline(mergeJSON(base, more)), `{"a":{"b":1,"l":[1,2],"n":{"x":1}},"c":2,"d":{"e":1}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestPrintResult checks that all kinds of content are printed, and that the first image is written
// to the file.
func TestPrintResult(t *testing.T) {
	t.Parallel()
	picture := filepath.Join(t.TempDir(), "picture.png")
	var out bytes.Buffer
	err := printResult(&out, agent.Result{
		Content:    []agent.Part{agent.Text("a text\n"), agent.Image("image/png", []byte("first")), agent.Image("image/png", []byte("next")), agent.JSON(json.RawMessage(`{"a":1}`))},
		Structured: json.RawMessage(`{"b":"<"}`),
	}, picture)
	if want := "a text\n[image/png, 5 bytes]\n[image/png, 4 bytes]\n{\n  \"a\": 1\n}\n{\n  \"b\": \"<\"\n}\n"; err != nil || out.String() != want {
		t.Errorf("%v, %q", err, out.String())
	}
	if kept, err := os.ReadFile(picture); err != nil || string(kept) != "first" {
		t.Errorf("the picture kept is %q, %v", kept, err)
	}
}

// TestAllowing checks that the operator must fill in the folder that a plugin may see.
func TestAllowing(t *testing.T) {
	t.Parallel()
	if got := inline(allowing([]wasmtools.Denied{{Permission: "fs", Wish: json.RawMessage(`{"at":"/data"}`)}}, "")); got != `{"permissions":{"fs":[{"at":"/data","path":"/A/FOLDER/OF/THIS/MACHINE"}]}}` {
		t.Errorf("a folder is granted by %s", got)
	}
}

// TestToolCaseJudges checks the message of a case for each kind of outcome.
func TestToolCaseJudges(t *testing.T) {
	t.Parallel()
	object := agent.Result{Structured: json.RawMessage(`{"a":{"b":[1,{"c":2,"d":3}]},"n":null}`)}
	text := agent.Result{Content: []agent.Part{agent.Text("one"), agent.Text("two")}}
	refused := agent.Result{IsError: true, Content: text.Content}
	for _, tt := range []struct {
		name, c string
		result  agent.Result
		err     error
		want    string // what the complaint holds; empty for none
	}{
		{"a part", `{"want":{"a":{"b":[1,{"c":2}]}}}`, object, nil, ""},
		{"nothing is a part of all", `{"want":{}}`, object, nil, ""},
		{"another value", `{"want":{"a":{"b":[1,{"c":3}]}}}`, object, nil, "answer.a.b[1].c is 2, want 3"},
		{"a list that is longer", `{"want":{"a":{"b":[1]}}}`, object, nil, `answer.a.b is [1,{"c":2,"d":3}], want [1]`},
		{"a field too much", `{"want":{"x":1}}`, object, nil, "answer.x is null, want 1"},
		{"another type", `{"want":{"a":[]}}`, object, nil, "want []"},
		{"an object for a value", `{"want":{"n":{}}}`, object, nil, "answer.n is null, want {}"},
		{"a text", `{"want":"two"}`, text, nil, ""},
		{"another text", `{"want":"three"}`, text, nil, `"one\ntwo", without the text "three"`},
		{"no object", `{"want":{}}`, text, nil, "it has no structured answer"},
		{"a failure", `{"want":{}}`, refused, nil, "it failed: one\ntwo"},
		{"an error", `{"want":{}}`, agent.Result{}, io.ErrUnexpectedEOF, "it failed: unexpected EOF"},
		{"a failure that is wanted", `{"error":"tw"}`, refused, nil, ""},
		{"an error that is wanted", `{"error":"EOF"}`, agent.Result{}, io.ErrUnexpectedEOF, ""},
		{"another failure", `{"error":"three"}`, refused, nil, `without "three"`},
		{"no failure", `{"error":"x"}`, object, nil, "it did not fail, and answered {"},
		{"neither", `{}`, object, nil, "needs either"},
		{"both", `{"want":{},"error":"x"}`, object, nil, "needs either"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c toolCase
			if err := json.Unmarshal([]byte(tt.c), &c); err != nil {
				t.Fatal(err)
			}
			if got := c.judge(tt.result, tt.err); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
		})
	}
}

// TestRuntimeIsPinnedTwice checks that the script that downloads the runtime for tests pins the
// same file as AddRuntime.
func TestRuntimeIsPinnedTwice(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "scripts", "deps.sh"))
	for _, pinned := range []string{"quickjs_version=" + runtimeVersion + "\n", "quickjs_sha512='" + runtimeSHA512 + "'\n"} {
		if err != nil || !strings.Contains(string(script), pinned) {
			t.Errorf("%v: scripts/deps.sh does not have %s", err, pinned)
		}
	}
}

// TestWorkshopLeavesNoFolder checks that Close removes all folders, also if the stores failed to open several times.
func TestWorkshopLeavesNoFolder(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	failure := errors.New("no store")
	w := NewWorkshop(wasmtools.Config{}, func(context.Context, string) (wasmtools.OpenStore, func(), error) { return nil, nil, failure })
	grant := wasmtools.Grant{Permissions: wasmtools.Permissions{KV: &wasmtools.Quota{Bytes: 1}}}
	for range 2 {
		if err := w.needStore(t.Context(), grant); !errors.Is(err, failure) {
			t.Fatal(err)
		}
	}
	w.Close()
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}
