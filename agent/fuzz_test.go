package agent_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// FuzzArguments brings any schema and any arguments. Nothing may panic or
// hang; what is taken is JSON that reads the same whichever of two equal
// fields a reader takes.
func FuzzArguments(f *testing.F) {
	for _, seed := range [][2]string{
		{place, `{"city":"Rome","days":1,"at":[{"lat":1}],"note":null}`},
		{`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":{}}}`},
		{`{"type":"object","unevaluatedProperties":false,"allOf":[{"properties":{"a":{"multipleOf":0.1}}}]}`, `{"a":1e10,"b":1}`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","dependencies":{"a":{"maximum":3,"exclusiveMaximum":true}}}`, `{"a":"\ud800"}`},
		{`{"type":"object","patternProperties":{"^a":{"contains":{},"uniqueItems":true}},"propertyNames":{"format":"regex"}}`, `{"a":[1,1.0],"a":2}`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, schema, arguments []byte) {
		r := agent.NewRegistry()
		about := with("", "").about
		about.Input = schema
		err := r.Register(fake{about: about})
		if err != nil {
			if fault.CodeOf(err) != sdkapi.ValidationError || fields(err) == "" {
				t.Fatalf("refused without a reason: %v", err)
			}
			return
		}
		_, err = r.Invoke(t.Context(), "weather.get", agent.Call{Arguments: arguments})
		switch {
		case err == nil && len(arguments) > 0 && (!json.Valid(arguments) || bytes.TrimLeft(arguments, " \t\r\n")[0] != '{'):
			t.Fatalf("took %q", arguments)
		case err != nil && (fault.CodeOf(err) != sdkapi.ValidationError || fields(err) == ""):
			t.Fatalf("refused without a reason: %v", err)
		}
	})
}
