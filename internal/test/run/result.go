package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// test is a test function of a package.
type test struct{ pkg, name string }

// event is a line of go test -json, as `go doc cmd/test2json` describes it.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build output
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

// result is what came of a run.
type result struct {
	passed  int
	skipped []skip
	failed  []failure

	output map[test]*strings.Builder // of tests that have not passed
}

// failure is a test function that failed, itself or in a subtest, and what it said. A package that failed beside its
// tests, because it does not build or because its process ended, is one without the name of a test.
type failure struct {
	test
	said string
}

// skip is a test or subtest that did not run.
type skip struct {
	test
	missing string // what it lacks; empty if it does not say so
	command string // what brings that
	reason  string // what it says of it, if nothing is missing
}

func newResult() *result {
	return &result{output: map[test]*strings.Builder{}}
}

// read takes the events of a run, and prints packages and failures as they come.
func (r *result) read(events io.Reader, out io.Writer) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil {
			r.take(e, out)
		} else if len(line) > 0 {
			_, _ = out.Write(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take takes one event.
func (r *result) take(e event, out io.Writer) {
	at := test{cmp.Or(e.Package, e.ImportPath), e.Test}
	switch e.Action {
	case "output", "build-output":
		if r.output[at] == nil {
			r.output[at] = &strings.Builder{}
		}
		r.output[at].WriteString(e.Output)
	case "pass", "fail", "skip":
		r.end(at, e, out)
	}
}

// end takes the end of a test, a subtest or a package.
func (r *result) end(at test, e event, out io.Writer) {
	switch {
	case at.name == "":
		r.endPackage(at.pkg, e, out)
	case e.Action == "pass":
		r.passed++
		delete(r.output, at)
	case e.Action == "skip":
		r.skipped = append(r.skipped, newSkip(at, r.said(at)))
		delete(r.output, at)
	case !strings.Contains(at.name, "/"):
		r.fail(at, r.saidWithin(at), out)
	}
}

// endPackage takes the end of a package. If its process ended before its tests had, the whole package failed: tests behind
// the one that took it along did not run.
func (r *result) endPackage(pkg string, e event, out io.Writer) {
	said := r.said(test{pkg: pkg})
	switch {
	case e.Action == "fail" && (!strings.Contains("\n"+said, "\nFAIL\n") || !r.failedIn(pkg)): // FAIL is what the process says behind all tests
		r.failed = slices.DeleteFunc(r.failed, func(f failure) bool { return f.pkg == pkg })
		r.fail(test{pkg: pkg}, r.said(test{pkg: e.FailedBuild})+r.saidWithin(test{pkg: pkg}), out)
	case strings.Contains(said, "[no test files]"):
	default:
		fmt.Fprintln(out, lastLine(said))
	}
	delete(r.output, test{pkg: pkg})
}

// fail adds a failure and prints it.
func (r *result) fail(t test, said string, out io.Writer) {
	r.failed = append(r.failed, failure{t, said})
	fmt.Fprint(out, said)
}

// failedIn reports whether a test of a package failed.
func (r *result) failedIn(pkg string) bool {
	return slices.ContainsFunc(r.failed, func(f failure) bool { return f.pkg == pkg })
}

func (r *result) said(at test) string {
	if b := r.output[at]; b != nil {
		return b.String()
	}
	return ""
}

// saidWithin returns what a test and its subtests, or a package and its tests, said that have not passed, and forgets it.
func (r *result) saidWithin(at test) string {
	said := r.said(at)
	for _, t := range slices.SortedFunc(maps.Keys(r.output), func(a, b test) int { return cmp.Compare(a.name, b.name) }) {
		if t.pkg == at.pkg && t != at && (at.name == "" || strings.HasPrefix(t.name, at.name+"/")) {
			said += r.said(t)
			delete(r.output, t)
		}
	}
	delete(r.output, at)
	return said
}

// runAgain runs each failure of r twice more, alone, and returns those that pass both times: they are off the failed ones then.
func (o options) runAgain(ctx context.Context, out io.Writer, r *result, flags []string) (flakes []failure, err error) {
	var failed []failure
	for _, f := range r.failed {
		fmt.Fprintf(out, "== %s failed; it runs twice more, alone\n", f)
		args := append(slices.Clone(flags), "-count=2")
		if f.name != "" {
			args = append(args, "-run=^"+regexp.QuoteMeta(f.name)+"$")
		}
		again, err := o.goTest(ctx, out, append(args, f.pkg))
		if err != nil {
			return nil, err
		}
		if len(again.failed) > 0 || again.passed < 2 {
			failed = append(failed, f)
		} else {
			flakes = append(flakes, f)
		}
	}
	r.failed = failed
	return flakes, nil
}

// String returns the package and the test, as "package Test".
func (t test) String() string { return strings.TrimSpace(t.pkg + " " + t.name) }

// missingLine is what testkit.Skip prints.
var missingLine = regexp.MustCompile(`(?m)^\s+\S+\.go:\d+: (.*) (?:is|are) missing; to get (?:it|them): (.*)$`)

// sayLine is the first line of what a test says. Its other lines are further in.
var sayLine = regexp.MustCompile(`(?m)^ {4}\S+\.go:\d+: (.*)$`)

// newSkip reads what a skipped test said.
func newSkip(at test, said string) skip {
	if m := missingLine.FindStringSubmatch(said); m != nil {
		return skip{test: at, missing: m[1], command: m[2]}
	}
	lines := sayLine.FindAllStringSubmatch(said, -1)
	if lines == nil {
		return skip{test: at}
	}
	return skip{test: at, reason: lines[len(lines)-1][1]}
}

// printSkips prints what was skipped: a line for each command that brings something, with what it brings and how many
// tests lack that, and a line for each other reason.
func (r *result) printSkips(out io.Writer) {
	byCommand, others := map[string]map[string]int{}, map[string]int{}
	for _, s := range r.skipped {
		if s.missing == "" {
			others[s.reason]++
			continue
		}
		if byCommand[s.command] == nil {
			byCommand[s.command] = map[string]int{}
		}
		byCommand[s.command][s.missing]++
	}
	for _, command := range slices.Sorted(maps.Keys(byCommand)) {
		var lacks []string
		sum := 0
		for _, missing := range mostFirst(byCommand[command]) {
			n := byCommand[command][missing]
			lacks = append(lacks, fmt.Sprintf("%d for want of %s", n, missing))
			sum += n
		}
		fmt.Fprintf(out, "%s skipped: %s. To run them: %s\n", tests(sum), strings.Join(lacks, ", "), command)
	}
	for _, reason := range mostFirst(others) {
		fmt.Fprintf(out, "%s skipped: %s\n", tests(others[reason]), cmp.Or(reason, "no reason is given"))
	}
}

// tests returns a number of tests in words.
func tests(n int) string {
	if n == 1 {
		return "1 test"
	}
	return fmt.Sprintf("%d tests", n)
}

// mostFirst returns the keys of counts, the largest count first.
func mostFirst(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// printFlakes prints the flakes of a run, each with what it said when it failed.
func printFlakes(out io.Writer, flakes []failure) {
	for _, f := range flakes {
		fmt.Fprintf(out, "FLAKE: %s failed among the others, and passed twice alone:\n%s", f, f.said)
	}
}

// lastLine returns the last line of a text, without space around.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
