package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/models/openai"
	"github.com/windieos/windie/sdkapi"
)

// Formats, choices and sampling parameters are those of the protocol.
func TestChosenFields(t *testing.T) {
	t.Parallel()
	zero, some, seed := 0.0, 0.7, int64(0)
	for name, tt := range map[string]struct {
		change func(*models.Request)
		want   string
	}{
		"object": {func(r *models.Request) { r.Format = new(models.Format) }, `"response_format":{"type":"json_object"}`},
		"schema": {func(r *models.Request) {
			r.Format = &models.Format{Name: "a", Schema: json.RawMessage(`{"type":"object"}`), Strict: true}
		}, `"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object"},"strict":true}}`},
		"must":        {func(r *models.Request) { r.Tools, r.MustCall = []models.Tool{{Name: "a"}}, true }, `"tool_choice":"required"`},
		"one":         {func(r *models.Request) { r.Tools, r.OneCall = []models.Tool{{Name: "a"}}, true }, `"parallel_tool_calls":false`},
		"strict":      {func(r *models.Request) { r.Tools = []models.Tool{{Name: "a", Strict: true}} }, `"strict":true`},
		"likeliest":   {func(r *models.Request) { r.Sampling.Temperature = &zero }, `"temperature":1e-45`},
		"temperature": {func(r *models.Request) { r.Sampling.Temperature = &some }, `"temperature":0.7`},
		"top_p":       {func(r *models.Request) { r.Sampling.TopP = &some }, `"top_p":0.7`},
		"penalties":   {func(r *models.Request) { r.Sampling.PresencePenalty, r.Sampling.FrequencyPenalty = &some, &some }, `"presence_penalty":0.7`},
		"seed":        {func(r *models.Request) { r.Sampling.Seed = &seed }, `"seed":0`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := hello()
			tt.change(&req)
			_, body, err := ask(t, openai.Config{}, modelstest.Reply{}, req)
			if err != nil || !strings.Contains(body, tt.want) {
				t.Errorf("lacks %s: %s, %v", tt.want, body, err)
			}
		})
	}
	_, body, _ := ask(t, openai.Config{}, modelstest.Reply{}, hello())
	for _, field := range []string{"response_format", "tool_choice", "parallel_tool_calls", "temperature", "top_p", "penalty", "seed"} {
		if strings.Contains(body, field) {
			t.Errorf("has %s: %s", field, body)
		}
	}
}

// A thinking model lacks sampling parameters; the error names the one that the request has.
func TestThinkingModelsDoNotSample(t *testing.T) {
	t.Parallel()
	some := 0.7
	req := hello()
	req.Model, req.Sampling.TopP = "gpt-5.4", &some
	_, body, err := ask(t, openai.Config{Dialect: openai.Own}, modelstest.Reply{}, req)
	if f := fault.From(err); body != "" || f == nil || f.Code != sdkapi.ValidationError || f.Details.Fields[0].Path != "top_p" {
		t.Errorf("%s %+v", body, f)
	}
}
