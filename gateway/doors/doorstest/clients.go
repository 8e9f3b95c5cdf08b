package doorstest

import (
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/agent/digest"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/state/ledger"
	"github.com/windieos/windie/state/runs"
)

// TestOperator is the operator's token of the gateways that ClientsGateways runs.
const TestOperator = "a token that only operators have"

// ClientsGateways runs a local and a hosted gateway for the tests of clients in other languages. It returns the
// environment variables for these tests, which contain the URLs of the gateways. Each gateway has all its parts. Its
// model is the secretary, see DocumentedConfig. Each gateway is behind a proxy that breaks connections when the test
// asks for it.
//
// Web pages of the given origins may call the gateways.
func ClientsGateways(t *testing.T, origins ...string) []string {
	t.Helper()
	var ran atomic.Int64
	env := os.Environ()
	for _, hosted := range []bool{false, true} {
		cfg := DocumentedConfig(t, hosted, &ran)
		cfg.Identity = gatewaytest.Identity(t)
		cfg.Once, cfg.Memory, cfg.Audit = gatewaytest.Once(t), gatewaytest.Memory(t, memory.Options{}), gatewaytest.Audit(t)
		cfg.Embeddings, cfg.Digests = CountingService(), new(digest.Digester)
		cfg.Plugins, cfg.Ledger = WithPlugins(t).Plugins, ledger.Open(StateOf(t), ledger.Options{})
		cfg.OperatorToken, cfg.AllowedOrigins = TestOperator, origins
		Operated(t, &cfg)
		cfg.Runs, cfg.RunsKey, cfg.ApprovalKey = gatewaytest.Runs(t, runs.Options{}), TestRunsKey, LocalKey
		url := gatewaytest.Start(t, cfg)
		if resp, body := Get(t, url+"/ready"); resp.StatusCode != http.StatusOK { // else it may not have started yet
			t.Fatal(body)
		}
		at, control := gatewaytest.Behind(t, url)
		name := map[bool]string{false: "WINDIE_TEST_LOCAL", true: "WINDIE_TEST_HOSTED"}[hosted]
		env = append(env, name+"="+at, name+"_CONTROL="+control)
	}
	card := filepath.Join(t.TempDir(), "card.png")
	if err := os.WriteFile(card, gatewaytest.Card(), 0o600); err != nil {
		t.Fatal(err)
	}
	return append(env, "WINDIE_TEST_CARD="+card, "WINDIE_TEST_RUNS_KEY="+TestRunsKey, "WINDIE_TEST_APPROVAL_KEY="+LocalKey)
}
