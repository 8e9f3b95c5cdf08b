package wasmtools

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// held is a plugin of the folder. Plugins.mu guards its fields except current.
type held struct {
	name    string
	files   found  // files as last loaded
	grant   string // grant as last loaded, in the form of marshalGrant
	state   State
	problem string
	tools   []string
	report  *Admission
	current atomic.Pointer[version] // version in the registry; nil if there is none
	next    *version                // version being opened; nil if there is none
	tries   int                     // failed attempts with these files and this grant
	again   time.Time               // time of the next attempt; zero if none failed
}

// maxRetryPause limits the pause between attempts to open a plugin. The gateway retries because the cause
// may disappear, for example a folder that was not mounted, a full disk or a busy machine.
const maxRetryPause = 10 * time.Minute

// newest returns the version in the registry, or nil if there is none. It needs no lock.
func (h *held) newest() *version { return h.current.Load() }

// status describes h, with its file relative to dir. The caller holds Plugins.mu.
func (h *held) status(dir string) Status {
	file, err := filepath.Rel(dir, h.files.path)
	if err != nil {
		file = h.files.path
	}
	return Status{Name: h.name, File: file, State: h.state, Problem: h.problem, Tools: append([]string{}, h.tools...), Admission: h.report}
}

// takeUp reloads a plugin whose files or grant changed. It also retries a plugin that failed, once its
// pause is over.
func (p *Plugins) takeUp(f found) {
	h := p.held[f.path]
	if h == nil {
		name, _, _ := strings.Cut(filepath.Base(f.path), ".")
		h = &held{name: name}
		p.held[f.path] = h
	}
	changed := f != h.files || p.regranted(f.path)
	if !changed && (h.again.IsZero() || time.Now().Before(h.again)) {
		return
	}
	if changed {
		h.tries = 0
	}
	h.files, h.again = f, time.Time{}
	if err := p.load(h, f); err != nil {
		p.fail(h, err)
	}
	// The name, and so the grant, may have been different until the manifest was read.
	h.grant = marshalGrant(p.grants[h.name])
}

// regranted reports whether the plugin at path now has a different grant from the loaded one.
func (p *Plugins) regranted(path string) bool {
	h := p.held[path]
	return h != nil && h.grant != marshalGrant(p.grants[h.name])
}

// load opens a plugin in the background. If the plugin's description is stored and no version is in use,
// load registers the tools at once.
func (p *Plugins) load(h *held, f found) error {
	src, manifest, err := f.read(p.engine.cfg.ModuleBytes)
	if err == nil {
		if err := p.rename(h, src.Name); err != nil {
			return err
		}
	}
	grant := p.grants[h.name]
	if grant.Disabled && (err == nil || !p.named(h)) { // whatever the state of its files
		h.retire(p)
		h.state = Disabled
		return nil
	}
	if err != nil {
		return err
	}
	key := key([]byte(src.Name+"\n"+src.Origin+"\n"+src.SignedBy), src.Module, src.Script, manifest, []byte(marshalGrant(grant)))
	read := func(ctx context.Context) (*Plugin, error) {
		// read again later: plugins that wait for a slot need not be in memory
		src, _, err := f.read(p.engine.cfg.ModuleBytes)
		if err != nil {
			return nil, err
		}
		return p.engine.Open(ctx, src, grant)
	}
	v := newVersion(read)
	v.grant = marshalGrant(grant)
	if known := p.known.recall(key); known != nil && h.newest() == nil && h.tries == 0 {
		if err := p.register(h, v, known, grant); err == nil {
			h.next = nil // an older version that is still being opened must not replace v
			p.opening.Go(func() { p.recalled(h, v) })
			return nil
		}
	}
	h.next = v
	if h.newest() == nil && h.tries == 0 { // a plugin that is retried stays broken until it opens
		h.state = Starting
		p.registry.Expect(origin(h.name), h.name)
	}
	p.opening.Go(func() { p.opened(h, v, key, grant) })
	return nil
}

// reserved returns a fault if the plugin's name is the first part of built-in tools' names.
func (p *Plugins) reserved(name string) error {
	tools, _ := p.registry.List()
	for _, d := range tools {
		if group, _, _ := strings.Cut(d.Name, "."); group == name && d.Origin.Kind == agent.Builtin {
			return fault.New("wasmtools.load", sdkapi.ValidationError,
				"built-in tools already use the name %q, for example %s; rename the file, or set another name in the manifest", name, d.Name)
		}
	}
	return nil
}

// rename gives h the name from its files, and retires h if that differs from its name before. It fails if
// built-in tools or another plugin use the name.
func (p *Plugins) rename(h *held, name string) error {
	err := p.reserved(name)
	if err != nil || h.name != name {
		h.retire(p)
	}
	h.name = name
	if err != nil {
		return err
	}
	for _, other := range p.held {
		if other != h && other.name == name && other.state != Broken && other.state != "" {
			return fault.New("wasmtools.load", sdkapi.ValidationError, "two plugins have the name %q: the gateway uses %s and ignores %s; rename one file, or set another name in its manifest",
				name, filepath.Base(other.files.path), filepath.Base(h.files.path))
		}
	}
	return nil
}

// recalled opens a version whose tools are already registered. If it cannot be opened, its tools
// are removed.
func (p *Plugins) recalled(h *held, v *version) {
	v.start(p.ctx, p.slots)
	p.mu.Lock()
	defer p.mu.Unlock()
	if v.err != nil && h.newest() == v && h.next == nil && p.ctx.Err() == nil {
		p.fail(h, v.err)
	}
}

// opened opens a version and makes it current. If the files have changed again, it closes the version.
func (p *Plugins) opened(h *held, v *version, key string, grant Grant) {
	v.start(p.ctx, p.slots)
	p.mu.Lock()
	defer p.mu.Unlock()
	if h.next != v || p.ctx.Err() != nil {
		v.close()
		return
	}
	h.next = nil
	if v.err != nil {
		p.fail(h, v.err)
		return
	}
	if err := p.known.keep(key, v.p); err != nil {
		p.log.Warn("the gateway could not cache a plugin's description", slog.String("plugin", h.name), slog.Any("err", err))
	}
	if err := p.register(h, v, &described{v.p.Admission, v.p.Description}, grant); err != nil {
		v.close()
		p.fail(h, err)
	}
}

// register replaces the registered tools of h with the tools of v, and closes the version that was current.
func (p *Plugins) register(h *held, v *version, d *described, grant Grant) error {
	tools := d.tools(h, v, grant)
	var names []string
	for _, t := range tools {
		names = append(names, t.Descriptor().Name)
	}
	if err := p.registry.Update(origin(h.name), tools); err != nil {
		return err
	}
	before := h.current.Swap(v)
	h.state, h.problem, h.tools, h.report, h.tries = Ready, "", names, &d.Admission, 0
	p.log.Info("a plugin is ready", slog.String("plugin", h.name), slog.String("sha256", d.Admission.SHA256), slog.Int("tools", len(tools)))
	for _, warning := range d.Admission.Warnings {
		p.log.Warn("a plugin has a warning", slog.String("plugin", h.name), slog.String("warning", warning))
	}
	if before != nil {
		before.close()
	}
	return nil
}

// fail records that a plugin or its new version is unusable, and sets the time of the next attempt. A
// version in use stays if it was opened under the present grant.
func (p *Plugins) fail(h *held, err error) {
	h.next = nil
	if v := h.newest(); v != nil && (v.failed() || v.grant != marshalGrant(p.grants[h.name])) {
		h.retire(p)
	}
	h.tries++
	h.again = time.Now().Add(min(p.folder.Every<<min(h.tries, 20), maxRetryPause))
	if h.newest() == nil {
		if h.state == Starting {
			p.removeTools(h)
		}
		h.state = Broken
	}
	if problem := problemOf(err); problem != h.problem { // otherwise each attempt would be logged
		h.problem = problem
		p.log.Error("the gateway cannot use a plugin", slog.String("plugin", h.name), slog.String("file", h.files.path), slog.Any("err", err))
	}
}

// named reports whether another plugin has the name of h.
func (p *Plugins) named(h *held) bool {
	for _, other := range p.held {
		if other != h && other.name == h.name {
			return true
		}
	}
	return false
}

// problemOf explains an error to an operator, with its fields.
func problemOf(err error) string {
	f := fault.From(err)
	text := f.Message
	if f.Code == sdkapi.Internal {
		text = err.Error()
	}
	for _, field := range f.Details.Fields {
		text += fmt.Sprintf("; %s: %s", field.Path, field.Message)
	}
	return text
}

// removeTools removes the tools of h from the registry, which then expects no tools. Another plugin may have the name of h,
// so only a plugin that has a version in the registry, or is Starting, may call it.
func (p *Plugins) removeTools(h *held) {
	_ = p.registry.Update(origin(h.name), nil) // cannot fail: it only removes
}

// retire removes the plugin's tools and closes it.
func (h *held) retire(p *Plugins) {
	h.next = nil
	v := h.current.Swap(nil)
	if v != nil || h.state == Starting {
		p.removeTools(h)
	}
	if v != nil {
		v.close()
	}
	h.tools, h.report, h.problem = nil, nil, ""
}

// tools returns the described tools for the registry. Their calls go to v. If v is closed, they go to the newest
// version of h.
func (d *described) tools(h *held, v *version, grant Grant) []agent.Tool {
	tools := make([]agent.Tool, len(d.Description.Tools))
	for i, t := range d.Description.Tools {
		tools[i] = &tool{descriptor: d.descriptor(t, grant), name: t.Name, held: h, version: v}
	}
	return tools
}
