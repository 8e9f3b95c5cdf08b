package sdk_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent/digest"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
)

const operatorToken = "a token that only operators have"

// TestOperator checks that the operator can list plugins, calls and metrics, and that other callers
// cannot.
func TestOperator(t *testing.T) {
	t.Parallel()
	engine, err := wasmtools.NewEngine(wasmtools.Config{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := askingGateway(t)
	cfg.Plugins, err = wasmtools.NewPlugins(engine, cfg.Tools, wasmtools.Folder{Dir: t.TempDir(), Grants: t.TempDir() + "/grants.json", Every: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cfg.Plugins.Close)
	cfg.Audit, cfg.OperatorToken = gatewaytest.Audit(t), operatorToken
	url := gatewaytest.Start(t, cfg)
	c := clientOf(t, url, sdk.WithToken(operatorToken), sdk.WithUser("ada"))
	if list, err := c.Plugins.List(t.Context()); err != nil || len(list.Plugins) != 0 {
		t.Errorf("plugins: %+v, %v", list, err)
	}
	_, added := c.Plugins.Add(t.Context(), "units.wasm", strings.NewReader("no module"), nil)
	if e, ok := errors.AsType[*sdkapi.Error](added); !ok || e.Status != 422 {
		t.Errorf("a module that is none: %v", added)
	}
	_, got := c.Plugins.Get(t.Context(), "units")
	_, enabled := c.Plugins.Enable(t.Context(), "units", true)
	_, grant := c.Plugins.Grant(t.Context(), "units")
	for name, err := range map[string]error{"get": got, "enable": enabled, "grant": grant, "remove": c.Plugins.Remove(t.Context(), "units"), "set": c.Plugins.SetGrant(t.Context(), "units", []byte(`{}`))} {
		t.Run(name, func(t *testing.T) {
			if e, ok := errors.AsType[*sdkapi.Error](err); !ok || e.Status != 404 {
				t.Errorf("a plugin that is not there: %v", err)
			}
		})
	}
	if page, err := c.Audit(t.Context(), sdk.AuditQuery{Limit: 3}); err != nil || page.Records == nil {
		t.Errorf("audit: %+v, %v", page, err)
	}
	if text, err := c.Metrics(t.Context()); err != nil || !strings.Contains(text, "windie_") {
		t.Errorf("metrics: %.80s, %v", text, err)
	}
	if _, err := clientOf(t, url, sdk.WithToken("another")).Metrics(t.Context()); !errors.Is(err, &sdkapi.Error{Code: sdkapi.OperatorOnly}) {
		t.Errorf("another's figures: %v", err)
	}
}

// TestMemorySearch adds entries to the memory, finds them, and reads them.
func TestMemorySearch(t *testing.T) {
	t.Parallel()
	cfg := askingGateway(t)
	cfg.Memory = gatewaytest.Memory(t, memory.Options{})
	c := clientOf(t, gatewaytest.Start(t, cfg), sdk.WithUser("ada"), sdk.WithKey(approvalKey))
	kept, err := c.General.Remember(t.Context(), sdkapi.V1MemoryWrite{Target: "long_term", Content: "The door code has four digits"})
	if err != nil {
		t.Fatal(err)
	}
	found, err := c.General.Recall(t.Context(), "door", "", 5)
	if err != nil || len(found.Results) == 0 || found.Results[0].Path != kept.Path {
		t.Fatalf("%+v, %v", found, err)
	}
	if passage, err := c.General.Passage(t.Context(), kept.Path, 1, 0); err != nil || !strings.Contains(passage.Text, "four digits") {
		t.Errorf("%+v, %v", passage, err)
	}
}

// TestHealthOfTexts checks the health of a gateway with summaries and without weights for
// embeddings.
func TestHealthOfTexts(t *testing.T) {
	t.Parallel()
	cfg := askingGateway(t)
	cfg.Digests, cfg.Embeddings = new(digest.Digester), embeddings.Local(t.TempDir())
	c := clientOf(t, gatewaytest.Start(t, cfg))
	if health, err := c.SemanticHealth(t.Context()); err != nil || health.Status != "healthy" {
		t.Errorf("%+v, %v", health, err)
	}
	var e *sdkapi.Error
	if _, err := c.EmbeddingsHealth(t.Context()); !errors.As(err, &e) || e.Status != 503 {
		t.Errorf("without weights: %v", err)
	}
}
