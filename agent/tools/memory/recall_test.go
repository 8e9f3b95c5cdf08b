package memory_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent/tools/memory"
)

// TestRecall gives what is of use in every session, within its bounds.
func TestRecall(t *testing.T) {
	t.Parallel()
	n := remember(t, sqlite(t), memory.Options{})
	recall := func(user string, size int) string {
		t.Helper()
		text, err := n.Recall(t.Context(), user, size)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if got := recall("ada", 4000); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	day := func(ago int) string { return time.Now().UTC().AddDate(0, 0, -ago).Format(time.DateOnly) }
	today, before := day(0), day(1)
	n.put("ada/memory/MEMORY.md", "Likes tea.\x1b[2J\n")
	n.put("ada/memory/"+today+".md", "Paid the invoice.\n")
	n.put("ada/memory/"+before+".md", "Wrote the invoice \xff.\n")
	n.put("ada/memory/"+day(2)+".md", "Long ago.\n")
	n.put("ada/memory/other.md", "Hers.\n")
	n.put("bob/memory/MEMORY.md", "Likes coffee.\n")
	want := "[memory/MEMORY.md]\nLikes tea.[2J\n\n[memory/" + before + ".md]\nWrote the invoice ?.\n\n[memory/" + today + ".md]\nPaid the invoice."
	if got := recall("ada", 4000); day(0) == today && got != want {
		t.Errorf("%q, want %q", got, want)
	}
	n.put("ada/memory/MEMORY.md", strings.Repeat("first "+strings.Repeat("x", 93)+"\n", 100)+"last\n")
	n.put("ada/memory/"+today+".md", "early\n"+strings.Repeat(strings.Repeat("y", 99)+"\n", 8)+"late\n")
	got := recall("ada", 4000)
	if day(0) == today && (strings.Count(got, "first") != 40 || strings.Contains(got, "last\n") || strings.Count(got, "left out") != 1 ||
		!strings.HasSuffix(got, "\nlate") || !strings.Contains(got, "early\n") || !strings.Contains(got, "Wrote")) {
		t.Errorf("with MEMORY.md too long: %q", got)
	}
	if got := recall("ada", 2000); day(0) == today && (strings.Count(got, "y\n") != 4 || strings.Contains(got, "early") || strings.Contains(got, "Wrote") || !strings.HasSuffix(got, "\nlate") && !strings.Contains(got, "\nlate\n") || len(got) > 2000+500+300) {
		t.Errorf("with today too long: %q", got)
	}
	n.put("ada/memory/MEMORY.md", strings.Repeat("a\n", memory.MaxFile))
	if got := recall("ada", 1<<30); len(got) > memory.MaxRecall+memory.MaxRecall/4+300 {
		t.Errorf("of a huge file: %d bytes", len(got))
	}
	secret := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(secret, []byte("hush"), 0o600); err != nil {
		t.Fatal(err)
	}
	n.put("eve/memory/a.md", "x")
	if err := os.Symlink(secret, filepath.Join(n.dir, "eve", "memory", "MEMORY.md")); err != nil {
		t.Fatal(err)
	}
	if got := recall("eve", 4000); got != "" {
		t.Errorf("of a link: %q", got)
	}
}
