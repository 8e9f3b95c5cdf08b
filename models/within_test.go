package models_test

import (
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

// A request that is far too long for a model is refused before anybody is
// asked, wherever its text stands; one that may fit is asked.
func TestWithin(t *testing.T) {
	t.Parallel()
	const window = 1000
	words := func(tokens int) string { return strings.Repeat("four", tokens) }
	in := func(p models.Part) models.Request {
		return models.Request{Messages: []models.Message{{Role: models.User, Parts: []models.Part{p}}}}
	}
	for name, tt := range map[string]struct {
		req   models.Request
		asked bool
	}{
		"short":                     {in(models.Part{Text: words(10)}), true},
		"as an estimate may be off": {in(models.Part{Text: words(2*window - 10)}), true},
		"many bytes, few tokens":    {in(models.Part{Text: strings.Repeat(" ", 1<<20)}), true},
		"far too long":              {in(models.Part{Text: words(2*window + 10)}), false},
		"in a result":               {in(models.Part{Result: &models.Result{Parts: []models.Part{{Text: words(2 * window)}}}}), false},
		"in a call":                 {in(models.Part{Call: &models.Call{Arguments: []byte(`"` + words(2*window) + `"`)}}), false},
		"in what it is told first":  {models.Request{System: words(2*window + 10)}, false},
		"in a tool":                 {models.Request{Tools: []models.Tool{{Name: "t", Description: words(2 * window)}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			script := modelstest.NewScript().Otherwise(modelstest.Reply{Text: []string{"Well."}})
			var failed error
			for _, err := range models.Within(script, window).Stream(t.Context(), tt.req) {
				failed = err
			}
			want := sdkapi.ModelContextFull
			if tt.asked {
				want = ""
			}
			if asked := len(script.Requests()) > 0; asked != tt.asked || fault.CodeOf(failed) != want {
				t.Errorf("%s: asked %t, %v", name, asked, failed)
			}
		})
	}
	script := modelstest.NewScript()
	if models.Within(script, 0) != models.Model(script) {
		t.Error("a model whose window is unknown is another one")
	}
}
