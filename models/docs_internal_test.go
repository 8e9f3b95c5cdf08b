package models

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestTheGuide keeps docs/models.md true: its file can be read, it has every
// field, and the variables with the keys.
func TestTheGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	guide := string(text)
	_, example, _ := strings.Cut(guide, "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	c, err := ParseCatalogue([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if choice, err := c.Find(c.Default()); err != nil || choice.Model != "Qwen/Qwen3-32B" {
		t.Errorf("%+v, %v", choice, err)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[Provider](), reflect.TypeFor[listed]()} {
		for i := range of.NumField() {
			if name := of.Field(i).Tag.Get("yaml"); !strings.Contains(guide, "`"+name+"`") {
				t.Errorf("lacks %s", name)
			}
		}
	}
	for _, p := range BuiltinCatalogue().Providers() {
		if p.KeyEnv != "" && !strings.Contains(guide, "| `"+p.ID+"` | `"+p.KeyEnv+"` |") {
			t.Errorf("lacks the key of %s", p.ID)
		}
	}
}
