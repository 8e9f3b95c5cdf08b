package tools

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/strictbody"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
)

// addPluginTime is the maximum time to compile a plugin, with a margin for a busy machine.
const addPluginTime = 2 * time.Minute

// addPlugins adds the routes that manage plugins and their grants. They are for the operator.
func (s *door) addPlugins() {
	s.core.App.Use(sdkapi.PluginsPath, gateway.Recognize)
	operation := func(id, method, path, summary, description string, errs ...int) huma.Operation {
		return huma.Operation{
			OperationID: id, Method: method, Path: path, Tags: []string{"plugins"}, Security: gateway.AsksForOperator,
			Summary: summary, Description: description, Errors: append([]int{401, 403}, errs...),
		}
	}
	one := sdkapi.PluginPath("{name}")
	gateway.RegisterJSON(s.core, operation("list-plugins", http.MethodGet, sdkapi.PluginsPath, "List plugins",
		"Returns each plugin's state. If a plugin cannot be used, the state has the reason."), s.listPlugins)
	add := operation("add-plugin", http.MethodPost, sdkapi.PluginsPath, "Add or update a plugin",
		"The form's `file` is the module NAME.wasm or the script NAME.js. Its optional `manifest` is JSON. The gateway compiles the plugin "+
			"and lists its tools before it replaces an older version. The grant decides its permissions.",
		400, 408, 413, 415, 422, 503, 504)
	add.DefaultStatus = http.StatusCreated
	gateway.RegisterJSON(s.core, add, s.addPlugin)
	s.core.API.OpenAPI().Paths[sdkapi.PluginsPath].Post.RequestBody = gateway.FormBody(map[string]string{
		"file": "The module, or the script.", "manifest": "The manifest, as JSON.",
	})
	gateway.RegisterJSON(s.core, operation("get-plugin", http.MethodGet, one, "Get a plugin",
		"Returns the plugin's state, properties, requested permissions and grant.", 404), s.getPlugin)
	gateway.Register(s.core, operation("remove-plugin", http.MethodDelete, one, "Remove a plugin",
		"Deletes the plugin with its grant and its stored data. Running calls finish.", 404, 503), s.removePlugin)
	gateway.RegisterJSON(s.core, operation("enable-plugin", http.MethodPost, one+"/enable", "Enable a plugin",
		"The plugin's tools can be called again.", 404, 503, 504), s.enablePlugin)
	gateway.RegisterJSON(s.core, operation("disable-plugin", http.MethodPost, one+"/disable", "Disable a plugin",
		"The plugin's tools cannot be called until you enable the plugin. Running calls finish.", 404, 503, 504), s.disablePlugin)
	gateway.RegisterJSON(s.core, operation("get-grant", http.MethodGet, one+"/grant", "Get a plugin's grant",
		"An empty object is the default: no permissions, default limits.", 404), s.getGrant)
	gateway.RegisterJSON(s.core, operation("put-grant", http.MethodPut, one+"/grant", "Set a plugin's grant",
		"The body replaces the whole grant in the file of grants. It has the same form as in this file.", 400, 404, 415, 422, 503, 504), s.putGrant)
}

// pluginInput names a plugin.
type pluginInput struct {
	Name string `path:"name" maxLength:"64" doc:"The plugin's name." example:"units"`
}

// listPlugins returns the states of all plugins, also of those that cannot be used.
func (s *door) listPlugins(_ context.Context, _ *struct{}) (*sdkapi.PluginList, error) {
	out := sdkapi.PluginList{Plugins: []sdkapi.Plugin{}}
	for _, status := range s.plugins.List() {
		out.Plugins = append(out.Plugins, wirePlugin(status))
	}
	return &out, nil
}

// getPlugin returns the state of one plugin.
func (s *door) getPlugin(_ context.Context, in *pluginInput) (*sdkapi.Plugin, error) {
	return onePlugin(s.plugins.Get(in.Name))
}

// addPlugin adds an uploaded plugin, or replaces an older version of it. After an error the older
// version remains.
func (s *door) addPlugin(ctx context.Context, in *gateway.UploadInput) (*sdkapi.Plugin, error) {
	upload, err := readPlugin(in, s.plugins.ModuleBytes())
	if err != nil {
		return nil, err
	}
	return changePlugin(ctx, func(ctx context.Context) (wasmtools.Status, error) { return s.plugins.Add(ctx, upload) })
}

// readPlugin reads the form of an upload. Its file may have up to most bytes.
func readPlugin(in *gateway.UploadInput, most int64) (u wasmtools.Upload, err error) {
	form, err := gateway.OpenForm(in, most+gateway.MaxPluginManifest)
	if err != nil {
		return u, err
	}
	for {
		part, err := gateway.NextPart(form)
		if err != nil || part == nil {
			if err == nil && u.Module == nil && u.Script == nil {
				err = gateway.UploadInvalid("the form has no file", "expected a form field named file that holds NAME.wasm or NAME.js")
			}
			return u, err
		}
		switch part.FormName() {
		case "file":
			file := gateway.NewFileReader(part, most)
			content, err := io.ReadAll(file)
			if err != nil {
				return u, errors.Join(file.Err, err)
			}
			u.Name, u.Module = part.FileName(), content
			if path.Ext(u.Name) == ".js" {
				u.Module, u.Script = nil, content
			}
		case "manifest":
			file := gateway.NewFileReader(part, gateway.MaxPluginManifest)
			if u.Manifest, err = io.ReadAll(file); err != nil {
				return u, errors.Join(file.Err, err)
			}
		}
	}
}

// removePlugin deletes a plugin with its grant and its data. Running calls finish.
func (s *door) removePlugin(ctx context.Context, in *pluginInput) (*struct{}, error) {
	return nil, s.plugins.Remove(ctx, in.Name)
}

// enablePlugin makes the tools of a plugin callable again.
func (s *door) enablePlugin(ctx context.Context, in *pluginInput) (*sdkapi.Plugin, error) {
	return changePlugin(ctx, func(ctx context.Context) (wasmtools.Status, error) { return s.plugins.Enable(ctx, in.Name) })
}

// disablePlugin makes the tools of a plugin uncallable. Running calls finish.
func (s *door) disablePlugin(ctx context.Context, in *pluginInput) (*sdkapi.Plugin, error) {
	return changePlugin(ctx, func(ctx context.Context) (wasmtools.Status, error) { return s.plugins.Disable(ctx, in.Name) })
}

// changePlugin runs a change of a plugin, with enough time to compile it.
func changePlugin(ctx context.Context, change func(context.Context) (wasmtools.Status, error)) (*sdkapi.Plugin, error) {
	ctx, cancel := context.WithTimeout(ctx, addPluginTime)
	defer cancel()
	return onePlugin(change(ctx))
}

// getGrant returns the grant of a plugin. A plugin without a grant has the empty grant.
func (s *door) getGrant(_ context.Context, in *pluginInput) (*wasmtools.Grant, error) {
	_, err := s.plugins.Get(in.Name)
	return new(s.plugins.GrantOf(in.Name)), err
}

type putGrantInput struct {
	Name string          `path:"name" maxLength:"64" doc:"The plugin's name." example:"units"`
	Body json.RawMessage `doc:"The grant. See the guide on plugins."`
}

// putGrant replaces the whole grant of a plugin, and returns the plugin's new state.
func (s *door) putGrant(ctx context.Context, in *putGrantInput) (*sdkapi.Plugin, error) {
	if err := strictbody.Check(in.Body, wasmtools.Grant{}); err != nil {
		return nil, err
	}
	grant, err := wasmtools.ParseGrant(in.Body)
	if err != nil {
		return nil, err
	}
	return changePlugin(ctx, func(ctx context.Context) (wasmtools.Status, error) {
		return s.plugins.Grant(ctx, in.Name, grant)
	})
}

// onePlugin returns the response of an operation on one plugin.
func onePlugin(status wasmtools.Status, err error) (*sdkapi.Plugin, error) {
	return new(wirePlugin(status)), err
}

// wirePlugin converts the status of a plugin to the API's form.
func wirePlugin(s wasmtools.Status) sdkapi.Plugin {
	p := sdkapi.Plugin{Name: s.Name, File: s.File, State: sdkapi.PluginState(s.State), Problem: s.Problem, Tools: s.Tools}
	if s.Admission != nil {
		p.Admission, _ = json.Marshal(s.Admission) // it contains only texts and numbers, which always encode
	}
	return p
}
