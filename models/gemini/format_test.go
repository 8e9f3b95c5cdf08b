package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
)

// Formats, choices and sampling parameters are those of the protocol. Beside tools, a format is an instruction.
func TestChosenFields(t *testing.T) {
	t.Parallel()
	some, seed := 0.7, int64(7)
	schema := &models.Format{Name: "a", Schema: json.RawMessage(`{"type":"object"}`)}
	for name, tt := range map[string]struct {
		change      func(*models.Request)
		want, wrong string
	}{
		"object":       {func(r *models.Request) { r.Format = new(models.Format) }, `"responseMimeType":"application/json"`, "responseJsonSchema"},
		"schema":       {func(r *models.Request) { r.Format = schema }, `"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}`, "systemInstruction"},
		"beside tools": {func(r *models.Request) { r.Format, r.Tools = schema, []models.Tool{{Name: "a"}} }, "matches the JSON Schema below", "responseMimeType"},
		"must":         {func(r *models.Request) { r.Tools, r.MustCall = []models.Tool{{Name: "a"}}, true }, `"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`, "nothing"},
		"may":          {func(r *models.Request) { r.Tools = []models.Tool{{Name: "a"}} }, `"a"`, "toolConfig"},
		"sampling": {func(r *models.Request) {
			r.Sampling = models.Sampling{Temperature: &some, TopP: &some, PresencePenalty: &some, FrequencyPenalty: &some, Seed: &seed}
		}, `"temperature":0.7,"topP":0.7,"presencePenalty":0.7,"frequencyPenalty":0.7,"seed":7`, "nothing"},
		"no sampling": {func(*models.Request) {}, "hello", "topP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := hello()
			tt.change(&req)
			_, asked, err := ask(t, modelstest.Reply{}, req)
			if err != nil || !strings.Contains(asked[0].Body, tt.want) || strings.Contains(asked[0].Body, tt.wrong) {
				t.Errorf("lacks %s, or has %s: %s, %v", tt.want, tt.wrong, asked[0].Body, err)
			}
		})
	}
}
