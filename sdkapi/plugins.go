package sdkapi

import "encoding/json"

// PluginsPath is the path of plugins. GET lists plugins, and POST adds a plugin. Only the operator
// may use this route and the routes below it.
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
	Plugins []Plugin `json:"plugins" doc:"All plugins, sorted by name."`
}

// Plugin is an installed plugin.
type Plugin struct {
	Name      string          `json:"name" doc:"Name of the plugin. The ids of its tools begin with this name." example:"units"`
	File      string          `json:"file" doc:"Path of the plugin in the plugins folder." example:"units.wasm"`
	State     PluginState     `json:"state" enum:"ready,starting,disabled,broken" doc:"State of the plugin, which says whether its tools can be called."`
	Problem   string          `json:"problem,omitempty" doc:"Why the plugin is broken, or why a newer version is not used. The text also says how to fix the problem."`
	Tools     []string        `json:"tools" doc:"Ids of the plugin's tools."`
	Admission json.RawMessage `json:"admission,omitempty" doc:"Report on the version in use: interface, requested permissions, grant and limits."`
}
