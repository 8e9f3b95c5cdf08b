package wasmtools

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/wasmtools/abi"
)

// described is what a plugin said when it was opened before. It is on disk, so that a
// gateway lists tools at once, and loads a plugin when it is first called or has time.
type described struct {
	Admission   Admission       `json:"admission"`
	Description abi.Description `json:"description"`
}

// descriptions is the folder that holds what was described, by key.
type descriptions struct{ dir string }

// recall returns what is known under a key, nil if nothing is.
func (d descriptions) recall(key string) *described {
	if d.dir == "" {
		return nil
	}
	raw, err := os.ReadFile(d.path(key))
	var known described
	if err != nil || json.Unmarshal(raw, &known) != nil {
		return nil // it is asked again
	}
	return &known
}

// keep keeps what a plugin described. What cannot be kept is asked again.
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
