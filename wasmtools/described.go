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

// recall returns the description under key. It returns nil if the description is missing or unreadable.
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

// keep stores a plugin's description under key. If storing fails, the plugin describes itself again at
// the next start. Without a folder, keep does nothing.
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

// path returns the file of the description under key. key must be a hash from key(): it is used as a file name.
func (d descriptions) path(key string) string { return filepath.Join(d.dir, key+".json") }
