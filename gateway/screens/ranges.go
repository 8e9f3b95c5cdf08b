package screens

import (
	"strconv"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// span is a part of a file, in bytes.
type span struct{ offset, length int64 }

// parseRange parses a Range header for a file of size bytes (RFC 9110, section 14.2). ok is false
// for a header that a server may ignore: another unit, several ranges, or malformed text. It fails
// with RANGE_NOT_SATISFIABLE if the range begins past the end.
func parseRange(header string, size int64) (_ span, ok bool, err error) {
	spec, isBytes := strings.CutPrefix(header, "bytes=")
	first, last, isRange := strings.Cut(strings.TrimSpace(spec), "-")
	if !isBytes || !isRange || strings.Contains(spec, ",") {
		return span{}, false, nil
	}
	from, fromOK := parseOffset(first)
	to, toOK := parseOffset(last)
	switch {
	case first == "" && toOK: // the last "to" bytes
		from, to = max(size-to, 0), size-1
	case fromOK && last == "":
		to = size - 1
	case fromOK && toOK && from <= to:
		to = min(to, size-1)
	default:
		return span{}, false, nil
	}
	if from >= size {
		return span{}, false, fault.New("gateway.range", sdkapi.RangeNotSatisfiable, "the range begins past the end of the file, which has %d bytes", size).
			At("header.Range", "expected a range within the file's %d bytes", size)
	}
	return span{from, to - from + 1}, true, nil
}

// parseOffset parses a number that consists of digits. strconv alone would also accept signs.
func parseOffset(s string) (int64, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
