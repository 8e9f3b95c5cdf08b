package x11

import (
	"fmt"

	"github.com/jezek/xgb/xproto"
)

// keymap holds the keysyms of the keyboard's keys.
type keymap struct {
	first xproto.Keycode
	per   int // columns of a key
	syms  []xproto.Keysym
	group int // the active one of several layouts: 0 or 1
	caps  bool
}

// stroke is a key, and the modifiers to hold with it.
type stroke struct {
	code xproto.Keycode
	hold []xproto.Keycode
}

// readKeymap returns the keyboard's present map.
func (d *Display) readKeymap() (*keymap, error) {
	p, err := xproto.QueryPointer(d.conn, d.root).Reply()
	if err != nil {
		return nil, err
	}
	m, err := xproto.GetKeyboardMapping(d.conn, d.setup.MinKeycode, byte(d.setup.MaxKeycode-d.setup.MinKeycode+1)).Reply()
	if err != nil {
		return nil, err
	}
	if m.KeysymsPerKeycode == 0 {
		return nil, fmt.Errorf("the X server has no keyboard")
	}
	return &keymap{
		first: d.setup.MinKeycode, per: int(m.KeysymsPerKeycode), syms: m.Keysyms,
		group: int(p.Mask>>13) & 3, // XKB puts the layout into bits 13 and 14
		caps:  p.Mask&xproto.KeyButMaskLock != 0,
	}, nil
}

// level is a column of the map, and whether Shift and AltGr select it.
type level struct {
	column     int
	shift, alt bool
}

// levels are the columns of the active layout: two for each of the first two layouts, then the
// third and fourth level of both.
func (m *keymap) levels() []level {
	if m.group == 1 {
		return []level{{2, false, false}, {3, true, false}, {6, false, true}, {7, true, true}}
	}
	return []level{{0, false, false}, {1, true, false}, {4, false, true}, {5, true, true}}
}

// keys returns the number of keys.
func (m *keymap) keys() int { return len(m.syms) / m.per }

// at returns the keysym of a key at a level, or 0 if the key has none at that level.
func (m *keymap) at(key int, l level) xproto.Keysym {
	if l.column >= m.per {
		return 0
	}
	return m.syms[key*m.per+l.column]
}

// find returns the stroke for one of some keysyms. ok is false if the layout has none of them.
func (m *keymap) find(wanted []xproto.Keysym) (s stroke, ok bool) {
	for _, l := range m.levels() {
		for key := range m.keys() {
			sym := m.at(key, l)
			for _, w := range wanted {
				if sym == w && sym != 0 && !dead(sym) {
					return m.stroke(key, l)
				}
			}
		}
	}
	return stroke{}, false
}

// stroke returns a key with the modifiers for a level. ok is false if the layout lacks one of them.
func (m *keymap) stroke(key int, l level) (s stroke, ok bool) {
	s.code = m.first + xproto.Keycode(key)
	for _, held := range []struct {
		needed bool
		sym    xproto.Keysym
	}{{l.shift, named["shift"]}, {l.alt, named["altgr"]}} {
		if !held.needed {
			continue
		}
		code, ok := m.code(held.sym)
		if !ok {
			return s, false
		}
		s.hold = append(s.hold, code)
	}
	return s, true
}

// code returns the key that has a keysym in any column.
func (m *keymap) code(sym xproto.Keysym) (xproto.Keycode, bool) {
	for i, s := range m.syms {
		if s == sym {
			return m.first + xproto.Keycode(i/m.per), true
		}
	}
	return 0, false
}

// free lists the unused keys, last first.
func (m *keymap) free() (list []xproto.Keycode) {
	for key := m.keys() - 1; key >= 0; key-- {
		free := true
		for _, s := range m.syms[key*m.per : (key+1)*m.per] {
			free = free && s == 0
		}
		if free {
			list = append(list, m.first+xproto.Keycode(key))
		}
	}
	return list
}

// spares lists the unused keys that can be lent.
func (m *keymap) spares() []xproto.Keycode {
	all := m.free()
	return all[:max(0, len(all)-1)]
}

// wake returns an unused key that is never lent: a program may read its press after other keys were
// lent.
func (m *keymap) wake() (xproto.Keycode, bool) {
	all := m.free()
	if len(all) == 0 {
		return 0, false
	}
	return all[len(all)-1], true
}

// modifier returns the key of a modifier by its name, such as ctrl.
func (m *keymap) modifier(name string) (xproto.Keycode, error) {
	syms, err := keyNamed(name)
	if err != nil {
		return 0, err
	}
	code, ok := m.code(syms[0])
	if !ok || !isModifier(syms[0]) {
		return 0, fmt.Errorf("the key %q cannot be held: expected ctrl, shift, alt or super", name)
	}
	return code, nil
}
