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

// Plugins holds the routes that list and change plugins. They are for the operator, whose token WithToken
// brings. Its methods may be called from several goroutines at once.
type Plugins struct{ client *Client }

// List lists the plugins, those that cannot be used too.
func (p *Plugins) List(ctx context.Context) (*sdkapi.PluginList, error) {
	return get[sdkapi.PluginList](ctx, p.client, sdkapi.PluginsPath)
}

// Get returns how a plugin is.
func (p *Plugins) Get(ctx context.Context, name string) (*sdkapi.Plugin, error) {
	return get[sdkapi.Plugin](ctx, p.client, pluginPath(name, ""))
}

// Add adds a plugin, or a new version of it: the module is called NAME.wasm, or NAME.js if it is a script. A nil
// manifest is left out. The module is streamed, and sent once.
func (p *Plugins) Add(ctx context.Context, file string, module io.Reader, manifest json.RawMessage) (*sdkapi.Plugin, error) {
	pipe, w := io.Pipe()
	defer pipe.Close() // lets the writer end if the request did not read it all
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

// Remove removes a plugin, with its grant and what it stored.
func (p *Plugins) Remove(ctx context.Context, name string) error {
	resp, err := p.client.call(deleting(ctx), http.MethodDelete, pluginPath(name, ""), nil, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Enable lets the tools of a plugin be called, or takes that away.
func (p *Plugins) Enable(ctx context.Context, name string, enabled bool) (*sdkapi.Plugin, error) {
	below := "/disable"
	if enabled {
		below = "/enable"
	}
	return read[sdkapi.Plugin](p.client.call(safe(ctx), http.MethodPost, pluginPath(name, below), nil, nil)) //nolint:bodyclose // read closes it
}

// Grant returns what a plugin may do, as the file of grants has it.
func (p *Plugins) Grant(ctx context.Context, name string) (json.RawMessage, error) {
	out, err := get[json.RawMessage](ctx, p.client, pluginPath(name, "/grant"))
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// SetGrant says what a plugin may do, in place of all that was said before.
func (p *Plugins) SetGrant(ctx context.Context, name string, grant json.RawMessage) error {
	resp, err := p.client.call(safe(ctx), http.MethodPut, pluginPath(name, "/grant"), http.Header{"Content-Type": {"application/json"}}, grant)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func pluginPath(name, below string) string { return sdkapi.PluginPath(url.PathEscape(name)) + below }

// AuditQuery says which calls of tools are asked for. Its zero value asks for the last ones.
type AuditQuery struct {
	User, Tool, Protocol, Outcome string    // empty: any
	Since, Until                  time.Time // zero: no bound
	After                         string    // the Next of the page before; empty: from the newest on
	Limit                         int       // 0: the gateway's choice
}

// Audit lists the calls of tools that were made. It is for the operator, whose token WithToken brings.
func (c *Client) Audit(ctx context.Context, q AuditQuery) (*sdkapi.AuditPage, error) {
	return get[sdkapi.AuditPage](ctx, c, withQuery(sdkapi.AuditPath, map[string]string{
		"user": q.User, "tool": q.Tool, "protocol": q.Protocol, "outcome": q.Outcome,
		"since": timeOf(q.Since), "until": timeOf(q.Until), "after": q.After, "limit": limitOf(q.Limit),
	}))
}

// Metrics returns the gateway's figures in the text form of Prometheus, for the operator.
func (c *Client) Metrics(ctx context.Context) (string, error) {
	resp, err := c.call(safe(ctx), http.MethodGet, sdkapi.MetricsPath, nil, nil)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return string(text), err
}
