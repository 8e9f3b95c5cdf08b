package author

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/plain"
)

// toolCase is a call and its expected outcome.
type toolCase struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Want      json.RawMessage `json:"want"`  // must be part of the answer
	Error     string          `json:"error"` // must be part of the failure's text
}

// Testing configures a test run.
type Testing struct {
	Grants  Grants
	Environ []string
	Out     io.Writer // writer that gets one line for each test case
	// writer that gets the build command and the output of the build
	Progress io.Writer
}

// Test builds the project, runs the cases of its test file, and prints a line for each case. It
// returns the number of failed cases.
func (p *Project) Test(ctx context.Context, w *Workshop, how Testing) (failed int, err error) {
	var cases []toolCase
	if err := jsonArgument("@"+filepath.Join(p.dir, p.plugin+".test.json"), &cases); err != nil {
		return 0, err
	}
	if err := p.compile(ctx, how.Environ, how.Progress); err != nil {
		return 0, err
	}
	src, grant, err := how.Grants.read(p.file(), w.cfg.ModuleBytes)
	if err != nil {
		return 0, err
	}
	open, err := w.open(ctx, src, grant)
	if err != nil {
		return 0, err
	}
	defer open.Close()
	return runCases(how.Out, cases, func(x toolCase) (agent.Result, error) {
		return open.call(ctx, x.Tool, agent.Call{ID: "1", Arguments: x.Arguments})
	}), nil
}

// runCases prints a line for each case, and returns the number of failed cases.
func runCases(w io.Writer, cases []toolCase, run func(toolCase) (agent.Result, error)) (failed int) {
	for _, x := range cases {
		if len(x.Arguments) == 0 {
			x.Arguments = json.RawMessage(`{}`)
		}
		wrong := x.judge(run(x))
		mark := "ok  "
		if wrong != "" {
			mark, failed = "FAIL", failed+1
		}
		fmt.Fprintf(w, "%s  %s %.100s\n", mark, x.Tool, plain.Text(inline(x.Arguments)))
		if wrong != "" {
			fmt.Fprintln(w, "     ", plain.Lines(wrong, "      "))
		}
	}
	fmt.Fprintf(w, "%d of %d passed\n", len(cases)-failed, len(cases))
	return failed
}

// judge returns the difference between the outcome and the expected one, or "".
func (x toolCase) judge(r agent.Result, err error) string {
	said, failed := textOf(r), err != nil || r.IsError
	if err != nil {
		said = plain.Explain(err).Error()
	}
	switch {
	case (x.Want == nil) == (x.Error == ""):
		return `the case needs either "want" or "error"`
	case x.Error != "" && !failed:
		return "it did not fail, and answered " + answerOf(r)
	case x.Error != "" && !strings.Contains(said, x.Error):
		return fmt.Sprintf("it failed with %q, without %q", said, x.Error)
	case x.Error != "":
		return ""
	case failed:
		return "it failed: " + said
	}
	return x.compare(r)
}

// compare returns the first difference between the answer and the expected one, or "".
func (x toolCase) compare(r agent.Result) string {
	var want, got any
	if err := json.Unmarshal(x.Want, &want); err != nil {
		return "want: " + err.Error()
	}
	if text, isText := want.(string); isText {
		if strings.Contains(textOf(r), text) {
			return ""
		}
		return fmt.Sprintf("it answered %s, without the text %q", answerOf(r), text)
	}
	if err := json.Unmarshal(r.Structured, &got); err != nil {
		return "it has no structured answer, and says " + answerOf(r)
	}
	return mismatch("answer", want, got)
}

// mismatch returns the path of the first part of want that got lacks, or "".
func mismatch(path string, want, got any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(w)) {
			if wrong := mismatch(path+"."+key, w[key], g[key]); ok && wrong != "" {
				return wrong
			}
		}
		if ok {
			return ""
		}
	case []any:
		if g, ok := got.([]any); ok && len(g) == len(w) {
			for i := range w {
				if wrong := mismatch(fmt.Sprintf("%s[%d]", path, i), w[i], g[i]); wrong != "" {
					return wrong
				}
			}
			return ""
		}
	default:
		if reflect.DeepEqual(want, got) {
			return ""
		}
	}
	return fmt.Sprintf("%s is %s, want %s", path, inline(got), inline(want))
}

// textOf returns the text and the JSON of an answer, each part on lines of its own. It omits
// images.
func textOf(r agent.Result) string {
	var texts []string
	for _, part := range r.Content {
		switch part.Kind {
		case agent.TextPart:
			texts = append(texts, part.Text)
		case agent.JSONPart:
			texts = append(texts, string(part.JSON))
		}
	}
	return strings.Join(texts, "\n")
}

// answerOf returns an answer on one line.
func answerOf(r agent.Result) string {
	if len(r.Structured) > 0 {
		return inline(r.Structured)
	}
	return fmt.Sprintf("%q", textOf(r))
}
