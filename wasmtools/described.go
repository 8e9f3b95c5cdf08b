package wasmtools

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/wasmtools/abi"
)

// described is a plugin's description from an earlier start, stored on disk. With it a gateway
// lists tools at once, and loads the plugin at its first call or when it has time.
type described struct {
	Admission   Admission       `json:"admission"`
	Description abi.Description `json:"description"`
}

// descriptions is the folder of stored descriptions, by key.
type descriptions struct{ dir string }

// recall returns the description under key, or nil if there is none.
func (d descriptions) recall(key string) *described {
	if d.dir == "" {
		return nil
	}
	raw, err := os.ReadFile(d.path(key))
	var known described
	if err != nil || json.Unmarshal(raw, &known) != nil {
		return nil // the plugin describes itself again
	}
	return &known
}

// keep stores a plugin's description. If that fails, the plugin describes itself again next time.
func (d descriptions) keep(key string, p *Plugin) error {
	if d.dir == "" {
		return nil
	}
	raw, err := json.Marshal(described{p.Admission, p.Description})
	if err != nil {
		return err
	}
	if err := newfile.MkdirAll(d.dir); err != nil {
		return err
	}
	return newfile.Write(d.path(key), raw)
}

func (d descriptions) path(key string) string { return filepath.Join(d.dir, key+".json") }
