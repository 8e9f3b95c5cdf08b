package access

import (
	"cmp"
	"context"
	"errors"
	"image"
	"maps"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/godbus/dbus/v5"
)

// Defaults of Options.
const (
	LookTime = 300 * time.Millisecond
	Patience = 100 * time.Millisecond
)

const (
	mostNodes    = 3000
	mostPrograms = 100
	mostWindows  = 50      // of a program
	mostDepth    = 60      // of a node below its window
	mostChildren = 256     // of a node; of more, those in sight are listed
	mostCells    = 1 << 20 // children of a table; one with more is a sheet
	inFlight     = 12      // nodes of a window that are read at a time: more gained nothing
)

// Frames of coordinates for GetExtents.
const (
	onScreen uint32 = 0
	inWindow uint32 = 1
)

// Window is a window of a program, with all nodes in sight.
type Window struct {
	ID       ID // empty for a silent program that no look has seen before
	Title    string
	Program  string
	PID      int // 0 if unknown
	Role     Role
	Rect     image.Rectangle
	Active   bool
	Relative bool // rectangles are relative to the window: the program knows no others, as under Wayland
	Silent   bool // the program stopped answering; what was known is listed
	Cut      bool // time or a bound ended the look, so nodes are missing
	Nodes    []Node
}

// program is a program on the bus.
type program struct {
	ref
	windows []found
	name    string
	pid     int
	silent  bool
}

// Look lists the windows in sight, the active one first. Nodes come level by level, so a parent precedes
// its children. Nodes that do not show or have no rectangle are left out; what shows inside such a
// rectangle-less node belongs to the next node around it. Of lists and tables with over 256 children
// only those in sight are listed, and of a sheet none: see Cell.
//
// A look ends after Options.Time with what is there by then. The error says that the bus has failed, or
// is that of ctx.
func (t *Tree) Look(ctx context.Context) ([]Window, error) {
	conn, err := t.connection(ctx)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, cmp.Or(t.Options.Time, LookTime))
	defer cancel()
	l := look{caller: caller{within, conn}, patience: cmp.Or(t.Options.Patience, Patience)}
	l.left.Store(int64(cmp.Or(t.Options.Nodes, mostNodes)))
	programs, err := l.programs()
	if err = failed(ctx, err); errors.Is(err, ErrGone) { // the first program on the bus starts the registry
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, next := t.windows(programs)
	if len(list) > 0 && next[0].valid() {
		l.read(&list[0], next[0]) // the active one need not share the processor with others
	}
	l.others(list, next)
	t.remember(list)
	return list, ctx.Err()
}

// windows lists the windows of programs, the active one first, and the node of each. Those of silent
// programs come last.
func (t *Tree) windows(programs []program) (list []Window, nodes []found) {
	t.lastMu.Lock()
	defer t.lastMu.Unlock()
	var silent []Window
	for _, p := range programs {
		for _, w := range p.windows {
			list = append(list, Window{
				ID: w.ID, Title: w.Name, Program: p.name, PID: p.pid, Role: w.Role, Rect: w.Rect, Active: w.flags&isActive != 0,
			})
			nodes = append(nodes, w)
		}
		if !p.silent {
			continue
		}
		known := t.last[p.Bus]
		if len(known) == 0 {
			known = []Window{{PID: p.pid, Role: TopLevel}}
		}
		for _, w := range known {
			w.Silent, w.Active = true, false
			silent = append(silent, w)
		}
	}
	if i := slices.IndexFunc(list, func(w Window) bool { return w.Active }); i > 0 {
		list[0], list[i] = list[i], list[0]
		nodes[0], nodes[i] = nodes[i], nodes[0]
	}
	return append(list, silent...), append(nodes, make([]found, len(silent))...)
}

// remember keeps the windows for when their program is silent.
func (t *Tree) remember(list []Window) {
	last := map[string][]Window{}
	for _, w := range list {
		if r, err := refOf(w.ID); err == nil {
			w.Nodes = nil
			last[r.Bus] = append(last[r.Bus], w)
		}
	}
	t.lastMu.Lock()
	defer t.lastMu.Unlock()
	t.last = last
}

// look is one look.
type look struct {
	caller
	patience time.Duration
	left     atomic.Int64 // nodes that may still be visited
}

// patient returns a caller for one round of calls, and what ends it.
func (l *look) patient(ctx context.Context) (caller, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, l.patience)
	return caller{ctx, l.conn}, cancel
}

// programs lists the programs on the bus with their windows in sight.
func (l *look) programs() ([]program, error) {
	refs, err := answer[[]ref](l.send(ref{"org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"}, accessible+".GetChildren"))
	if err != nil {
		return nil, err
	}
	refs = slices.DeleteFunc(refs[:min(len(refs), mostPrograms)], func(r ref) bool { return !r.valid() })
	list := make([]program, len(refs))
	each(len(refs), len(refs)+1, func(i int) { list[i] = l.program(refs[i]) })
	return list, nil
}

// program reads the windows of a program.
func (l *look) program(r ref) program {
	c, cancel := l.patient(l.ctx)
	defer cancel()
	p := program{ref: r}
	pid := c.conn.BusObject().GoWithContext(c.ctx, "org.freedesktop.DBus.GetConnectionUnixProcessID", 0, make(chan *dbus.Call, 1), r.Bus)
	name, windows := c.property(r, accessible, "Name"), c.send(r, accessible+".GetChildren")
	n, _ := answer[uint32](pid)
	p.pid, p.name = int(n), limited(value[string](name), mostName)
	refs, _ := answer[[]ref](windows)
	all := make([]found, min(len(refs), mostWindows))
	each(len(all), inFlight, func(i int) {
		if !refs[i].valid() {
			return
		}
		if f, err := c.stated(refs[i]); err == nil && f&isShowing != 0 && f&isIconified == 0 {
			all[i], _ = c.describe(refs[i], f, onScreen)
		}
	})
	p.silent = c.late() != nil
	if !p.silent {
		p.windows = slices.DeleteFunc(all, func(w found) bool { return w.ID == "" || w.Rect.Empty() })
	}
	return p
}

// others reads all windows but the first, those of different programs at the same time.
func (l *look) others(list []Window, nodes []found) {
	by := map[string][]int{}
	for i := 1; i < len(list); i++ {
		if nodes[i].valid() {
			by[nodes[i].Bus] = append(by[nodes[i].Bus], i)
		}
	}
	programs := slices.Collect(maps.Values(by))
	each(len(programs), len(programs)+1, func(i int) {
		for _, w := range programs[i] {
			l.read(&list[w], nodes[w])
		}
	})
}

// step is a node that a walk comes to.
type step struct {
	ref
	parent int             // index of the listed node around it
	clip   image.Rectangle // what is in sight there
}

// read lists the nodes of a window, level by level. The calls of a level are under way together.
func (l *look) read(w *Window, top found) {
	w.Relative = w.Rect.Min == image.Point{} && wayland()
	frame := onScreen
	if w.Relative {
		frame = inWindow
	}
	ctx, cancel := context.WithCancel(l.ctx)
	defer cancel()
	var silent atomic.Bool
	seen := map[ID]bool{top.ID: true}
	level := []step{}
	next := func(parent int, clip image.Rectangle, inside []ref) {
		for _, r := range inside {
			if r.valid() && !seen[r.id()] {
				seen[r.id()] = true
				level = append(level, step{r, parent, clip})
			}
		}
	}
	reached := func(from step, described *found) []ref {
		c, done := l.patient(ctx)
		defer done()
		inside := c.visit(from, described, frame)
		if c.late() != nil && l.ctx.Err() == nil && ctx.Err() == nil {
			silent.Store(true)
			cancel()
		}
		return inside
	}
	next(-1, w.Rect, reached(step{ref: top.ref, clip: w.Rect}, &top))
	for depth := 0; len(level) > 0; depth++ {
		room := int(l.left.Add(-int64(len(level)))) + len(level)
		if room = max(room, 0); room < len(level) || depth == mostDepth {
			w.Cut = true
			if level = level[:min(room, len(level))]; depth == mostDepth {
				break
			}
		}
		nodes, inside := make([]found, len(level)), make([][]ref, len(level))
		each(len(level), inFlight, func(i int) { inside[i] = reached(level[i], &nodes[i]) })
		before := level
		level = nil
		for i, n := range nodes {
			parent, clip := before[i].parent, before[i].clip
			if n.ID != "" && !n.Rect.Empty() {
				n.Parent = parent
				parent, clip = len(w.Nodes), n.Rect
				w.Nodes = append(w.Nodes, n.Node)
			}
			next(parent, clip, inside[i])
		}
	}
	w.Silent = silent.Load()
	w.Cut = w.Cut || l.ctx.Err() != nil
}

// visit reads a node, unless it is described already, and returns the nodes inside.
func (c caller) visit(at step, n *found, frame uint32) []ref {
	if n.ID == "" {
		f, err := c.stated(at.ref)
		if err != nil || f&isShowing == 0 || f&isDefunct != 0 {
			return nil
		}
		*n, _ = c.describe(at.ref, f, frame)
	}
	if n.children <= 0 {
		return nil
	}
	if n.children > mostChildren {
		return c.inSight(*n, at.clip, frame)
	}
	inside, _ := answer[[]ref](c.send(n.ref, accessible+".GetChildren"))
	return inside[:min(len(inside), mostChildren)]
}

// inSight lists those of many children that lie between the first and the last in sight, which the corners
// of the node have.
func (c caller) inSight(n found, clip image.Rectangle, frame uint32) []ref {
	if n.children > mostCells {
		return nil
	}
	seen := n.Rect.Intersect(clip)
	if seen.Empty() {
		seen = n.Rect
	}
	first, ok := c.indexAt(n, seen.Min.Add(image.Pt(2, 2)), frame)
	if !ok {
		first = 0
	}
	last, ok := c.indexAt(n, seen.Max.Sub(image.Pt(2, 2)), frame)
	if !ok || last < first {
		last = n.children - 1
	}
	columns := 1
	if n.offers[tabular] {
		columns = max(int(value[int32](c.property(n.ref, tabular, "NColumns"))), 1)
	}
	var calls []*dbus.Call
	for i := first; i <= last && len(calls) < mostChildren; i++ {
		if at := i % columns; first%columns <= at && at <= max(last%columns, first%columns) {
			calls = append(calls, c.send(n.ref, accessible+".GetChildAtIndex", int32(i)))
		}
	}
	var list []ref
	for _, call := range calls {
		if r, err := answer[ref](call); err == nil {
			list = append(list, r)
		}
	}
	return list
}

// indexAt returns the number of the child at a point.
func (c caller) indexAt(n found, p image.Point, frame uint32) (int, bool) {
	r, err := answer[ref](c.send(n.ref, component+".GetAccessibleAtPoint", int32(p.X), int32(p.Y), frame))
	if err != nil || !r.valid() || r == n.ref {
		return 0, false
	}
	i, err := answer[int32](c.send(r, accessible+".GetIndexInParent"))
	return int(i), err == nil && i >= 0 && int(i) < n.children
}

// wayland reports whether the session is one of Wayland, where programs do not know their place.
func wayland() bool {
	return os.Getenv("WAYLAND_DISPLAY") != "" || os.Getenv("XDG_SESSION_TYPE") == "wayland"
}
