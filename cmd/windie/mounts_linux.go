package main

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// mountsBelow lists the mounts below a folder, which is an absolute path without links. A mount
// cannot be renamed, and removing the folder around it would empty it.
func mountsBelow(dir string) (list []string, err error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // no /proc: a failing rename shows the mount
	}
	below := strings.TrimSuffix(dir, "/") + "/"
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 && strings.HasPrefix(unescaped(fields[4]), below) {
			list = append(list, unescaped(fields[4]))
		}
	}
	return list, err
}

// unescaped decodes a path in the kernel's notation: a space, tab, line feed or backslash is \ooo,
// in octal.
func unescaped(path string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(path, `\`)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		code, err := strconv.ParseUint(after[:min(3, len(after))], 8, 8)
		if err != nil {
			return out.String() + `\` + after
		}
		out.WriteByte(byte(code))
		path = after[3:]
	}
}
