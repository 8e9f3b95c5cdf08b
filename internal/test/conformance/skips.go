package conformance

import (
	"bufio"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Skips are steps that clients are known not to pass.
type Skips []*Skip

// Skip is a line of the list: languages | dialogue | step | reason, where dialogue and step may be patterns. A step that
// begins with why: is a pattern for what goes wrong instead.
type Skip struct {
	Languages []string
	Case      string
	Step      string
	Reason    string
}

//go:embed skips.txt
var ownSkips string

// OwnSkips are those of Windie's own clients.
func OwnSkips() (Skips, error) { return ParseSkips(ownSkips) }

// ParseSkips reads a list of skips. Lines that begin with # are remarks.
func ParseSkips(text string) (Skips, error) {
	var list Skips
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.SplitN(line, "|", 4)
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		if len(fields) < 4 || slices.Contains(fields, "") {
			return nil, fault.New("conformance", sdkapi.ValidationError, "the skip %q is no line LANGUAGES | CASE | STEP | REASON", line)
		}
		for _, pattern := range fields[1:3] {
			if _, err := path.Match(pattern, ""); err != nil {
				return nil, fault.New("conformance", sdkapi.ValidationError, "%q is no pattern: %v", pattern, err)
			}
		}
		list = append(list, &Skip{Languages: strings.Fields(fields[0]), Case: fields[1], Step: fields[2], Reason: fields[3]})
	}
	return list, nil
}

// of returns the skip of a step, nil if there is no skip for it.
func (s Skips) of(language, name, step, why string) *Skip {
	for _, skip := range s {
		pattern, byReason := strings.CutPrefix(skip.Step, "why:")
		if skip.covers(language, name) && (byReason && why != "" && matches(pattern, why) || !byReason && matches(skip.Step, step)) {
			return skip
		}
	}
	return nil
}

func (s *Skip) covers(language, name string) bool {
	return slices.Contains(s.Languages, language) && matches(s.Case, name)
}

// matches is path.Match, for names that may have slashes.
func matches(pattern, name string) bool {
	clean := func(text string) string { return strings.NewReplacer("/", " ", "\n", " ").Replace(text) }
	ok, err := path.Match(clean(pattern), clean(name))
	return err == nil && ok
}

// stale lists the skips that no step failed by. all says that no case was left out; otherwise only a skip of one case
// that was run in one of its languages can be stale.
func (s Skips) stale(cases []Case, all bool) (list []string) {
	for _, skip := range s {
		ran, used := false, false
		for _, c := range cases {
			if !skip.covers(c.Language, c.Name) {
				continue
			}
			ran = true
			for _, step := range c.Steps {
				used = used || s.of(c.Language, c.Name, step.Step, step.failed) == skip && step.Result != Passed && step.Result != Untyped
			}
		}
		if !used && (all || ran && !strings.ContainsAny(skip.Case, "*?[")) {
			list = append(list, fmt.Sprintf("%s | %s | %s: nothing fails by it", strings.Join(skip.Languages, " "), skip.Case, skip.Step))
		}
	}
	return list
}
