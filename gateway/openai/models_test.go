package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway/doors/doorstest"
	"github.com/windieos/windie/sdkapi"
)

// The error for an unknown model names the field that has its id.
func TestUnknownModel(t *testing.T) {
	t.Parallel()
	url := doorstest.OpenaiGateway(t)
	for _, tt := range []struct{ name, method, path, body, field string }{
		{"get", http.MethodGet, sdkapi.OpenAIModelsPath + "/none", "", "path.model"},
		{"ask", http.MethodPost, sdkapi.OpenAIChatPath, `{"model":"none","messages":[{"role":"user","content":"hello"}]}`, "body.model"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			status, answer := doorstest.AskWith(t, tt.method, url+tt.path, tt.body)
			if status != http.StatusNotFound || !strings.Contains(answer, tt.field) {
				t.Errorf("%d %s; want 404 with %s", status, answer, tt.field)
			}
		})
	}
}
