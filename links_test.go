package windie_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	linkSpan    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headingLine = regexp.MustCompile(`(?m)^#+ (.*)$`)
	codeBlock   = regexp.MustCompile("(?ms)^```.*?^```$")
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// anchors lists the anchors of a page in Markdown.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, h := range headingLine.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		found[anchorOf(h[1])] = true
	}
	return found
}

// anchorOf returns the anchor of a heading in Markdown.
func anchorOf(heading string) string {
	return strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// The links of the README and the guides lead to files, and to headings, that
// there are.
func TestLinksOfGuides(t *testing.T) {
	t.Parallel()
	guides, err := filepath.Glob("docs/*.md")
	if err != nil || len(guides) < 10 {
		t.Fatalf("docs has %d guides, %v", len(guides), err)
	}
	for _, guide := range append(guides, "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "RATIONALE.md", "RELEASE.md", "SECURITY.md") {
		guide = filepath.ToSlash(guide)
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range linkSpan.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1) {
			checkLink(t, guide, link[1])
		}
	}
}

// checkLink reports a link of a guide that leads nowhere in the repository.
func checkLink(t *testing.T, guide, link string) {
	t.Helper()
	if strings.Contains(link, "://") {
		return
	}
	name, anchor, anchored := strings.Cut(link, "#")
	at := path.Join(path.Dir(guide), name)
	if name == "" {
		at = guide
	}
	info, err := os.Stat(at)
	if err != nil {
		t.Errorf("%s: the link %s leads to no file", guide, link)
		return
	}
	if !anchored || info.IsDir() {
		return
	}
	text, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	if !anchors(string(text))[anchor] {
		t.Errorf("%s: the link %s leads to no heading", guide, link)
	}
}
