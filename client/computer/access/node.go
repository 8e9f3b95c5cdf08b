package access

import (
	"context"
	"errors"
	"image"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/godbus/dbus/v5"
)

// Names of AT-SPI's interfaces.
const (
	accessible = "org.a11y.atspi.Accessible"
	component  = "org.a11y.atspi.Component"
	actions    = "org.a11y.atspi.Action"
	textual    = "org.a11y.atspi.Text"
	editable   = "org.a11y.atspi.EditableText"
	valued     = "org.a11y.atspi.Value"
	selection  = "org.a11y.atspi.Selection"
	tabular    = "org.a11y.atspi.Table"
	cellular   = "org.a11y.atspi.TableCell"
	getter     = "org.freedesktop.DBus.Properties.Get"
	setter     = "org.freedesktop.DBus.Properties.Set"
)

const (
	mostText    = 1000    // characters of a field's text that are read
	mostName    = 300     // characters of a name or description
	mostActions = 8       // actions of a node
	farthest    = 1 << 20 // pixels from the origin; farther rectangles are no places
)

// ID names a node for as long as the thing exists. It means nothing to others than this package.
type ID string

// Value is what a slider, spinner, scroll bar or progress bar shows.
type Value struct{ Now, Least, Most float64 }

// Place is the place of a cell in its table. Both numbers begin at 0, so B7 of a sheet is row 6, column 1.
type Place struct{ Row, Column int }

// Node is a thing in a window.
type Node struct {
	ID          ID
	Parent      int // index of the node around it; -1 for the window
	Role        Role
	Native      uint32 // AT-SPI's number of the role
	Name        string // at most 300 characters; of a field without a name its label's
	Description string // at most 300 characters
	Text        string // of a field or cell: at most the first 1,000 characters
	Value       *Value // nil if it has none
	States      State
	Rect        image.Rectangle // empty only for the answer of Tree.Cell, if the cell is out of sight
	Place       *Place          // nil outside of tables
	Actions     []string        // what Do takes
}

// ref is how AT-SPI names a node: the bus name of its program, and a path there.
type ref struct {
	Bus  string
	Path dbus.ObjectPath
}

// null is the path of no node.
const null dbus.ObjectPath = "/org/a11y/atspi/null"

func (r ref) id() ID { return ID(r.Bus + string(r.Path)) }

// valid reports whether a call to the node can be sent.
func (r ref) valid() bool {
	return strings.HasPrefix(r.Bus, ":") && len(r.Bus) < 256 && len(r.Path) < 1024 && r.Path.IsValid() && r.Path != null
}

// refOf returns the node that an id names.
func refOf(id ID) (ref, error) {
	bus, path, _ := strings.Cut(string(id), "/")
	r := ref{bus, dbus.ObjectPath("/" + path)}
	if !r.valid() {
		return ref{}, ErrGone
	}
	return r, nil
}

// caller calls the methods of nodes.
type caller struct {
	ctx  context.Context
	conn *dbus.Conn
}

// send sends a call without waiting for its answer.
func (c caller) send(r ref, method string, args ...any) *dbus.Call {
	return c.conn.Object(r.Bus, r.Path).GoWithContext(c.ctx, method, dbus.FlagNoAutoStart, make(chan *dbus.Call, 1), args...)
}

func (c caller) property(r ref, of, name string) *dbus.Call { return c.send(r, getter, of, name) }

// answer waits for a call's answer of one value.
func answer[T any](call *dbus.Call) (v T, err error) {
	<-call.Done
	return v, call.Store(&v)
}

// value waits for the answer to a property, which is the zero value if it is missing or has another type.
func value[T any](call *dbus.Call) (v T) {
	if got, err := answer[dbus.Variant](call); err == nil {
		v, _ = got.Value().(T)
	}
	return v
}

// found is a node with what is needed to go on from it.
type found struct {
	Node
	ref
	flags    flags
	children int
	offers   map[string]bool // interfaces
}

// stated reads the flags of a node. The other calls are spared for what does not show.
func (c caller) stated(r ref) (flags, error) {
	words, err := answer[[]uint32](c.send(r, accessible+".GetState"))
	var f flags
	for i, word := range words[:min(len(words), 2)] {
		f |= flags(word) << (32 * i)
	}
	return f, err
}

// describe reads a node whose flags are known. Its calls are under way together. Properties are read one by
// one, because Qt 5 crashes when it is asked for all of them. Missing answers leave zero values, but an
// error says that the program did not answer in time.
func (c caller) describe(r ref, f flags, frame uint32) (found, error) {
	n := found{ref: r, flags: f, offers: map[string]bool{}}
	role := c.send(r, accessible+".GetRole")
	offers := c.send(r, accessible+".GetInterfaces")
	rect := c.send(r, component+".GetExtents", frame)
	name, description, count := c.property(r, accessible, "Name"), c.property(r, accessible, "Description"), c.property(r, accessible, "ChildCount")
	n.Native, _ = answer[uint32](role)
	n.ID, n.Parent, n.Role = r.id(), -1, roleOf(n.Native)
	n.States = stateOf(f, n.Native, n.Role)
	n.Name, n.Description = title(value[string](name)), title(value[string](description))
	n.children = int(value[int32](count))
	n.Rect, _ = rectangle(rect)
	list, _ := answer[[]string](offers)
	for _, name := range list[:min(len(list), 32)] {
		n.offers[name] = true
	}
	c.detail(&n)
	return n, c.late()
}

// detail reads what only some kinds of nodes have.
func (c caller) detail(n *found) {
	var labels, acts, length, now, least, most, place *dbus.Call
	if n.Name == "" && (n.Role == Field || n.Role == Combo || n.Role == Spinner || n.Role == Slider) {
		labels = c.send(n.ref, accessible+".GetRelationSet")
	}
	if n.offers[actions] {
		acts = c.send(n.ref, actions+".GetActions")
	}
	if n.offers[textual] && !n.States.Has(Secret) && (n.Role == Field || n.Role == Spinner || n.Role == Combo || n.Name == "" || n.Role == Cell) {
		length = c.property(n.ref, textual, "CharacterCount")
	}
	if n.offers[valued] && (n.Role == Slider || n.Role == Spinner || n.Role == ScrollBar || n.Role == Progress) { // LibreOffice's buttons offer it too
		now, least, most = c.property(n.ref, valued, "CurrentValue"), c.property(n.ref, valued, "MinimumValue"), c.property(n.ref, valued, "MaximumValue")
	}
	if n.offers[cellular] {
		place = c.property(n.ref, cellular, "Position")
	}
	if labels != nil {
		list, _ := answer[[]relation](labels)
		for _, r := range list[:min(len(list), 16)] {
			if r.Kind == labelledBy && len(r.To) > 0 && r.To[0].valid() {
				n.Name = title(value[string](c.property(r.To[0], accessible, "Name")))
			}
		}
	}
	if acts != nil {
		list, _ := answer[[]action](acts)
		for _, a := range list[:min(len(list), mostActions)] {
			if a.Name != "" {
				n.Actions = append(n.Actions, limited(a.Name, mostName))
			}
		}
	}
	if length != nil {
		end := min(value[int32](length), mostText) // LibreOffice gives no text if the end is too far
		s, _ := answer[string](c.send(n.ref, textual+".GetText", int32(0), end))
		n.Text = limited(s, mostText)
	}
	if now != nil {
		n.Value = &Value{value[float64](now), value[float64](least), value[float64](most)}
	}
	if place != nil {
		if at := value[[]any](place); len(at) == 2 {
			row, ok := at[0].(int32)
			column, also := at[1].(int32)
			if ok && also && row >= 0 && column >= 0 {
				n.Place = &Place{int(row), int(column)}
			}
		}
	}
}

// relation is a relation of a node to others, as AT-SPI lists it. labelledBy is that to its label.
type relation struct {
	Kind uint32
	To   []ref
}

const labelledBy = 2

// action is an action of a node, as AT-SPI lists it.
type action struct{ Name, Description, Key string }

// late returns the error of a caller whose time is up.
func (c caller) late() error {
	if err := c.ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
		return ErrSilent
	}
	return c.ctx.Err()
}

// rectangle waits for the answer to GetExtents.
func rectangle(call *dbus.Call) (image.Rectangle, error) {
	e, err := answer[struct{ X, Y, W, H int32 }](call)
	if err != nil || e.W <= 0 || e.H <= 0 || max(e.X, e.Y, e.W, e.H) > farthest || min(e.X, e.Y) < -farthest {
		return image.Rectangle{}, err
	}
	return image.Rect(int(e.X), int(e.Y), int(e.X)+int(e.W), int(e.Y)+int(e.H)), nil
}

// limited returns at most some characters of a text, which is valid UTF-8.
func limited(s string, most int) string {
	s = s[:min(len(s), most*utf8.UTFMax)]
	s = strings.ToValidUTF8(s, "\uFFFD")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most])
	}
	return s
}

// title returns a name without the spaces that some menus pad theirs with.
func title(s string) string { return strings.TrimSpace(limited(s, mostName)) }

// each calls a function with the numbers below n, with at most some calls at a time.
func each(n, most int, do func(i int)) {
	var all sync.WaitGroup
	places := make(chan struct{}, most)
	for i := range n {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			do(i)
		})
	}
	all.Wait()
}
