package egress

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// segments splits a path at its slashes; the path "/" has none.
func segments(path string) []string {
	path = strings.Trim(path, "/")
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}

// below reports whether an escaped path begins with segments. A slash that is
// escaped does not end a segment.
func below(escaped string, prefix []string) bool {
	rest, more := strings.TrimPrefix(escaped, "/"), true
	for _, want := range prefix {
		if !more {
			return false
		}
		var first string
		first, rest, more = strings.Cut(rest, "/")
		if s, err := url.PathUnescape(first); err != nil || s != want {
			return false
		}
	}
	return true
}

// isPlain reports whether no server can read an escaped path as one that
// leads elsewhere: by dots that go up, by backslashes, by doubled slashes, by
// bytes that are no text, or by any of these escaped. A path escaped more
// often than maxEscapes is not plain either.
func isPlain(escaped string) bool {
	if strings.Contains(escaped, "//") {
		return false
	}
	p := escaped
	for range maxEscapes {
		if strings.Contains(p, `\`) || !utf8.ValidString(p) || hasDots(p) {
			return false
		}
		next := unescape(p)
		if next == p {
			return true
		}
		p = next
	}
	return false
}

// hasDots reports whether a segment of path is one or two dots to some server:
// Java's cut at a semicolon, C's at a zero byte, and Windows forgives spaces.
func hasDots(path string) bool {
	for s := range strings.SplitSeq(path, "/") {
		if i := strings.IndexAny(s, ";\x00"); i >= 0 {
			s = s[:i]
		}
		if s = strings.TrimSpace(s); s == "." || s == ".." {
			return true
		}
	}
	return false
}

// unescape undoes what percent-encoding it finds and leaves the rest, as
// lenient servers do.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := url.PathUnescape(s[i : i+3]); err == nil {
				b.WriteString(c)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
