package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/sdkapi"
)

// catalogueFile writes a catalogue of one local and three remote providers, each
// with a model that is called after it, and returns its path. The servers are
// all at base.
func catalogueFile(t *testing.T, preset, base string) string {
	t.Helper()
	text := preset + fmt.Sprintf(`
providers:
  - {id: here, kind: openai, local: true, base_url: %[1]s/here/v1}
  - {id: openai, kind: openai, base_url: %[1]s/openai/v1, key_env: OPENAI_API_KEY}
  - {id: anthropic, kind: anthropic, base_url: %[1]s/anthropic/v1, key_env: ANTHROPIC_API_KEY}
  - {id: gemini, kind: gemini, base_url: %[1]s/gemini, key_env: GEMINI_API_KEY}
models:
  - {id: eyes, provider: here, vision: true}
  - {id: here-1, provider: here}
  - {id: openai-1, provider: openai}
  - {id: anthropic-1, provider: anthropic}
`, base)
	path := filepath.Join(t.TempDir(), "models.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Which model those get who choose none is what the operator says, whatever
// keys there are.
func TestNoKeyMovesAConversation(t *testing.T) {
	t.Parallel()
	const nowhere = "http://127.0.0.1:1"
	keys := []string{"OPENAI_API_KEY=a", "ANTHROPIC_API_KEY=b", "GEMINI_API_KEY=c"}
	for _, tt := range []struct {
		name, file, preset string
		want, why          string
	}{
		{"nothing is said", "", "", "commander", "WINDIE_MODEL is not set"},
		{"a setting", "", "claude-sonnet-5-5", "claude-sonnet-5-5", "WINDIE_MODEL is set"},
		{"a catalogue", catalogueFile(t, "default: here-1", nowhere), "", "here-1", "the default of the catalogue "},
		{"a catalogue, and a setting", catalogueFile(t, "default: here-1", nowhere), "openai-1", "openai-1", "WINDIE_MODEL"},
		{"a catalogue without a default", catalogueFile(t, "", nowhere), "", "here-1", "which names no default"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, environ := range [][]string{nil, keys} {
				c := &config{}
				c.Models.Catalogue, c.Models.Default = tt.file, tt.preset
				m, err := newModels(c, environ)
				if err != nil {
					t.Fatal(err)
				}
				m.Keep("ada", "openai", "her own")
				if id, why := m.Preferred(); id != tt.want || m.Default() != tt.want || !strings.Contains(why, tt.why) {
					t.Errorf("with the keys %q it is %s, as %s", environ, id, why)
				}
			}
		})
	}
}

// stopsWhenReady stops a gateway that says to it that it is ready.
type stopsWhenReady struct{ stop func() }

func (s stopsWhenReady) Write(p []byte) (int, error) {
	if readyLine.Match(p) {
		s.stop()
	}
	return len(p), nil
}

// A gateway logs its default model at its start, and why it is that one.
// One whose settings name a model that cannot be there does not start.
func TestServeSaysWhichModel(t *testing.T) {
	t.Parallel()
	start := func(environ ...string) (code int, log string) {
		environ = append(environ, "WINDIE_DATA_DIR="+t.TempDir(), "WINDIE_LISTEN=127.0.0.1:0", "PATH="+os.Getenv("PATH"))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var complaint output
		code = run(ctx, []string{"serve"}, environ, nil, stopsWhenReady{stop}, &complaint)
		return code, complaint.String()
	}
	code, log := start("ANTHROPIC_API_KEY=sk")
	if code != 0 || !strings.Contains(log, `"model":"commander","why":"WINDIE_MODEL is not set"`) ||
		!strings.Contains(log, `"variables_without_a_key":"OPENAI_API_KEY GEMINI_API_KEY"`) {
		t.Errorf("it ended with %d, and says\n%s", code, log)
	}
	file := catalogueFile(t, "default: openai-1", "http://127.0.0.1:1")
	if code, log = start("WINDIE_MODELS=" + file); code != 0 || !strings.Contains(log, `"level":"WARN"`) || !strings.Contains(log, `"variable":"OPENAI_API_KEY"`) {
		t.Errorf("without the key to its model it ended with %d, and says\n%s", code, log)
	}
	code, log = start("WINDIE_MODELS="+file, "WINDIE_MODEL=nosuch", "WINDIE_MODEL_HIGH=none-either")
	if code != exitUsage || !strings.Contains(log, `models.default (WINDIE_MODEL): the catalogue has no model "nosuch"`) || !strings.Contains(log, "WINDIE_MODEL_HIGH") {
		t.Errorf("with a model that is not there it ended with %d, and says\n%s", code, log)
	}
	code, log = start("WINDIE_MODELS=" + catalogueFile(t, "default: nosuch\nfavourite: x", "http://127.0.0.1:1"))
	if code != exitUsage || !strings.Contains(log, "models.yaml: default: expected the id of a model in this file") || !strings.Contains(log, "favourite") {
		t.Errorf("with a bad catalogue it ended with %d, and says\n%s", code, log)
	}
}

// doctor looks at the models too.
func TestDoctorLooksAtModels(t *testing.T) {
	t.Parallel()
	const nowhere = "http://127.0.0.1:1"
	for _, tt := range []struct {
		name string
		ok   bool
		told string
		args []string
	}{
		{"nothing is said", true, "default commander (WINDIE_MODEL is not set); no key in OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY", nil},
		{"a bad catalogue", false, "models.yaml: default: expected the id of a model in this file", []string{"--models-catalogue", catalogueFile(t, "default: nosuch", nowhere)}},
		{"no such model", false, `models.default (WINDIE_MODEL): the catalogue has no model "nosuch"`, []string{"--models-default", "nosuch", "--models-catalogue", catalogueFile(t, "", nowhere)}},
		{"none that runs", false, "the model llama3.2:3b is not in the catalogue and no running provider has it", []string{"--models-default", "llama3.2:3b"}},
		{"no key", false, "the provider of openai-1 has no key; set OPENAI_API_KEY", []string{"--models-catalogue", catalogueFile(t, "default: openai-1", nowhere)}},
		{"no key for the high one", false, "the provider of anthropic-1 has no key", []string{"--models-high", "anthropic-1", "--models-catalogue", catalogueFile(t, "", nowhere)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, checks := doctor(t, tt.args...)
			if c := checks["models"]; c.OK != tt.ok || !strings.Contains(c.Message, tt.told) {
				t.Errorf("%+v", c)
			}
		})
	}
}

// doctor --online asks each provider for its list of models, with the key.
func TestDoctorReachesProviders(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/openai/v1/models" && r.Header.Get("Authorization") == "Bearer sk-good",
			r.URL.Path == "/anthropic/v1/models" && r.Header.Get("X-Api-Key") == "sk-good" && r.Header.Get("Anthropic-Version") != "",
			r.URL.Path == "/gemini/v1beta/models" && r.Header.Get("X-Goog-Api-Key") == "sk-good":
			fmt.Fprint(w, `{"data":[]}`)
		case strings.HasPrefix(r.URL.Path, "/here/"):
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"type":"authentication_error","message":"wrong key %s"}}`, r.Header.Get("Authorization"))
		}
	}))
	t.Cleanup(server.Close)
	ask := func(preset string, environ ...string) map[string]sdkapi.Check {
		var out, complaint output
		environ = append(environ, "WINDIE_DATA_DIR="+t.TempDir(), "WINDIE_LISTEN=127.0.0.1:0", "WINDIE_MODELS="+catalogueFile(t, preset, server.URL))
		run(t.Context(), []string{"doctor", "--online", "--json"}, environ, nil, &out, &complaint)
		_, checks := diagnosed(t, out.String(), complaint.String())
		return checks
	}
	for _, tt := range []struct {
		name, preset, check string
		ok                  bool
		told                string
		environ             []string
	}{
		{"openai", "default: openai-1", "models:openai", true, "responds and accepts the key", []string{"OPENAI_API_KEY=sk-good"}},
		{"anthropic", "default: openai-1", "models:anthropic", true, "responds and accepts the key", []string{"ANTHROPIC_API_KEY=sk-good"}},
		{"gemini", "default: openai-1", "models:gemini", true, "responds and accepts the key", []string{"GEMINI_API_KEY=sk-good"}},
		{"a wrong key", "default: here-1", "models:openai", false, "refuses the key", []string{"OPENAI_API_KEY=sk-bad"}},
		{"no key", "default: here-1", "models:openai", true, "not checked: OPENAI_API_KEY is empty", nil},
		{"a local one that nothing chooses", "default: openai-1", "models:here", true, "does not run", []string{"OPENAI_API_KEY=sk-good"}},
		{"a local one that is the default", "default: here-1", "models:here", false, "is unavailable", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, told := ask(tt.preset, tt.environ...)[tt.check]
			if !told || c.OK != tt.ok || !strings.Contains(c.Message, tt.told) || strings.Contains(c.Message, "sk-") {
				t.Errorf("%v, %+v", told, c)
			}
		})
	}
}

// The model that looks at screens is listed beside those of the catalogue, once.
func TestVisionModelIsListed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, vision, want string }{
		{"none is set", "", "eyes"},
		{"one of its own", "Qwen/Qwen2.5-VL-7B-Instruct", "eyes Qwen/Qwen2.5-VL-7B-Instruct"},
		{"one of the catalogue", "eyes", "eyes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := &config{}
			c.Models.Catalogue, c.Vision.Model, c.Vision.Eyes = catalogueFile(t, "", "http://127.0.0.1:1"), tt.vision, true
			m, err := newModels(c, nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, listed := range m.List(t.Context(), "ada").Vision {
				names = append(names, listed.ID)
			}
			if got := strings.Join(names, " "); got != tt.want {
				t.Errorf("listed are %q, want %q", got, tt.want)
			}
		})
	}
}
