package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/anthropic"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

// A format that the protocol can express is sent without the keywords that it refuses. Any other becomes an instruction.
func TestFormats(t *testing.T) {
	t.Parallel()
	const output = `"output_config":{"format":{"schema":`
	for name, tt := range map[string]struct {
		schema string
		want   string // of the request
	}{
		"simple":            {`{"type":"object","properties":{"a":{"type":"string","minLength":3,"pattern":"x"}},"required":["a"]}`, output + `{"additionalProperties":false,"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"},"type":"json_schema"}}`},
		"below definitions": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"array","maxItems":2,"items":{"type":"object","properties":{"maxItems":{"type":"null"}}}}}}`, `{"a":{"items":{"additionalProperties":false,"properties":{"maxItems":{"type":"null"}},"type":"object"},"type":"array"}}`},
		"one of several":    {`{"type":"object","properties":{"a":{"oneOf":[{"type":"string","maxLength":1},{"type":"null"}]}}}`, `"anyOf":[{"type":"string"},{"type":"null"}]`},
		"any fields":        {`{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}}}`, "matches the JSON Schema below"},
		"any value":         {`{"type":"object","properties":{"a":true}}`, "matches the JSON Schema below"},
		"no schema":         {``, "Answer with one JSON object."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := hello()
			req.Format = &models.Format{Name: "a", Schema: json.RawMessage(tt.schema)}
			_, asked, err := ask(t, anthropic.Config{}, modelstest.Reply{}, req)
			if err != nil || !strings.Contains(asked[0].Body, tt.want) || strings.Contains(tt.want, "JSON Schema below") && strings.Contains(asked[0].Body, "output_config") {
				t.Errorf("lacks %s: %s, %v", tt.want, asked[0].Body, err)
			}
		})
	}
}

// Effort and format share a field.
func TestFormatWithEffort(t *testing.T) {
	t.Parallel()
	req := hello()
	req.Reasoning, req.Format = "high", &models.Format{Name: "a", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}
	_, asked, err := ask(t, anthropic.Config{}, modelstest.Reply{}, req)
	if err != nil || !strings.Contains(asked[0].Body, `"output_config":{"effort":"high","format":{`) {
		t.Errorf("%s, %v", asked[0].Body, err)
	}
}

func TestChoices(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		must, one bool
		want      string
	}{
		{"free", false, false, ""},
		{"must", true, false, `"tool_choice":{"type":"any"}`},
		{"one", false, true, `"tool_choice":{"disable_parallel_tool_use":true,"type":"auto"}`},
		{"must and one", true, true, `"tool_choice":{"disable_parallel_tool_use":true,"type":"any"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := hello()
			req.Tools, req.MustCall, req.OneCall, req.Reasoning = []models.Tool{{Name: "a"}}, tt.must, tt.one, "high"
			_, asked, err := ask(t, anthropic.Config{}, modelstest.Reply{}, req)
			body := asked[0].Body
			if err != nil || !strings.Contains(body, tt.want) || strings.Contains(body, "tool_choice") != (tt.want != "") || strings.Contains(body, "adaptive") == tt.must {
				t.Errorf("%s, %v", body, err)
			}
		})
	}
}

// The protocol has two sampling parameters; others are refused by name.
func TestSampling(t *testing.T) {
	t.Parallel()
	half, much, seed := 0.5, 1.5, int64(1)
	req := hello()
	req.Sampling = models.Sampling{Temperature: &half, TopP: &half}
	if _, asked, err := ask(t, anthropic.Config{}, modelstest.Reply{}, req); err != nil || !strings.Contains(asked[0].Body, `"temperature":0.5,"top_p":0.5`) {
		t.Errorf("%v, %v", asked, err)
	}
	for name, s := range map[string]models.Sampling{
		"temperature": {Temperature: &much}, "seed": {Seed: &seed}, "presence_penalty": {PresencePenalty: &half}, "frequency_penalty": {FrequencyPenalty: &half},
	} {
		t.Run(name, func(t *testing.T) {
			req := hello()
			req.Sampling = s
			_, asked, err := ask(t, anthropic.Config{}, modelstest.Reply{}, req)
			f := fault.From(err)
			if len(asked) > 0 || f == nil || f.Code != sdkapi.ValidationError || f.Details.Fields[0].Path != name {
				t.Errorf("%+v after %d requests", f, len(asked))
			}
		})
	}
}
