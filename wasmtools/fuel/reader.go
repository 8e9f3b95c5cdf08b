package fuel

import (
	"fmt"
	"unicode/utf8"
)

// reader reads b from pos to end. err holds the first failure. After it the reader stays at the end
// and returns zeros, so loops over its counts must check err.
type reader struct {
	b        []byte // the whole module, so that pos is an offset in it
	pos, end int
	fn       int // index of the function being read, for errors; -1 outside of functions
	err      *Error
}

// fail records a problem at offset at. Only the first is kept.
func (r *reader) fail(kind Kind, at int, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Kind: kind, Offset: at, Func: r.fn, Message: fmt.Sprintf(format, args...)}
	}
	r.pos = r.end
}

// refuse records that the module needs feature f.
func (r *reader) refuse(f Features, at int) {
	if r.err == nil {
		r.fail(Unsupported, at, "the module uses %s, which is not supported", f)
		r.err.Feature, r.err.Advice = f, f.advice()
	}
	r.pos = r.end
}

// limit fails if n is more than largest. name is the text after the number n in the error, for example
// "locals in a function".
func (r *reader) limit(n uint64, largest int, name string, at int) {
	if r.err == nil && n > uint64(largest) {
		r.fail(TooLarge, at, "%d %s; the limit is %d", n, name, largest)
		r.err.Advice = "make it smaller, optimise for size, or have the host raise the limit"
	}
}

// short fails because the module ends too early. It returns 0.
func (r *reader) short() byte {
	kind := Malformed
	if r.end == len(r.b) {
		kind = Truncated
	}
	r.fail(kind, r.pos, "the bytes end too early")
	return 0
}

// byte reads one byte. At the end it fails and returns 0.
func (r *reader) byte() byte {
	if r.pos >= r.end {
		return r.short()
	}
	r.pos++
	return r.b[r.pos-1]
}

// take returns the next n bytes without copying them.
func (r *reader) take(n uint32) []byte {
	if uint64(n) > uint64(r.end-r.pos) {
		r.short()
		return nil
	}
	r.pos += int(n)
	return r.b[r.pos-int(n) : r.pos]
}

// part consumes n bytes and returns a reader of only these bytes. fn is the function for its errors. If fewer
// than n bytes are left, r fails.
func (r *reader) part(n uint32, fn int) *reader {
	p := &reader{b: r.b, pos: r.pos, fn: fn}
	r.take(n)
	p.end = r.pos
	return p
}

// u32 reads an unsigned LEB128 number of 32 bits: at most five bytes, the
// fifth with its unused bits clear (binary format, section 5.2.2).
func (r *reader) u32() uint32 {
	if r.pos < r.end && r.b[r.pos] < 0x80 {
		r.pos++
		return uint32(r.b[r.pos-1])
	}
	at, v := r.pos, uint32(0)
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		if shift == 28 && c > 0x0f {
			break
		}
		v |= uint32(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	r.fail(Malformed, at, "a number is larger than 32 bits")
	return 0
}

// signed reads a signed LEB128 number of the given bits, 32, 33 or 64. The
// unused bits of its last byte must repeat the sign (section 5.2.2).
func (r *reader) signed(bits int) int64 {
	at, v := r.pos, int64(0)
	for shift := 0; shift < bits; shift += 7 {
		c := r.byte()
		v |= int64(c&0x7f) << shift
		if c >= 0x80 {
			continue
		}
		if rest := bits - shift; rest < 7 {
			// c's bits from the sign bit upwards, six at most.
			if sign := int8(c<<1) >> rest; sign != 0 && sign != -1 {
				break
			}
		}
		if shift+7 < 64 && c&0x40 != 0 {
			v |= -1 << (shift + 7)
		}
		return v
	}
	r.fail(Malformed, at, "a number is larger than %d bits", bits)
	return 0
}

// count reads the number of items that follow. Each item takes at least size bytes, so a count that needs
// more than the remaining bytes fails. what is the name of the limit largest.
func (r *reader) count(size, largest int, what string) uint32 {
	at := r.pos
	n := r.u32()
	r.limit(uint64(n), largest, what, at)
	if uint64(n)*uint64(size) > uint64(r.end-r.pos) {
		r.pos = r.end
		r.short()
		return 0
	}
	return n
}

// name reads a name, which is UTF-8.
func (r *reader) name() string {
	at := r.pos
	b := r.take(r.u32())
	if !utf8.Valid(b) {
		r.fail(Malformed, at, "a name is not UTF-8")
	}
	return string(b)
}

// index reads an index that must be below n, the number of the module's own items. So a module cannot use
// the items that the pass adds.
func (r *reader) index(n int, what string) uint32 {
	at := r.pos
	i := r.u32()
	if r.err == nil && uint64(i) >= uint64(n) {
		r.fail(Malformed, at, "there is no %s %d", what, i)
	}
	return i
}
