package desktop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A user who does not want the browser automated has a model that cannot.
func TestWSBrowserOff(t *testing.T) {
	t.Parallel()
	p := doorstest.Dial(t, talking(t), handshakeOf(`"tools":{"client_manifest":{"version":1,"tools":[{"name":"browser_back","schema":{"type":"object"}}]}}`))
	p.Until(sdkapi.WSClientToolManifest)
	for _, on := range []string{"true", "false", "true"} {
		if got := p.Update(`{"browser_automation_enabled":` + on + `}`); got != `{"updated_keys":["browser_automation_enabled"]}` {
			t.Errorf("%s: %s", on, got)
		}
		offered := p.Offers()
		_, browser := offered["browser"]
		_, back := offered["browser_back"]
		if want := on == "true"; browser != want || back != want {
			t.Errorf("with browser_automation_enabled:%s browser is offered: %v, and browser_back: %v", on, browser, back)
		}
	}
}

// Whatever is chosen of a model is in effect: HTTP reports of it what the
// settings say, and what is refused changes nothing.
func TestWSModelChosen(t *testing.T) {
	t.Parallel()
	url := talking(t)
	c, err := sdk.New(url)
	if err != nil {
		t.Fatal(err)
	}
	p := doorstest.Dial(t, url, doorstest.Hello)
	for _, tt := range []struct{ update, answer, model string }{
		{`{}`, `{"updated_keys":[]}`, "commander"},
		{`{"model_provider":"commander"}`, `["model_provider"]`, "commander"},
		{`{"selected_model_id":"nope"}`, "commander", "commander"},
		{`{"model_provider":"openai"}`, "payload.model_provider", "commander"},
		{`{"model_mode":"online"}`, "payload.model_mode", "commander"},
		{`{"selected_model_id":"gpt-5.4"}`, "openai has no API key", "commander"},
		{`{"provider_api_keys":{"openai":{"enabled":true,"api_key":"k"}}}`, `["provider_api_keys"]`, "commander"},
		{`{"model_mode":"online"}`, `["model_mode","selected_model_id"]`, "openai gpt"},
		{`{"selected_model_id":""}`, `["selected_model_id"]`, "commander"},
		{`{"selected_model_id":"gpt-5.4"}`, `["selected_model_id"]`, "openai gpt"},
		{`{"model_mode":"local","model_provider":"openai"}`, "payload.model_mode", "openai gpt"},
		{`{"provider_api_keys":{"openai":{"enabled":false,"api_key":"k"}}}`, `["provider_api_keys"]`, "openai gpt"}, // and cannot be asked
		{`{"model_provider":"openai"}`, "payload.model_provider", "openai gpt"},
	} {
		t.Run(fmt.Sprint(tt.update, " ", tt.answer), func(t *testing.T) {
			if got := p.Update(tt.update); !strings.Contains(got, tt.answer) {
				t.Errorf("%s: %s, want %s", tt.update, got, tt.answer)
			}
			set := p.Settings()
			told, err := c.Agent.Models(t.Context(), sdk.As{UserID: "ada"})
			if err != nil {
				t.Fatal(err)
			}
			is := sdkapi.ConfigSnapshot{ModelMode: set.ModelMode, ModelProvider: set.ModelProvider, SelectedModelID: set.SelectedModelID, InteractionMode: set.InteractionMode}
			if told.Config != is || !strings.HasPrefix(strings.TrimPrefix(set.ModelProvider+" "+set.SelectedModelID, "commander "), tt.model) {
				t.Errorf("%s: the settings are %+v, and over HTTP %+v", tt.update, is, told.Config)
			}
		})
	}
	if set := p.Settings(); set.ProviderAPIKeys["openai"].Enabled {
		t.Error("a key that was not enabled is told to be")
	}
}
