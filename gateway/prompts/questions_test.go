package prompts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway/approvals"
)

// TestShowArguments checks that people see exactly the arguments that will run, in one form, and
// that nothing is hidden.
func TestShowArguments(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ arguments, indent, want string }{
		"in one spelling":      {` { "b" : 1.50, "\u0061": "\u0041 < B \/ \"C\"" } `, "", `{"a":"A < B / \"C\"","b":1.50}`},
		"large numbers":        {`{"n":9007199254740993}`, "", `{"n":9007199254740993}`},
		"turned around":        {`{"file":"` + "\u202egnp.exe" + `"}`, "", `{"file":"\u202egnp.exe"}`},
		"written as an escape": {`{"file":"\u202egnp.exe\u001b[2K"}`, "", `{"file":"\u202egnp.exe\u001b[2K"}`},
		"not seen at all":      {`{"a":"x` + "\u200b\u2060" + `"}`, "", `{"a":"x\u200b\u2060"}`},
		"in lines":             {`{"a":[1,{"b":null}]}`, "  ", "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ]\n}"},
		"nothing":              {``, "", `null`},
		"no JSON":              {"\x1b[2K", "", `\x1b[2K`},
	} {
		t.Run(name, func(t *testing.T) {
			got := approvals.ShowArguments(json.RawMessage(tt.arguments), tt.indent)
			if got != tt.want {
				t.Errorf("%s\nwant\n%s", got, tt.want)
			}
			if strings.ContainsAny(got, "\u202e\u200b\u2060\x1b") {
				t.Errorf("%q hides something", got)
			}
		})
	}
}
