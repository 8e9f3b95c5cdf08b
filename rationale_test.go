package windie_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated parts of documents")

// The markers of RATIONALE.md between which its index stands.
const (
	indexBegin = "<!-- index: written by `go test -run '^TestIndexOfRationale$' . -update` -->\n"
	indexEnd   = "<!-- end of index -->\n"
)

// TestIndexOfRationale compares the index of RATIONALE.md with its headings:
// each "##" is an entry and each question below it, a "###", an entry of that.
func TestIndexOfRationale(t *testing.T) {
	const name = "RATIONALE.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), indexBegin)
	have, body, ended := strings.Cut(rest, indexEnd)
	if !found || !ended {
		t.Fatalf("%s has no index between the markers %q and %q", name, indexBegin, indexEnd)
	}
	want := indexOf(t, body)
	if have == want {
		return
	}
	if !*update {
		t.Fatalf("the index of %s differs from its headings; run go test -run '^TestIndexOfRationale$' . -update", name)
	}
	if err := os.WriteFile(name, []byte(head+indexBegin+want+indexEnd+body), 0o644); err != nil {
		t.Fatal(err)
	}
}

// indexOf returns the list of links to the headings of a page, two deep.
func indexOf(t *testing.T, page string) string {
	t.Helper()
	var index strings.Builder
	seen := map[string]bool{}
	for line := range strings.Lines(page) {
		indent := ""
		title, ok := strings.CutPrefix(line, "## ")
		if !ok {
			indent = "  "
			if title, ok = strings.CutPrefix(line, "### "); !ok {
				continue
			}
		}
		title = strings.TrimSpace(title)
		anchor := anchorOf(title)
		if seen[anchor] {
			t.Errorf("two headings have the anchor %q; links reach the first only", anchor)
		}
		seen[anchor] = true
		fmt.Fprintf(&index, "%s- [%s](#%s)\n", indent, title, anchor)
	}
	return index.String()
}
