package models_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// FuzzCalls puts any pieces of calls into an answer, one a line: its number,
// id, name and piece of the arguments, by tabs. Every call that comes out can
// be put into a history and sent to any provider.
func FuzzCalls(f *testing.F) {
	for _, seed := range []string{
		"0\ta\tf\t{\"x\"\n0\t\t\t:1}",
		"0\ta\tf\t{}\n0\tb\tf\t{}",
		"\t\tf\t\n\t\tf\tnull",
		"3\told\tf\t{\"$invalid_arguments\":\"\"}\n1\told\t\t[",
		"1\ta.b:c/\tf g\t\"{}\"\n-9\t\xff\t\xff\t\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pieces string) {
		req := models.Request{Messages: []models.Message{text(models.User, "a"), call("old"), result("old", "x")}}
		lines := strings.Split(pieces, "\n")
		got, err := answer(t.Context(), req, func(a *models.Answer) error {
			for _, line := range lines {
				if err := a.Call(piece(line)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			if fault.CodeOf(err) != sdkapi.ModelError || len(lines) <= models.MaxCalls && len(pieces) <= models.MaxArguments {
				t.Fatalf("refused: %v", err)
			}
			return
		}
		seen := map[string]bool{"old": true}
		asked := models.Message{Role: models.Assistant}
		answered := models.Message{Role: models.ToolRole}
		for _, c := range got.Calls {
			var object map[string]any
			if json.Unmarshal(c.Arguments, &object) != nil || object == nil {
				t.Fatalf("%s is no object", c.Arguments)
			}
			if c.ID == "" || seen[c.ID] {
				t.Fatalf("the id %q is not its own", c.ID)
			}
			seen[c.ID] = true
			asked.Parts = append(asked.Parts, models.Part{Call: &c})
			answered.Parts = append(answered.Parts, models.Part{Result: &models.Result{CallID: c.ID, Parts: []models.Part{{Text: c.ID}}}})
		}
		history := models.Normalise(append(req.Messages, asked, answered), "test")
		calls, results := history[len(history)-2].Parts, history[len(history)-1].Parts
		for i, p := range calls {
			if results[i].Result.CallID != p.Call.ID || len(p.Call.Name) > 64 || len(p.Call.ID) > 40 {
				t.Fatalf("%+v has the result %+v", p.Call, results[i].Result)
			}
		}
	})
}

// piece reads a piece of a call.
func piece(line string) models.CallPiece {
	fields := append(strings.SplitN(line, "\t", 4), "", "", "", "")
	p := models.CallPiece{ID: fields[1], Name: fields[2], Arguments: fields[3]}
	var n int
	if json.Unmarshal([]byte(fields[0]), &n) == nil {
		p.Index = &n
	}
	return p
}
