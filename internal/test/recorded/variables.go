// Package recorded compares what a server answers with what a dialogue recorded of it: JSON by value, with
// names for what differs from run to run.
package recorded

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Variables are the parts of answers that differ from run to run, by the name
// a dialogue gives them.
type Variables struct{ Values map[string]string }

// New returns variables of a server at addr, which is called host.
func New(addr string) *Variables {
	return &Variables{Values: map[string]string{"host": addr}}
}

var placeholder = regexp.MustCompile(`\$\{([a-z0-9_]+)\}`)

// Fill replaces the placeholders that have values.
func (v *Variables) Fill(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(p string) string {
		if value, ok := v.Values[p[2:len(p)-1]]; ok {
			return value
		}
		return p
	})
}

// Match reports whether got is want with its placeholders filled. One that
// has no value yet takes what stands in its place.
func (v *Variables) Match(want, got string) bool {
	want = v.Fill(want)
	names := placeholder.FindAllStringSubmatch(want, -1)
	if names == nil {
		return want == got
	}
	var pattern strings.Builder
	pattern.WriteString("^")
	for i, literal := range placeholder.Split(want, -1) {
		if i > 0 {
			pattern.WriteString(`([^"\n]+)`)
		}
		pattern.WriteString(regexp.QuoteMeta(literal))
	}
	found := regexp.MustCompile(pattern.String() + "$").FindStringSubmatch(got)
	if found == nil {
		return false
	}
	for i, name := range names {
		v.Values[name[1]] = found[i+1]
	}
	return true
}

// varying finds what differs from run to run in an answer to be recorded: the
// base of the name it gets, and what it looks like.
var varying = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"artifact_id", regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[a-z0-9]+`)},
	{"request_id", regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)},
	{"user_id", regexp.MustCompile(`\buser_[a-z2-7]{26}\b`)},
	{"install_id", regexp.MustCompile(`\binstall_[a-z2-7]{26}\b`)},
	{"install_token", regexp.MustCompile(`\bwnd_install_[A-Za-z0-9_-]{43}`)},
	{"candidate_id", regexp.MustCompile(`ocr_[0-9a-f]{12}`)},
	{"kernel", regexp.MustCompile(`\b(avx512-vnni|avx-vnni|avx2|portable)\b`)},
	{"sha", regexp.MustCompile(`\b[0-9a-f]{64}\b`)},
	{"source_id", regexp.MustCompile(`inline:[0-9a-f]{16}`)},
	{"approval", regexp.MustCompile(`\bapproval_[0-9a-f]{32}\b`)},
	{"request", regexp.MustCompile(`\bresult_[0-9a-f]{32}\b`)},
	{"prompt", regexp.MustCompile(`\b(prompt|conv)_[a-z2-7]{26}\.\d+\b`)},
	{"session", regexp.MustCompile(`\bg_[a-z2-7]{26}\b`)},
	{"conversation", regexp.MustCompile(`\bconv_[a-z2-7]{26}\b`)},
	{"turn", regexp.MustCompile(`\bturn_[a-z2-7]{26}\b`)},
	{"mark", regexp.MustCompile(`\b[a-z2-7]{26}\b`)},
	{"time", regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)},
	{"last_modified", regexp.MustCompile(`[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT`)},
}

// FillNew is Fill for what a client sends: ${id} and the like, which have no
// value yet, are new UUIDs.
func (v *Variables) FillNew(text string) string {
	for _, name := range placeholder.FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(name[1], "id") && v.Values[name[1]] == "" {
			v.Values[name[1]] = uuid.NewString()
		}
	}
	return v.Fill(text)
}

// Named returns text with the names of values in their place; what differs from run to run and has no name gets one.
func (v *Variables) Named(text string) string {
	for _, kind := range varying {
		for _, value := range kind.pattern.FindAllString(text, -1) {
			v.name(kind.name, value)
		}
	}
	// Longest first: one value may be part of another.
	names := slices.SortedFunc(maps.Keys(v.Values), func(a, b string) int { return len(v.Values[b]) - len(v.Values[a]) })
	for _, name := range names {
		if len(v.Values[name]) >= minNamed {
			text = strings.ReplaceAll(text, v.Values[name], "${"+name+"}")
		}
	}
	return text
}

// minNamed is how long a value must be to be found again by itself: a number
// stands for itself elsewhere.
const minNamed = 6

// name gives value a name, unless it has one.
func (v *Variables) name(base, value string) {
	for _, known := range v.Values {
		if strings.Contains(known, value) {
			return
		}
	}
	name := base
	for n := 2; v.Values[name] != ""; n++ {
		name = fmt.Sprintf("%s%d", base, n)
	}
	v.Values[name] = value
}
