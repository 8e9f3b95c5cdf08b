package sdk

import (
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// Plugins holds the routes that list and change plugins. They need the operator's token; see
// WithToken. Its methods are safe for concurrent use.
type Plugins struct{ client *Client }

// List lists all plugins, including those that cannot be used.
func (p *Plugins) List(ctx context.Context) (*sdkapi.PluginList, error) {
	return get[sdkapi.PluginList](ctx, p.client, sdkapi.PluginsPath)
}

// Get returns the state of a plugin.
func (p *Plugins) Get(ctx context.Context, name string) (*sdkapi.Plugin, error) {
	return get[sdkapi.Plugin](ctx, p.client, pluginPath(name, ""))
}

// Add adds a plugin, or a new version of a plugin. file is NAME.wasm for a module and NAME.js for a
// script. If manifest is nil, the request has no manifest. The module is streamed and sent once,
// without retries. If Add fails, one Read of module may still be running.
func (p *Plugins) Add(ctx context.Context, file string, module io.Reader, manifest json.RawMessage) (*sdkapi.Plugin, error) {
	pipe, w := io.Pipe()
	defer pipe.Close() // so that the writer ends even if the request did not read all of it
	form := multipart.NewWriter(w)
	go func() {
		part, err := form.CreateFormFile("file", file)
		if err == nil {
			_, err = io.Copy(part, module)
		}
		if err == nil && manifest != nil {
			if part, err = form.CreateFormFile("manifest", "manifest.json"); err == nil {
				_, err = part.Write(manifest)
			}
		}
		if err == nil {
			err = form.Close()
		}
		w.CloseWithError(err)
	}()
	header := http.Header{"Content-Type": {form.FormDataContentType()}}
	return read[sdkapi.Plugin](p.client.send(ctx, http.MethodPost, sdkapi.PluginsPath, header, pipe)) //nolint:bodyclose // read closes it
}

// Remove deletes a plugin, its grant and its stored data.
func (p *Plugins) Remove(ctx context.Context, name string) error {
	resp, err := p.client.call(deleting(ctx), http.MethodDelete, pluginPath(name, ""), nil, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Enable allows or forbids calls of a plugin's tools.
func (p *Plugins) Enable(ctx context.Context, name string, enabled bool) (*sdkapi.Plugin, error) {
	below := "/disable"
	if enabled {
		below = "/enable"
	}
	return read[sdkapi.Plugin](p.client.call(safe(ctx), http.MethodPost, pluginPath(name, below), nil, nil)) //nolint:bodyclose // read closes it
}

// Grant returns the permissions of a plugin, in the format of the grants file.
func (p *Plugins) Grant(ctx context.Context, name string) (json.RawMessage, error) {
	out, err := get[json.RawMessage](ctx, p.client, pluginPath(name, "/grant"))
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// SetGrant replaces the permissions of a plugin.
func (p *Plugins) SetGrant(ctx context.Context, name string, grant json.RawMessage) error {
	resp, err := p.client.call(safe(ctx), http.MethodPut, pluginPath(name, "/grant"), http.Header{"Content-Type": {"application/json"}}, grant)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// pluginPath returns the path of a plugin, with the name escaped, followed by below, for example
// "/grant".
func pluginPath(name, below string) string { return sdkapi.PluginPath(url.PathEscape(name)) + below }

// AuditQuery filters the log of tool calls. Its zero value selects the newest calls.
type AuditQuery struct {
	// User, Tool, Protocol and Outcome select the calls with these values. An empty field selects
	// all calls.
	User, Tool, Protocol, Outcome string
	// Since and Until select the calls in this period. A zero time means no limit.
	Since, Until time.Time
	After        string // the Next of the previous page; empty means the first page
	Limit        int    // maximum number of calls; 0 lets the gateway choose
}

// Audit returns one page of the log of tool calls. It needs the operator's token; see WithToken.
func (c *Client) Audit(ctx context.Context, q AuditQuery) (*sdkapi.AuditPage, error) {
	return get[sdkapi.AuditPage](ctx, c, withQuery(sdkapi.AuditPath, map[string]string{
		"user": q.User, "tool": q.Tool, "protocol": q.Protocol, "outcome": q.Outcome,
		"since": timeOf(q.Since), "until": timeOf(q.Until), "after": q.After, "limit": limitOf(q.Limit),
	}))
}

// Metrics returns the gateway's metrics in the text format of Prometheus. It needs the operator's
// token.
func (c *Client) Metrics(ctx context.Context) (string, error) {
	resp, err := c.call(safe(ctx), http.MethodGet, sdkapi.MetricsPath, nil, nil)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return string(text), err
}
