package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors/doorstest"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

// scripted starts a gateway whose model gives the replies, and returns its URL.
func scripted(t *testing.T, replies ...modelstest.Reply) (url string, model *modelstest.Script) {
	t.Helper()
	model = modelstest.NewScript(replies...)
	return gatewaytest.Start(t, gateway.App{
		Models: doorstest.ModelAlone{Model: model}, Responses: gatewaytest.Responses(t), Store: new(storetest.Memory), Scenes: gatewaytest.Scenes(t),
	}), model
}

// say returns a reply with a text.
func say(text string) modelstest.Reply { return modelstest.Reply{Text: []string{text}} }

// call returns a reply with calls, each a name and its arguments.
func call(namesAndArguments ...string) (r modelstest.Reply) {
	for i := 0; i < len(namesAndArguments); i += 2 {
		r.Calls = append(r.Calls, models.Call{ID: fmt.Sprint("call_", i), Name: namesAndArguments[i], Arguments: json.RawMessage(namesAndArguments[i+1])})
	}
	return r
}

// chat sends a chat request with more fields.
func chat(t *testing.T, url, fields string) (status int, answer string) {
	t.Helper()
	return doorstest.AskWith(t, http.MethodPost, url+sdkapi.OpenAIChatPath, `{"model":"default","messages":[{"role":"user","content":"hello"}]`+fields+`}`)
}

// parts fails the test if a text lacks one of the parts, or has one that begins with "!".
func parts(t *testing.T, text string, list ...string) {
	t.Helper()
	for _, part := range list {
		absent, unwanted := strings.CutPrefix(part, "!")
		if strings.Contains(text, absent) == unwanted {
			t.Errorf("%s: %s", part, text)
		}
	}
}

// names lists the tools of a request.
func names(req models.Request) (list []string) {
	for _, tool := range req.Tools {
		list = append(list, tool.Name)
	}
	return list
}

// weather and clock are tools of a client.
const (
	weather = `{"type":"function","function":{"name":"weather","strict":true,"parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}}`
	clock   = `{"type":"function","function":{"name":"clock"}}`
	tools   = `,"tools":[` + weather + `,` + clock + `]`
)
