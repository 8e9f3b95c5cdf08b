package models_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// TestTheProtocolsExample shows that a file can say all that the protocol's
// own example of models-listed has, and that it comes out the same.
func TestTheProtocolsExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/example.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := models.ParseCatalogue(text)
	if err != nil {
		t.Fatal(fault.From(err).Details)
	}
	list := c.List(nil)
	if len(list.Online) != 6 {
		t.Fatalf("%d entries", len(list.Online))
	}
	list.Online = []sdkapi.Model{list.Online[0], list.Online[5]} // the example has one mode of five
	got, err := json.MarshalIndent(list, "", "  ")
	if err != nil || string(got)+"\n" != string(want) {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	c := models.BuiltinCatalogue()
	for id, want := range map[string]models.Choice{
		"gpt-5.4@@gpt-5-4-none-thinking":  {Model: "gpt-5.4", Reasoning: "none", ContextWindow: 400000},
		"gpt-5.4@@gpt-5-4-xhigh-thinking": {Model: "gpt-5.4", Reasoning: "xhigh", ContextWindow: 400000},
		"gpt-5.4":                         {Model: "gpt-5.4", Reasoning: "none", ContextWindow: 400000},
		"claude-sonnet-4-5-20250929":      {Model: "claude-sonnet-4-5-20250929", ContextWindow: 200000},
		"commander":                       {Model: "commander", Price: models.Price{Known: true}},
	} {
		t.Run(id, func(t *testing.T) {
			got, err := c.Find(id)
			kind := got.Provider.Kind
			got.Provider = models.Provider{}
			if err != nil || got != want || kind == "" {
				t.Errorf("%s: %+v, %v", id, got, err)
			}
		})
	}
	for _, id := range []string{"", "gpt-5.4@@gpt-5-4-huge-thinking", "\x1b[31m" + strings.Repeat("x", 1000)} {
		if _, err := c.Find(id); fault.CodeOf(err) != sdkapi.ValidationError || len(err.Error()) > 500 || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := c.Find(c.Default()); err != nil {
		t.Error(err)
	}
}

func TestListShowsWhatIsUsable(t *testing.T) {
	t.Parallel()
	c := models.BuiltinCatalogue()
	list := c.List(func(p models.Provider) bool { return p.KeyEnv == "" })
	if len(list.Online) != 0 || len(list.Local) != 1 || list.Vision == nil {
		t.Errorf("%+v", list)
	}
	for _, m := range c.List(nil).Online {
		if m.InputPrice+m.OutputPrice+m.Latency != "" {
			t.Errorf("%s has a price or a latency that nobody measured", m.ID)
		}
	}
	more := c.With(models.Provider{ID: "ollama", Local: true}, []string{"llama3.2:3b", "gpt-4.1", "", "a@@b"})
	if n := len(more.List(nil).Local); n != 2 || len(c.List(nil).Local) != 1 {
		t.Errorf("%d local", n)
	}
	if choice, err := more.Find("llama3.2:3b"); err != nil || choice.Model != "llama3.2:3b" || choice.Provider.ID != "ollama" {
		t.Errorf("%+v, %v", choice, err)
	}
	if choice, err := more.Find("gpt-4.1"); err != nil || choice.Provider.ID != "openai" {
		t.Errorf("a found name hides an entry: %+v, %v", choice, err)
	}
}

func TestAWrongCatalogueTellsAllAtOnce(t *testing.T) {
	t.Parallel()
	const text = `
default: nobody
currency: euros
providers:
  - {id: A, kind: other, base_url: "https://user:hunter2@a", key_env: sk-hunter2, api_key: hunter2}
  - {id: b, kind: anthropic, local: often, discover: ollama}
  - {id: b, kind: openai}
models:
  - {id: "x@@y", provider: c, context_window: -1, reasoning_modes: [low, low, Big Mode], default_reasoning_mode: high}
  - {id: z, provider: b}
  - {id: z, provider: b, price: 3}
`
	_, err := models.ParseCatalogue([]byte(text), "openai", "anthropic")
	var told strings.Builder
	for _, f := range fault.From(err).Details.Fields {
		told.WriteString(f.Path + ": " + f.Message + "\n")
	}
	for _, want := range []string{
		"default: ", "currency: ", "providers[0].id: ", "providers[0].kind: ", "providers[0].base_url: ", "providers[0].key_env: ", "field api_key is unknown",
		"into bool", "providers[1].discover: ", "providers[2].id: ", "models[0].id: ", "models[0].provider: ", "models[0].context_window: ",
		"models[0].reasoning_modes: ", "models[0].reasoning_modes[1]: ", "models[0].reasoning_modes[2]: ", "models[0].default_reasoning_mode: ",
		"field price is unknown", "models[2].id: ",
	} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("lacks %q:\n%s", want, told.String())
		}
	}
	if strings.Contains(told.String(), "hunter2") || strings.Contains(told.String(), "in type") {
		t.Errorf("tells too much:\n%s", told.String())
	}
	for name, text := range map[string]string{
		"empty": "", "no YAML": "\t{", "a list": "- 1", "two": "providers: [{id: a, kind: openai}]\n---\n{}\n",
		"too long": "#" + strings.Repeat("a", models.MaxCatalogue), "a bomb": "a: &a [x,x]\nb: &b [*a,*a]\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := models.ParseCatalogue([]byte(text)); fault.CodeOf(err) != sdkapi.ValidationError {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}
