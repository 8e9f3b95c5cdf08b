package memory

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestChunks covers every line of a file, by passages of a bounded size.
func TestChunks(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("word ", 30) + "\n"
	for name, text := range map[string]string{
		"empty":       "",
		"white space": "\n \n\t\n",
		"one line":    "a",
		"headings":    "# a\nx\n## b\ny\n",
		"long":        strings.Repeat(line, 100),
		"one long":    strings.Repeat("word ", 5000),
		"no spaces":   strings.Repeat("é", 5000),
		"bytes":       strings.Repeat("\xff\x00a", 3000),
	} {
		list := chunks([]byte(text))
		checkChunks(t, name, text, list)
	}
	if list := chunks([]byte("# a\nx\n## b\ny\n")); len(list) != 2 || list[1] != (chunk{3, 4, "## b\ny\n"}) {
		t.Errorf("%+v", list)
	}
	border := strings.Repeat(strings.Repeat("x", 70)+"\n", 21) + "the phrase\nis here " + strings.Repeat("y", 60) + "\n" + strings.Repeat("z\n", 200)
	found := false
	for _, c := range chunks([]byte(border)) {
		found = found || strings.Contains(c.text, "the phrase\nis here")
	}
	if !found {
		t.Error("a phrase over two lines is in no chunk")
	}
}

// checkChunks looks at what must hold of all chunks.
func checkChunks(t *testing.T, name, text string, list []chunk) {
	t.Helper()
	lines := strings.Count(text, "\n") + 1
	last := 0
	seen := 0
	for _, c := range list {
		if len(c.text) > maxChunk || !utf8.ValidString(c.text) || strings.Contains(c.text, "\x00") || c.start < last || c.end < c.start || c.end > lines {
			t.Errorf("%s: %d-%d after %d of %d, %d bytes", name, c.start, c.end, last, lines, len(c.text))
		}
		if n := strings.Count(strings.TrimSuffix(c.text, "\n"), "\n"); c.start+n != c.end {
			t.Errorf("%s: %d-%d has %d lines", name, c.start, c.end, n+1)
		}
		last = c.start
		seen += len(words(c.text))
	}
	if all := len(words(strings.ToValidUTF8(text, " "))); seen < all {
		t.Errorf("%s: %d words of %d are in a chunk", name, seen, all)
	}
}

func FuzzChunks(f *testing.F) {
	f.Add("# a\nx\n## b\ny\n")
	f.Add(strings.Repeat("word ", 1000))
	f.Add("\xff\x00")
	f.Fuzz(func(t *testing.T, text string) {
		checkChunks(t, "fuzz", text, chunks([]byte(text)))
	})
}

// FuzzQuery parses whatever comes, into what both databases can be asked.
func FuzzQuery(f *testing.F) {
	for _, text := range []string{`a "b c" d*`, `"`, `'"\`, "東京 x*", "\x00", `a" & '`, "(a OR b) NOT c", "\u0301", "ﬁ ẞ ½"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := parseQuery(text)
		if (err == nil) != (len(q.clauses) > 0) || len(q.clauses) > maxClauses {
			t.Fatalf("%d clauses, %v", len(q.clauses), err)
		}
		for _, c := range q.clauses {
			for _, w := range c.words {
				if w == "" || len(w) > maxWord || !utf8.ValidString(w) || strings.ContainsFunc(w, func(r rune) bool { return !isWordRune(r) }) {
					t.Fatalf("the word %q", w)
				}
			}
		}
	})
}

// TestFolders names folders so that no two users share one.
func TestFolders(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, user := range []string{"ada", "Ada", "ADA", "con", "../ada", "ada/../bob", ".", "..", "a.b", "", " ", "ä", "\x00", strings.Repeat("a", 64),
		strings.Repeat("a", 65), strings.Repeat("a", 66), "uada.", "user_1", "ada\\bob", ".place", "-x"} {
		name := folderOf(user)
		if other, taken := seen[strings.ToLower(name)]; taken {
			t.Errorf("%q and %q are both %s", user, other, name)
		}
		seen[strings.ToLower(name)] = user
		if strings.ContainsAny(name, "/\\\x00 ") || strings.HasPrefix(name, ".") || len(name) > 64 || reserved.MatchString(name) {
			t.Errorf("%q is in %q", user, name)
		}
	}
	if folderOf("ada") != "ada" {
		t.Error(folderOf("ada"))
	}
}
