package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/state/journal"
)

// A result of any size becomes one that a decision holds: its text is cut in the
// middle, its images stay, and so do the first fields of its metadata.
func TestCut(t *testing.T) {
	t.Parallel()
	const most = 160 << 10 // the largest that an operator can choose
	b := agenttest.New(t)
	b.Config.Limits.ResultBytes = most
	b.Open(session.Settings{})
	fields := map[string]json.RawMessage{"small": json.RawMessage(`1`), "zz": json.RawMessage(`2`)}
	fields["large"] = json.RawMessage(`"` + strings.Repeat("x", 6<<20) + `"`)
	for name, tt := range map[string]struct {
		result session.Result
		cut    bool
	}{
		"nothing":           {session.Result{IsError: true}, false},
		"as much as fits":   {session.Result{Parts: []session.Part{{Text: "a" + strings.Repeat("x", most-2) + "z"}}}, false},
		"a byte more":       {session.Result{Parts: []session.Part{{Text: "a" + strings.Repeat("x", most-1) + "z"}}}, true},
		"6 MB":              {session.Result{Parts: []session.Part{{Text: "a" + strings.Repeat("x", 6<<20) + "z"}, {Artifact: "a.png"}}}, true},
		"what JSON escapes": {session.Result{Parts: []session.Part{{Text: "a" + strings.Repeat("\x01", 6<<20) + "z"}}}, true},
		"several":           {session.Result{Parts: []session.Part{{Text: strings.Repeat("x", most)}, {Text: "z"}, {Artifact: "a.png"}}}, true},
		"metadata":          {session.Result{Metadata: fields}, true},
	} {
		t.Run(name, func(t *testing.T) {
			short := b.Sessions.Cut(tt.result)
			value, err := json.Marshal(short)
			if err != nil || len(value) > journal.MaxValue || short.IsError != tt.result.IsError {
				t.Errorf("%s: %d bytes, %v", name, len(value), err)
			}
			if cut := short.Cut != ""; cut != tt.cut {
				t.Errorf("%s: that something is left out is %v", name, cut)
			}
			if again := b.Sessions.Cut(tt.result); !(journal.Answer{Value: value}).Equal(answered(t, again)) {
				t.Errorf("%s: the same result is another answer", name)
			}
			if n := len(tt.result.Parts); n > 0 && tt.result.Parts[n-1].Artifact != "" && !strings.Contains(string(value), `"artifact":"a.png"`) {
				t.Errorf("%s: the image is gone", name)
			}
		})
	}
	one, other := "a"+strings.Repeat("x", 6<<20)+"z", "a"+strings.Repeat("x", 3<<20)+"y"+strings.Repeat("x", 3<<20-1)+"z"
	if answered(t, b.Sessions.Cut(saying(one))).Equal(answered(t, b.Sessions.Cut(saying(other)))) {
		t.Error("results that differ in what is left out are the same answer")
	}
	kept := b.Sessions.Cut(session.Result{Metadata: fields}).Metadata
	if got := fmt.Sprintf("%s %s %s", kept["small"], kept["zz"], kept["left_out"]); got != "1 2 1" || len(kept) != 3 {
		t.Errorf("of the metadata there is %s, %d fields", got, len(kept))
	}
}

func saying(text string) session.Result {
	return session.Result{Parts: []session.Part{{Text: text}}}
}

func answered(t *testing.T, r session.Result) journal.Answer {
	t.Helper()
	value, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return journal.Answer{Value: value}
}

// A result that was cut before it was kept is not cut again, and the history does
// not say so.
func TestCutOnce(t *testing.T) {
	t.Parallel()
	b := agenttest.New(t, agenttest.Calling("c1", "click", `{}`)).Open(session.Settings{Tools: []session.ClientTool{agenttest.ClientTool("click")}})
	b.Start("go")
	short := b.Sessions.Cut(saying(strings.Repeat("x", 1<<20)))
	b.Decide(agenttest.Last[session.ToolRequested](t, b.Until(session.KindToolRequested)).Decision, answered(t, short))
	ended := agenttest.Last[session.ToolEnded](t, b.Until(session.KindToolEnded))
	if got := ended.Result; got.Cut != "" || got.Parts[0].Text != short.Parts[0].Text {
		t.Errorf("the history has %q, %d bytes of %d", got.Cut, len(got.Parts[0].Text), len(short.Parts[0].Text))
	}
}
