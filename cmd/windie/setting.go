package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// secret is a setting that cannot be printed by accident.
type secret string

// String hides the secret: it returns "[set]", or "" if the secret is empty.
func (s secret) String() string {
	if s == "" {
		return ""
	}
	return "[set]"
}

// GoString hides the secret from %#v.
func (s secret) GoString() string { return s.String() }

// MarshalText hides the secret from JSON, YAML and structured logs.
func (s secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// configError lists all problems of the settings.
type configError struct{ problems []string }

// add adds a problem if bad is set. A problem starts with the setting's key and variable, and a
// colon; load compares that part.
func (e *configError) add(bad bool, format string, args ...any) {
	if bad {
		e.problems = append(e.problems, fmt.Sprintf(format, args...))
	}
}

// orNil returns e if it has a problem, and otherwise nil.
func (e *configError) orNil() error {
	if len(e.problems) == 0 {
		return nil
	}
	return e
}

// Error returns a text with a line for each problem.
func (e *configError) Error() string {
	return "the settings have problems:\n  - " + strings.Join(e.problems, "\n  - ")
}

// setting is one field of config.
type setting struct {
	key, env, preset, hosted, doc string
	// what the value names: file or folder, with ? if it may be missing; or url
	is       string
	one      string // allowed values, separated by spaces
	min, max string // of a number or a duration; default of min: 0
	zero     string // meaning of 0, if 0 is allowed beside min to max
	value    reflect.Value
}

// wrong returns the problem of the setting's value by itself, or "".
func (s setting) wrong() string {
	switch v := s.value.Interface().(type) {
	case string:
		return s.wrongText(v)
	case int, int64:
		return s.outside(float64(s.value.Int()), func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
	case float64:
		return s.outside(v, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
	case time.Duration:
		return s.outside(float64(v), func(text string) (float64, error) {
			d, err := time.ParseDuration(text)
			return float64(d), err
		})
	}
	return ""
}

// wrongText returns the problem of a text: not one of the allowed values, not a URL, or an unusable
// path. It returns "" if there is none.
func (s setting) wrongText(text string) string {
	if list := strings.Fields(s.one); len(list) > 0 && !slices.Contains(list, text) {
		return fmt.Sprintf("%q is not one of: %s", text, strings.Join(list, ", "))
	}
	if s.is != "url" {
		return s.wrongPath()
	}
	if text != "" && !isWebURL(text) {
		return fmt.Sprintf("%q is not a URL such as https://windie.example.com", text)
	}
	return ""
}

// outside describes the allowed values if n is not one of them, and otherwise returns "". n is the
// parsed value. The function read parses the limits in the same way.
func (s setting) outside(n float64, read func(text string) (float64, error)) string {
	least, err := read(cmp.Or(s.min, "0"))
	most := math.Inf(1)
	if err == nil && s.max != "" {
		most, err = read(s.max)
	}
	if err != nil || n >= least && n <= most || n == 0 && s.zero != "" {
		return ""
	}
	say := "must be "
	if s.zero != "" {
		say += "0, which is " + s.zero + ", or "
	}
	if s.max == "" {
		return say + "at least " + cmp.Or(s.min, "0")
	}
	return say + "between " + cmp.Or(s.min, "0") + " and " + s.max
}

// wrongPath returns the problem of the file or folder at the setting's path, or "".
func (s setting) wrongPath() string {
	path := s.value.String()
	kind, later := strings.CutSuffix(s.is, "?")
	if kind == "" || path == "" {
		return ""
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && later:
		return ""
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("the %s %s does not exist; create it, or remove the setting", kind, path)
	case err == nil && info.IsDir() != (kind == "folder"):
		return fmt.Sprintf("%s is not a %s; correct the path, or remove the setting", path, kind)
	case err == nil:
		var f *os.File
		if f, err = os.Open(path); err == nil {
			err = f.Close()
		}
	}
	if err != nil {
		return fmt.Sprintf("the gateway's user cannot read it: %v", err)
	}
	return ""
}

// flag returns the setting's name on the command line.
func (s setting) flag() string { return strings.NewReplacer(".", "-", "_", "-").Replace(s.key) }

// kind names the type of the setting's values.
func (s setting) kind() string {
	switch s.value.Interface().(type) {
	case bool:
		return "bool"
	case int, int64:
		return "int"
	case float64:
		return "float"
	case time.Duration:
		return "duration"
	case []string:
		return "list"
	}
	return "string"
}

// placeholder returns the name of the value in help. For a flag that is true or false, it returns
// "bool", for which the library shows no value.
func (s setting) placeholder() string {
	if s.kind() == "bool" {
		return "bool"
	}
	return strings.ToUpper(cmp.Or(strings.TrimSuffix(s.is, "?"), s.kind()))
}

// secret reports whether the setting holds a secret. A secret has no flag, because other users can
// see the arguments of a process.
func (s setting) secret() bool { return s.value.Type() == reflect.TypeFor[secret]() }

// isWebURL reports whether s is a URL with http or https, without query and fragment, to which
// paths can be appended.
func isWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && isPort(u.Port()) && u.RawQuery == "" && u.Fragment == ""
}

// isPort reports whether s is empty or a port number that clients can connect to.
func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return s == "" || err == nil && n > 0
}
