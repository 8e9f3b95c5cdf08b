package openai_test

import (
	"net/http"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

// What the gateway lacks is refused by name; what asks for nothing is not.
func TestUnsupportedFields(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, fields, param string }{
		{"functions", `,"functions":[{"name":"f"}]`, "functions"},
		{"function_call", `,"function_call":"auto"`, "function_call"},
		{"logprobs", `,"logprobs":true`, "logprobs"},
		{"logit_bias", `,"logit_bias":{"1":2}`, "logit_bias"},
		{"modalities", `,"modalities":["text","audio"]`, "modalities"},
		{"audio", `,"audio":{"voice":"alloy"}`, "audio"},
		{"n", `,"n":2`, "n"},
		{"temperature", `,"temperature":2.1`, "temperature"},
		{"top_p", `,"top_p":-0.1`, "top_p"},
		{"presence_penalty", `,"presence_penalty":2.1`, "presence_penalty"},
		{"frequency_penalty", `,"frequency_penalty":-2.1`, "frequency_penalty"},
		{"seed", `,"seed":1.5`, "seed"},
		{"nothing", `,"functions":[],"logprobs":false,"logit_bias":{},"modalities":[ "text" ],"audio":null,"top_logprobs":0`, ""},
		{"other fields", `,"user":"ada","store":true,"metadata":{"a":"b"},"anything":1`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, _ := scripted(t, say("yes"))
			status, answer := chat(t, url, tt.fields)
			if tt.param == "" {
				if status != http.StatusOK {
					t.Errorf("%d %s", status, answer)
				}
				return
			}
			parts(t, answer, `"param":"`+tt.param+`"`, `"type":"invalid_request_error"`, `"code":"VALIDATION_ERROR"`)
			if status != http.StatusUnprocessableEntity {
				t.Error(status)
			}
		})
	}
}

// Sampling parameters reach the model as they are, and an error of the provider about one names it.
func TestSampling(t *testing.T) {
	t.Parallel()
	url, model := scripted(t, say("yes"), modelstest.Reply{Err: fault.New("test", sdkapi.ValidationError, "no seeds").At("seed", "expected no value")})
	const fields = `,"temperature":0.7,"top_p":0.5,"presence_penalty":0.1,"frequency_penalty":-0.2,"seed":7`
	if status, answer := chat(t, url, fields); status != http.StatusOK {
		t.Fatal(status, answer)
	}
	s := model.Requests()[0].Sampling
	if *s.Temperature != 0.7 || *s.TopP != 0.5 || *s.PresencePenalty != 0.1 || *s.FrequencyPenalty != -0.2 || *s.Seed != 7 {
		t.Errorf("%+v", s)
	}
	status, answer := chat(t, url, fields)
	if parts(t, answer, `"param":"seed"`); status != http.StatusUnprocessableEntity {
		t.Error(status)
	}
}

// Errors have OpenAI's fields below /openai/v1, and nowhere else.
func TestErrorFields(t *testing.T) {
	t.Parallel()
	url, _ := scripted(t)
	for path, has := range map[string][]string{
		sdkapi.OpenAIModelsPath + "/none":          {`"type":"invalid_request_error"`, `"param":"model"`, `"code":"NOT_FOUND"`},
		sdkapi.OpenAIPath + "/nowhere":             {`"type":"invalid_request_error"`, `"code":"NOT_FOUND"`},
		sdkapi.OpenAIResponsesPath + "/resp_other": {`"type":"invalid_request_error"`, `"code":"NOT_FOUND"`},
		"/nowhere": {`!"type"`, `!"param"`, `"code":"NOT_FOUND"`},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			status, answer := get(t, url+path)
			if parts(t, answer, has...); status != http.StatusNotFound {
				t.Error(status)
			}
		})
	}
}

// The default model is listed, and can be looked up.
func TestDefaultModel(t *testing.T) {
	t.Parallel()
	url, _ := scripted(t)
	for _, path := range []string{sdkapi.OpenAIModelsPath, sdkapi.OpenAIModelsPath + "/default"} {
		status, answer := get(t, url+path)
		if parts(t, answer, `"id":"default"`, `"object":"model"`); status != http.StatusOK {
			t.Error(status)
		}
	}
}
