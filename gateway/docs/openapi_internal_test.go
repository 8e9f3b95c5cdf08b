package docs

import (
	"encoding/json"
	"testing"
)

// TestReferencesAreRepointed checks that only references change: no anchors, and no data that looks like a reference.
func TestReferencesAreRepointed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"the root":                    {`{"$ref":"#"}`, `{"$ref":"ROOT"}`},
		"a definition":                {`{"items":[{"$ref":"#/$defs/a"}]}`, `{"items":[{"$ref":"ROOT/$defs/a"}]}`},
		"an anchor":                   {`{"$ref":"#a"}`, `{"$ref":"#a"}`},
		"data":                        {`{"const":{"$ref":"#"},"default":{"$ref":"#"},"enum":[{"$ref":"#/a"}]}`, `{"const":{"$ref":"#"},"default":{"$ref":"#"},"enum":[{"$ref":"#/a"}]}`},
		"a property with such a name": {`{"properties":{"default":{"$ref":"#"},"properties":{"const":{"$ref":"#"}}}}`, `{"properties":{"default":{"$ref":"ROOT"},"properties":{"const":{"$ref":"#"}}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var node any
			if err := json.Unmarshal([]byte(tt.in), &node); err != nil {
				t.Fatal(err)
			}
			repointed(node, "ROOT", false)
			if got, _ := json.Marshal(node); string(got) != tt.want {
				t.Errorf("it is %s, want %s", got, tt.want)
			}
		})
	}
}
