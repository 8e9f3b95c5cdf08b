package x11

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jezek/xgb/xproto"
)

// pairs parses a list of code points and keysyms.
func pairs(text string) map[rune][]xproto.Keysym {
	list := map[rune][]xproto.Keysym{}
	for pair := range strings.FieldsSeq(text) {
		code, sym, _ := strings.Cut(pair, ":")
		r, err := strconv.ParseInt(code, 16, 32)
		s, wrong := strconv.ParseUint(sym, 16, 32)
		if err != nil || wrong != nil {
			panic("legacy: " + pair)
		}
		list[rune(r)] = append(list[rune(r)], xproto.Keysym(s))
	}
	return list
}

// keysymsOf lists the keysyms that a layout may have for a character. The first is the one to
// assign to a borrowed key.
func keysymsOf(r rune) []xproto.Keysym {
	switch {
	case r == '\n' || r == '\r':
		return []xproto.Keysym{named["enter"]}
	case r == '\t':
		return []xproto.Keysym{named["tab"]}
	case r >= ' ' && r < 0x7f, r >= 0xa0 && r < 0x100:
		return []xproto.Keysym{xproto.Keysym(r)}
	}
	return append([]xproto.Keysym{xproto.Keysym(0x01000000 | r)}, legacy[r]...)
}

// named are keys by their common names.
var named = map[string]xproto.Keysym{
	"enter": 0xff0d, "return": 0xff0d, "tab": 0xff09, "escape": 0xff1b, "esc": 0xff1b, "backspace": 0xff08, "delete": 0xffff, "del": 0xffff,
	"insert": 0xff63, "home": 0xff50, "end": 0xff57, "pageup": 0xff55, "page_up": 0xff55, "pgup": 0xff55, "pagedown": 0xff56, "page_down": 0xff56, "pgdn": 0xff56,
	"left": 0xff51, "up": 0xff52, "right": 0xff53, "down": 0xff54, "arrowleft": 0xff51, "arrowup": 0xff52, "arrowright": 0xff53, "arrowdown": 0xff54,
	"space": 0x20, "menu": 0xff67, "print": 0xff61, "printscreen": 0xff61, "pause": 0xff13, "capslock": 0xffe5, "caps_lock": 0xffe5, "numlock": 0xff7f,
	"ctrl": 0xffe3, "control": 0xffe3, "shift": 0xffe1, "alt": 0xffe9, "option": 0xffe9, "altgr": 0xfe03, "super": 0xffeb, "win": 0xffeb, "cmd": 0xffeb,
	"command": 0xffeb, "meta": 0xffeb, "plus": '+', "minus": '-', "comma": ',', "period": '.',
}

// keyNamed returns the keysyms of a key by its name or character: "ctrl", "F5", "é".
func keyNamed(name string) ([]xproto.Keysym, error) {
	if r, size := utf8.DecodeRuneInString(name); size == len(name) && name != "" && r != utf8.RuneError {
		return keysymsOf(r), nil
	}
	lower := strings.ToLower(name)
	if sym, ok := named[lower]; ok {
		return []xproto.Keysym{sym}, nil
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(lower, "f")); err == nil && lower[0] == 'f' && n >= 1 && n <= 24 {
		return []xproto.Keysym{xproto.Keysym(0xffbe + n - 1)}, nil
	}
	return nil, fmt.Errorf("there is no key %q; use characters, f1 to f24, or names such as enter, tab, escape, left, ctrl, shift, alt, super", name)
}

// dead reports whether a keysym only modifies the next key, like an accent.
func dead(s xproto.Keysym) bool { return s >= 0xfe50 && s <= 0xfe8f }

// isModifier reports whether a key modifies other keys while it is held.
func isModifier(s xproto.Keysym) bool { return s >= 0xffe1 && s <= 0xffee || s == 0xfe03 }
