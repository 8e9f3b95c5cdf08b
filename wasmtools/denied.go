package wasmtools

import (
	"encoding/json"
	"slices"

	"github.com/windieos/windie/internal/egress"
)

// Denied is one thing that a plugin would like and was not granted.
type Denied struct {
	Permission string          `json:"permission"` // as "http"
	Wish       json.RawMessage `json:"wish"`       // as in its manifest, and as a grant of it would be
}

// denied lists what is in wish and not in granted.
func denied(wish, granted Permissions) (list []Denied) {
	add := func(permission string, wish any) {
		raw, err := json.Marshal(wish)
		if err != nil {
			panic(err) // permissions come from JSON
		}
		list = append(list, Denied{permission, raw})
	}
	for _, rule := range wish.HTTP {
		if !slices.ContainsFunc(granted.HTTP, func(g egress.Rule) bool { return g.Host == rule.Host }) {
			add("http", rule)
		}
	}
	for _, m := range wish.FS {
		if !slices.ContainsFunc(granted.FS, func(g Mount) bool { return g.At == m.At && (g.Write || !m.Write) }) {
			add("fs", m)
		}
	}
	for _, name := range wish.Env {
		if !slices.Contains(granted.Env, name) {
			add("env", name)
		}
	}
	for _, name := range wish.Tools {
		if !slices.Contains(granted.Tools, name) {
			add("tools", name)
		}
	}
	if wish.KV != nil && (granted.KV == nil || granted.KV.Bytes < wish.KV.Bytes) {
		add("kv", wish.KV)
	}
	return list
}
