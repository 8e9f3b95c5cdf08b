package author

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/windieos/windie/wasmtools"
)

// Grants are the operator's grants that the workshop applies to plugins. The zero value grants
// nothing.
type Grants struct {
	File string   // path of the operator's grants file, which has the grant of each plugin; empty: no file
	More []string // further grants; each is JSON, or @ followed by the path of a JSON file
}

// of returns the grant of the plugin called name.
func (g Grants) of(name string) (wasmtools.Grant, error) {
	merged := any(map[string]any{})
	if g.File != "" {
		var all map[string]any
		if err := jsonArgument("@"+g.File, &all); err != nil {
			return wasmtools.Grant{}, fmt.Errorf("--grants: %w", err)
		}
		if own, ok := all[name]; ok {
			merged = own
		}
	}
	for _, text := range g.More {
		var more any
		if err := jsonArgument(text, &more); err != nil {
			return wasmtools.Grant{}, fmt.Errorf("--grant: %w", err)
		}
		merged = mergeJSON(merged, more)
	}
	raw, err := json.Marshal(map[string]any{name: merged})
	if err != nil {
		return wasmtools.Grant{}, err
	}
	grants, err := wasmtools.ParseGrants(raw)
	return grants[name], err
}

// read returns the plugin in file, of at most limit bytes, with its grant.
func (g Grants) read(file string, limit int64) (wasmtools.Source, wasmtools.Grant, error) {
	src, err := wasmtools.ReadSource(file, limit)
	if err != nil {
		return src, wasmtools.Grant{}, err
	}
	grant, err := g.of(src.Name)
	return src, grant, err
}

// mergeJSON adds the fields of more to an object, and the items of more to a list. It changes base.
// Other values are replaced.
func mergeJSON(base, more any) any {
	switch m := more.(type) {
	case map[string]any:
		b, ok := base.(map[string]any)
		if !ok {
			return more
		}
		for key, value := range m {
			b[key] = mergeJSON(b[key], value)
		}
		return b
	case []any:
		if b, ok := base.([]any); ok {
			return append(b, m...)
		}
	}
	return more
}

// maxArgument limits an @FILE argument, in bytes.
const maxArgument = 4 << 20

// argument returns text, or the content of FILE if text is @FILE.
func argument(text string) ([]byte, error) {
	if name, isFile := strings.CutPrefix(text, "@"); isFile {
		return wasmtools.ReadFile(name, maxArgument)
	}
	return []byte(text), nil
}

// jsonArgument decodes JSON, or the content of FILE if text is @FILE, into v.
func jsonArgument(text string, v any) error {
	raw, err := argument(text)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		if !strings.HasPrefix(text, "@") {
			text = fmt.Sprintf("%.40q", text)
		}
		return fmt.Errorf("%s is not valid JSON: %w", strings.TrimPrefix(text, "@"), err)
	}
	return nil
}
