package sdkapi

import "encoding/json"

// PluginsPath lists and adds plugins. The routes below it are for the operator.
const PluginsPath = "/api/plugins"

// PluginPath returns the path of a plugin.
func PluginPath(name string) string { return PluginsPath + "/" + name }

// PluginState is the state of a plugin.
type PluginState string

// The states.
const (
	PluginReady    PluginState = "ready"
	PluginStarting PluginState = "starting"
	PluginDisabled PluginState = "disabled"
	PluginBroken   PluginState = "broken"
)

// PluginList lists plugins.
type PluginList struct {
	Plugins []Plugin `json:"plugins" doc:"All plugins, by name."`
}

// Plugin is an installed plugin.
type Plugin struct {
	Name      string          `json:"name" doc:"What it is called; the group of its tools." example:"units"`
	File      string          `json:"file" doc:"Where it is, in the folder of plugins." example:"units.wasm"`
	State     PluginState     `json:"state" enum:"ready,starting,disabled,broken" doc:"Whether its tools can be called."`
	Problem   string          `json:"problem,omitempty" doc:"Why it is broken, or why a newer version of it is not used, and what to do."`
	Tools     []string        `json:"tools" doc:"The ids of its tools."`
	Admission json.RawMessage `json:"admission,omitempty" doc:"The report on the version in use: what it is, what it asks for, what it was granted, and its limits."`
}
