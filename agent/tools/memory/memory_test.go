package memory_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// onBoth runs a test with an empty database of each kind.
func onBoth(t *testing.T, run func(t *testing.T, db *database.DB)) {
	t.Helper()
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) { run(t, databasetest.Open(t, cfg)) })
}

func sqlite(t testing.TB) *database.DB { return databasetest.Open(t, databasetest.InFile(t)) }

func postgres(t testing.TB) *database.DB {
	return databasetest.Open(t, database.Config{URL: pgtest.Start(t)})
}

// notes is a memory under test.
type notes struct {
	*memory.Memory
	t   testing.TB
	dir string
}

// remember opens a memory in a folder; an empty one is a new one.
func remember(t testing.TB, db *database.DB, opts memory.Options) notes {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	m, err := memory.Open(db, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return notes{m, t, opts.Dir}
}

func (n notes) write(user string, kind memory.Kind, text string) memory.Written {
	n.t.Helper()
	wrote, err := n.Write(n.t.Context(), user, memory.Entry{Kind: kind, Text: text, Source: "test"})
	if err != nil {
		n.t.Fatal(err)
	}
	return wrote
}

// put writes a file as another program does.
func (n notes) put(name, text string) {
	n.t.Helper()
	name = filepath.Join(n.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		n.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		n.t.Fatal(err)
	}
}

func (n notes) search(user, query string) []memory.SearchResult {
	n.t.Helper()
	found, err := n.Search(n.t.Context(), user, memory.Search{Query: query})
	if err != nil {
		n.t.Fatalf("%q: %v", query, err)
	}
	return found.Found
}

// paths are where a query finds something, "path:lines".
func (n notes) paths(user, query string) string {
	n.t.Helper()
	var list []string
	for _, f := range n.search(user, query) {
		list = append(list, fmt.Sprintf("%s:%d-%d", strings.TrimPrefix(f.Path, "memory/"), f.LineStart, f.LineEnd))
	}
	return strings.Join(list, " ")
}

// within asks until an answer is right, for a second.
func within(t *testing.T, want string, ask func() string) {
	t.Helper()
	testkit.EventuallyWithin(t, time.Second, fmt.Sprintf("the answer %q", want), func() (string, bool) {
		got := ask()
		return got, got == want
	})
}

func wantCode(t *testing.T, what string, err error, code sdkapi.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// TestWriteAndFind finds what was just written, with the lines that it is on.
func TestWriteAndFind(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		n := remember(t, db, memory.Options{})
		today := "memory/" + time.Now().UTC().Format(time.DateOnly) + ".md"
		if w := n.write("ada", memory.LongTerm, "Ada drinks tea without sugar."); w.Path != "memory/MEMORY.md" || w.Warning != "" {
			t.Errorf("%+v", w)
		}
		if w := n.write("ada", memory.Daily, "The invoice of Miller was paid.\n\nIt was late."); w.Path != today {
			t.Errorf("%+v", w)
		}
		found := n.search("ada", "invoices")
		if len(found) != 1 {
			t.Fatalf("%+v", found)
		}
		f := found[0]
		if f.Path != today || f.Kind != memory.Daily || !strings.HasSuffix(f.Excerpt, "UTC · test\nThe invoice of Miller was paid.\n\nIt was late.") || f.LineStart != 3 || f.LineEnd != 6 || f.Score <= 0 {
			t.Errorf("%+v", f)
		}
		p, err := n.Get(t.Context(), "ada", f.Path, f.LineStart, f.LineEnd)
		if err != nil || strings.TrimRight(p.Text, "\n") != f.Excerpt || p.Lines != 6 || p.Truncated {
			t.Errorf("%+v, %v", p, err)
		}
		if got := n.paths("bob", "invoice"); got != "" {
			t.Errorf("Bob finds %s", got)
		}
		if _, err := n.Get(t.Context(), "bob", f.Path, 0, 0); fault.CodeOf(err) != sdkapi.MemoryNotFound {
			t.Errorf("Bob reads: %v", err)
		}
	})
}

// TestQueries finds what a query means, in both databases the same.
func TestQueries(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		n := remember(t, db, memory.Options{})
		n.put("ada/memory/MEMORY.md", "# Memory\n\n## Likes\nTea, running and New York.\n\n## Dislikes\nCoffee; york pudding that is new.\n")
		n.put("ada/memory/2026-02-11.md", "Ordered invoicing software, for café Müller.\nE-mail to o'brien@example.com about C++ 23.\n")
		n.put("ada/memory/projects/tokyo.md", "# 東京タワー\n昨日、東京タワーに行きました。\nสวัสดีครับ 🎉 don't\n")
		n.put("ada/memory/.hidden.md", "hidden tea")
		n.put("ada/memory/other.txt", "text tea")
		n.put("bob/memory/MEMORY.md", "tea running invoicing york")
		for query, want := range map[string]string{
			"run":                     "MEMORY.md:3-4",
			"runs likes":              "MEMORY.md:3-4",
			`"new york"`:              "MEMORY.md:3-4",
			`“New York”`:              "MEMORY.md:3-4",
			`"york new"`:              "",
			`"runs"`:                  "",
			"new york":                "MEMORY.md:3-4 MEMORY.md:6-7",
			"invoices":                "2026-02-11.md:1-2",
			"invo*":                   "2026-02-11.md:1-2",
			`"ordered invo*"`:         "2026-02-11.md:1-2",
			"voic*":                   "",
			"i*":                      "MEMORY.md:6-7 2026-02-11.md:1-2",
			"in*":                     "2026-02-11.md:1-2",
			"İN* soft*":               "2026-02-11.md:1-2",
			`"ordered i*"`:            "2026-02-11.md:1-2",
			"z*":                      "",
			"東*":                      "projects/tokyo.md:1-3",
			"CAFE muller":             "2026-02-11.md:1-2",
			"cafe\u0301 mu\u0308ller": "2026-02-11.md:1-2",
			"e-mail":                  "2026-02-11.md:1-2",
			"O'Brien@example.com":     "2026-02-11.md:1-2",
			"c++":                     "2026-02-11.md:1-2",
			"東京":                      "projects/tokyo.md:1-3",
			"京タワ":                     "projects/tokyo.md:1-3",
			"京東":                      "",
			"สวัสดี":                  "projects/tokyo.md:1-3",
			"tea nothinglikeit":       "MEMORY.md:3-4",
			"nothinglikeit":           "",
			"OR AND NOT tea":          "MEMORY.md:3-4",
			`tea" OR "`:               "MEMORY.md:3-4",
			"tea) & ('x":              "MEMORY.md:3-4",
			"scope : x":               "",
			"hidden":                  "",
			"text":                    "",
		} {
			t.Run(fmt.Sprintf("%.60q", query), func(t *testing.T) {
				if got := n.paths("ada", query); got != want {
					t.Errorf("%q finds %q, want %q", query, got, want)
				}
			})
		}
		for kind, want := range map[memory.Kind]int{"": 3, memory.LongTerm: 1, memory.Daily: 1, memory.Other: 1} {
			t.Run(fmt.Sprintf("%q", kind), func(t *testing.T) {
				found, err := n.Search(t.Context(), "ada", memory.Search{Query: "tea invoicing 東", Kind: kind})
				if err != nil || len(found.Found) != want {
					t.Errorf("kind %q: %+v, %v", kind, found, err)
				}
			})
		}
	})
}

// TestOtherPrograms finds within a second what others have changed.
func TestOtherPrograms(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		n := remember(t, db, memory.Options{})
		find := func(query string) func() string { return func() string { return n.paths("ada", query) } }
		n.put("ada/memory/2026-01-02.md", "one apple\n")
		within(t, "2026-01-02.md:1-1", find("apples"))
		n.put("ada/memory/2026-01-02.md", "one pears\n") // of the same length
		within(t, "2026-01-02.md:1-1", find("pear"))
		within(t, "", find("apple"))
		n.put("ada/memory/2026-01-02.md", "new line\none pears\n")
		within(t, "2026-01-02.md:1-2", find("pear"))
		at := func(name string) string { return filepath.Join(n.dir, "ada", "memory", name) }
		if err := os.Rename(at("2026-01-02.md"), at("moved.md")); err != nil {
			t.Fatal(err)
		}
		within(t, "moved.md:1-2", find("pear"))
		if err := os.RemoveAll(filepath.Join(n.dir, "ada")); err != nil {
			t.Fatal(err)
		}
		within(t, "", find("pear"))
		n.write("ada", memory.LongTerm, "a pear again")
		if got := n.paths("ada", "pear"); got != "MEMORY.md:3-4" {
			t.Errorf("written anew: %q", got)
		}
	})
}

// TestSameTime finds a change that left a file's size and time as they were,
// soon after it was indexed; and later, by Check.
func TestSameTime(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		n := remember(t, db, memory.Options{})
		n.put("ada/memory/MEMORY.md", "one apple\n")
		if got := n.paths("ada", "apple"); got != "MEMORY.md:1-1" {
			t.Fatal(got)
		}
		name := filepath.Join(n.dir, "ada", "memory", "MEMORY.md")
		change := func(text string, at time.Time) {
			n.put("ada/memory/MEMORY.md", text)
			if err := os.Chtimes(name, at, at); err != nil {
				t.Fatal(err)
			}
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		change("one lemon\n", info.ModTime())
		within(t, "MEMORY.md:1-1", func() string { return n.paths("ada", "lemon") })
		old := time.Now().Add(-time.Hour)
		change("one melon\n", old)
		within(t, "MEMORY.md:1-1", func() string { return n.paths("ada", "melon") })
		change("one grape\n", old)
		list, err := n.Check(t.Context(), false)
		if err != nil || len(list) != 1 || list[0].Mended != 1 || list[0].Folder != "ada" || list[0].Files != 1 {
			t.Errorf("%+v, %v", list, err)
		}
		if got := n.paths("ada", "grape"); got != "MEMORY.md:1-1" {
			t.Errorf("after Check: %q", got)
		}
	})
}

// TestNewerFirst prefers what is newer among what is as good.
func TestNewerFirst(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		n := remember(t, db, memory.Options{KeepDays: -1})
		for _, days := range []int{400, 3, 40} {
			n.put("ada/memory/"+time.Now().AddDate(0, 0, -days).UTC().Format(time.DateOnly)+".md", "We met Zoe in the park.\n")
		}
		var days []string
		for _, f := range n.search("ada", "zoe") {
			days = append(days, f.Path)
		}
		if len(days) != 3 || !slices.IsSortedFunc(days, func(a, b string) int { return strings.Compare(b, a) }) {
			t.Errorf("%v", days)
		}
	})
}

// The files of all users are counted, also before a search has put them into the index; what is hidden or no note is not.
func TestUsage(t *testing.T) {
	t.Parallel()
	n := remember(t, sqlite(t), memory.Options{})
	if used, err := n.Usage(t.Context()); err != nil || used != (memory.Usage{}) {
		t.Errorf("nobody has written: %+v, %v", used, err)
	}
	var bytes int64
	for _, user := range []string{"ada", "bea"} {
		n.write(user, memory.LongTerm, "I like tea.")
		files, err := n.Files(t.Context(), user)
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		bytes += files[0].Size
	}
	used, err := n.Usage(t.Context())
	if err != nil || used.Files != 2 || used.Bytes != bytes || used.Oldest.IsZero() {
		t.Errorf("%+v, %v; expected 2 files of %d bytes", used, err, bytes)
	}
}

// An index of an older version is made anew. A user who is erased is removed from it.
func TestMadeAnew(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		n := remember(t, db, memory.Options{})
		for _, user := range []string{"ada", "bea"} {
			n.write(user, memory.LongTerm, "I like tea.")
			n.search(user, "tea")
		}
		for _, table := range []string{"oauth_tokens", "oauth_codes", "oauth_grants", "oauth_clients", "responses", "upstream_sign_ins", "upstream_connections"} { // of still later versions
			if err := execute(t, db, "DROP TABLE "+table); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(execute(t, db, "DELETE FROM schema_version WHERE version_id > 20"), db.Close()); err != nil {
			t.Fatal(err)
		}
		n = remember(t, databasetest.Open(t, cfg), memory.Options{Dir: n.dir})
		if got := n.paths("ada", "teas"); got != "MEMORY.md:3-4" {
			t.Errorf("by a newer version: %q", got)
		}
		if files, err := n.EraseUser(t.Context(), "ada"); err != nil || files != 1 {
			t.Errorf("%d files are erased, %v", files, err)
		}
		if got := n.paths("ada", "tea") + n.paths("bea", "tea"); got != "MEMORY.md:3-4" {
			t.Errorf("after ada is erased: %q", got)
		}
	})
}
