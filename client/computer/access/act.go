package access

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"
)

// Do carries out an action of a node, such as "click"; an empty name means the first one. Upper and lower
// case are equal. The error wraps ErrGone, ErrRefused, or ErrSilent. A Qt program answers only after a
// dialog that it opens has been closed, so ErrSilent is no failure there.
func (t *Tree) Do(ctx context.Context, id ID, name string) error {
	return t.act(ctx, id, func(c caller, r ref) error {
		list, err := answer[[]action](c.send(r, actions+".GetActions"))
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(a action) bool { return name == "" || strings.EqualFold(a.Name, name) })
		if i < 0 {
			return fmt.Errorf("%w: the element has no action %q", ErrRefused, limited(name, mostName))
		}
		return agreed(c.send(r, actions+".DoAction", int32(i)))
	})
}

// SetValue sets the value of a slider, spinner or scroll bar. The program keeps it within its bounds.
func (t *Tree) SetValue(ctx context.Context, id ID, v float64) error {
	return t.act(ctx, id, func(c caller, r ref) error {
		call := c.send(r, setter, valued, "CurrentValue", dbus.MakeVariant(v))
		<-call.Done
		return call.Err
	})
}

// SetText replaces the text of a field. A program may act on each change, as if it had been typed.
func (t *Tree) SetText(ctx context.Context, id ID, text string) error {
	return t.act(ctx, id, func(c caller, r ref) error { return agreed(c.send(r, editable+".SetTextContents", text)) })
}

// Focus gives a node the keyboard focus within its window. It does not activate the window.
func (t *Tree) Focus(ctx context.Context, id ID) error {
	return t.act(ctx, id, func(c caller, r ref) error { return agreed(c.send(r, component+".GrabFocus")) })
}

// Select selects a child of a list, table, combo box or row of tabs.
func (t *Tree) Select(ctx context.Context, child ID) error {
	return t.act(ctx, child, func(c caller, r ref) error {
		index, err := answer[int32](c.send(r, accessible+".GetIndexInParent"))
		if err != nil {
			return err
		}
		got, err := answer[dbus.Variant](c.property(r, accessible, "Parent"))
		var parent ref
		if err == nil {
			err = got.Store(&parent)
		}
		if err != nil || !parent.valid() || index < 0 {
			return fmt.Errorf("%w: the element is in nothing that can select it", ErrRefused)
		}
		return agreed(c.send(parent, selection+".SelectChild", index))
	})
}

// Extents returns where a node is now, in pixels of the screen. The rectangle is empty if it is out of sight.
func (t *Tree) Extents(ctx context.Context, id ID) (rect image.Rectangle, err error) {
	err = t.act(ctx, id, func(c caller, r ref) error {
		rect, err = rectangle(c.send(r, component+".GetExtents", onScreen))
		return err
	})
	return rect, err
}

// Cell returns one cell of a table or sheet, whether it is in sight or not. Rows and columns begin at 0.
func (t *Tree) Cell(ctx context.Context, table ID, row, column int) (n Node, err error) {
	err = t.act(ctx, table, func(c caller, r ref) error {
		if row < 0 || column < 0 || max(row, column) > farthest<<4 {
			return fmt.Errorf("%w: there is no row %d, column %d", ErrRefused, row, column)
		}
		at, err := answer[ref](c.send(r, tabular+".GetAccessibleAt", int32(row), int32(column)))
		if err != nil {
			return err
		}
		if !at.valid() {
			return fmt.Errorf("%w: there is no row %d, column %d", ErrRefused, row, column)
		}
		f, err := c.stated(at)
		if err != nil {
			return err
		}
		cell, err := c.describe(at, f, onScreen)
		n = cell.Node
		n.Place = cmp.Or(n.Place, &Place{row, column})
		return err
	})
	return n, err
}

// act does something with a node within the time of an action.
func (t *Tree) act(ctx context.Context, id ID, do func(caller, ref) error) error {
	r, err := refOf(id)
	if err != nil {
		return err
	}
	conn, err := t.connection(ctx)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	return failed(ctx, do(caller{within, conn}, r))
}

// agreed waits for the answer of a program that may refuse.
func agreed(call *dbus.Call) error {
	yes, err := answer[bool](call)
	if err == nil && !yes {
		return ErrRefused
	}
	return err
}
