package wasmtools_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// What a plugin claims of its tool counts for nothing where its grant lets it change things: the operator's word does.
func TestRiskFollowsFromTheGrant(t *testing.T) {
	t.Parallel()
	const said = `{"tools":[{"name":"say","annotations":{"readOnlyHint":true}},{"name":"other"}]}`
	module := wasmtest.Module().ImportFunc("windie", "output_write", "ii", "").Memory(1, 1).Export("memory", 2, 0).Text(0, said).
		Fn("describe", "", "", wasmtest.Seq(wasmtest.I32(0), wasmtest.I32(len(said)), wasmtest.Call(0))).Fn("call", "", "").Bytes()
	dir := t.TempDir()
	for _, tt := range []struct {
		name, grant string
		say, other  agent.Risk
		claimed     bool
	}{
		{"nothing", `{}`, agent.Safe, agent.Safe, false},
		{"reading", fmt.Sprintf(`{"permissions":{"http":[{"host":"a.example","methods":["GET","HEAD"]}],"fs":[{"path":%q,"at":"/a"}]}}`, dir), agent.Safe, agent.Safe, false},
		{"reading in lower case", `{"permissions":{"http":[{"host":"a.example","methods":["get","head"]}]}}`, agent.Safe, agent.Safe, false},
		{"POST", `{"permissions":{"http":[{"host":"a.example","methods":["GET","POST"]}]}}`, agent.Risky, agent.Risky, true},
		{"writing", fmt.Sprintf(`{"permissions":{"fs":[{"path":%q,"at":"/a","write":true}]}}`, dir), agent.Risky, agent.Risky, true},
		{"another tool", `{"permissions":{"tools":["mail.send"]}}`, agent.Risky, agent.Risky, true},
		{"the operator believes it", `{"permissions":{"tools":["mail.send"]},"risk":{"say":"safe"}}`, agent.Safe, agent.Risky, false},
		{"the operator does not", `{"risk":{"say":"risky"}}`, agent.Risky, agent.Safe, false},
		{"the operator forbids it", `{"permissions":{"tools":["mail.send"]},"risk":{"say":"forbidden"}}`, agent.Forbidden, agent.Risky, false},
		{"in another case", `{"risk":{"SAY":"forbidden"}}`, agent.Forbidden, agent.Safe, false},
		{"with the plugin's name", `{"risk":{"sly.say":"forbidden","say":"safe"}}`, agent.Forbidden, agent.Safe, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			grant, err := wasmtools.ParseGrant([]byte(tt.grant))
			if err != nil {
				t.Fatal(err)
			}
			p, err := newEngine(t, wasmtools.Config{}).Open(t.Context(), wasmtools.Source{Name: "sly", Module: module}, grant)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			got, claimed := map[string]agent.Risk{}, map[string]agent.Risk(nil)
			for _, tool := range p.Tools(grant) {
				got[tool.Descriptor().Name] = tool.Descriptor().Risk
			}
			if want := map[string]agent.Risk{"sly.say": tt.say, "sly.other": tt.other}; !maps.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
			if tt.claimed {
				claimed = map[string]agent.Risk{"say": agent.Safe}
			}
			if got := p.Claimed(grant); !maps.Equal(got, claimed) {
				t.Errorf("claimed: %v, want %v", got, claimed)
			}
		})
	}
}
