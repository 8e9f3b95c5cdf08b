package fuel

import (
	"fmt"
	"testing"
)

// TestNumbers reads LEB128 at its bounds: the largest numbers, padding, and
// unused bits that must be clear or repeat the sign.
func TestNumbers(t *testing.T) {
	t.Parallel()
	unsigned := func(r *reader) int64 { return int64(r.u32()) }
	signed := func(bits int) func(*reader) int64 { return func(r *reader) int64 { return r.signed(bits) } }
	for _, tt := range []struct {
		name string
		read func(*reader) int64
		in   string
		want int64
		ok   bool
	}{
		{"u32", unsigned, "\x00", 0, true},
		{"u32", unsigned, "\x7f", 127, true},
		{"u32", unsigned, "\x80\x01", 128, true},
		{"u32 padded", unsigned, "\x81\x80\x80\x80\x00", 1, true},
		{"u32 largest", unsigned, "\xff\xff\xff\xff\x0f", 1<<32 - 1, true},
		{"u32 too large", unsigned, "\xff\xff\xff\xff\x1f", 0, false},
		{"u32 too long", unsigned, "\x80\x80\x80\x80\x80\x00", 0, false},
		{"u32 cut off", unsigned, "\x80", 0, false},
		{"u32 of nothing", unsigned, "", 0, false},
		{"s32", signed(32), "\x3f", 63, true},
		{"s32", signed(32), "\x40", -64, true},
		{"s32 padded", signed(32), "\xff\xff\xff\xff\x7f", -1, true},
		{"s32 least", signed(32), "\x80\x80\x80\x80\x78", -1 << 31, true},
		{"s32 largest", signed(32), "\xff\xff\xff\xff\x07", 1<<31 - 1, true},
		{"s32 too large", signed(32), "\xff\xff\xff\xff\x0f", 0, false},
		{"s32 too small", signed(32), "\x80\x80\x80\x80\x70", 0, false},
		{"s32 too long", signed(32), "\x80\x80\x80\x80\x80\x00", 0, false},
		{"s33 largest", signed(33), "\xff\xff\xff\xff\x0f", 1<<32 - 1, true},
		{"s33 too large", signed(33), "\xff\xff\xff\xff\x1f", 0, false},
		{"s64 largest", signed(64), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 1<<63 - 1, true},
		{"s64 least", signed(64), "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", -1 << 63, true},
		{"s64 too large", signed(64), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 0, false},
		{"s64 too long", signed(64), "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 0, false},
	} {
		t.Run(fmt.Sprint(tt.name, " ", tt.in), func(t *testing.T) {
			r := &reader{b: []byte(tt.in), end: len(tt.in)}
			got := tt.read(r)
			if ok := r.err == nil; ok != tt.ok || ok && (got != tt.want || r.pos != len(tt.in)) {
				t.Errorf("%s % x: %d at %d, %v; want %d", tt.name, tt.in, got, r.pos, r.err, tt.want)
			}
		})
	}
}

// TestNumbersRoundTrip writes numbers around each length and reads them.
func TestNumbersRoundTrip(t *testing.T) {
	t.Parallel()
	for shift := range 63 {
		for _, v := range []int64{1 << shift, 1<<shift - 1, -1 << shift, -1<<shift - 1} {
			b := appendSigned(nil, v)
			r := &reader{b: b, end: len(b)}
			if got := r.signed(64); got != v || r.err != nil || r.pos != len(b) {
				t.Errorf("%d: % x reads as %d (%v)", v, b, got, r.err)
			}
			n := uint32(v)
			b = appendU32(nil, n)
			r = &reader{b: b, end: len(b)}
			if got := r.u32(); got != n || r.err != nil || r.pos != len(b) {
				t.Errorf("%d: % x reads as %d (%v)", n, b, got, r.err)
			}
		}
	}
}

// TestFirstFailureStays keeps the cause, not what followed from it.
func TestFirstFailureStays(t *testing.T) {
	t.Parallel()
	r := &reader{b: []byte{0xff, 1, 2, 3}, end: 4, fn: 7}
	r.fail(Malformed, 1, "first")
	r.refuse(Threads, 2)
	r.limit(9, 1, "things", 3)
	if r.byte(); r.err.Message != "first" || r.err.Offset != 1 || r.err.Func != 7 || r.pos != 4 {
		t.Errorf("%+v at %d", r.err, r.pos)
	}
}

// TestAddedGlobals checks that each has a name of its own.
func TestAddedGlobals(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i, name := range globalNames {
		if name == "" || seen[name] {
			t.Errorf("global %d is called %q", i, name)
		}
		seen[name] = true
	}
}
