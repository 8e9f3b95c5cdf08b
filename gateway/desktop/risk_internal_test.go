package desktop

import (
	"encoding/json"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway/turns"
	"github.com/windieos/windie/sdkapi"
)

// A client says what its own tools risk. Of the desktop's it raises the risk, and
// never lowers it; about one that it calls risky, the user is asked.
func TestRiskOfClientTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, says string
		want       agent.Risk
		unasked    bool
		refused    bool
	}{
		{"save_note", "", agent.Risky, false, false},
		{"save_note", "safe", agent.Safe, false, false},
		{"save_note", "risky", agent.Risky, false, false},
		{"save_note", "forbidden", agent.Forbidden, false, false},
		{"save_note", "none", "", false, true},
		{"mouse_control", "", agent.Risky, true, false},
		{"mouse_control", "safe", agent.Risky, true, false},
		{"mouse_control", "risky", agent.Risky, false, false},
		{"mouse_control", "forbidden", agent.Forbidden, false, false},
		{"run_shell_command", "safe", agent.Risky, false, false},
		{"read_file", "", agent.Safe, false, false},
		{"read_file", "risky", agent.Risky, false, false},
	} {
		t.Run(tt.name+" "+tt.says, func(t *testing.T) {
			t.Parallel()
			said := sdkapi.WSClientTool{Name: tt.name, Risk: tt.says, Schema: json.RawMessage(`{"type":"object"}`)}
			tool, err := turns.ClientTool(said, nil, func(string) bool { return false })
			if (err != nil) != tt.refused || tool.Risk != tt.want || tool.Unasked != tt.unasked {
				t.Errorf("it is %q, unasked %t, %v; want %q, %t", tool.Risk, tool.Unasked, err, tt.want, tt.unasked)
			}
		})
	}
}
