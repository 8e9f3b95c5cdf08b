//go:build system

package memory_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/agent/tools/memory"
)

// writerVariable has a test process write to the memory in a folder.
const writerVariable = "WINDIE_TEST_MEMORY_WRITER"

// How many write at once, and how much each does.
const (
	writers = 20
	each    = 25
)

func said(writer, i int) string { return fmt.Sprintf("writer %d says %d\n\nand no more", writer, i) }

func (n notes) writeMany(from, to int) {
	var all sync.WaitGroup
	for w := from; w < to; w++ {
		all.Go(func() {
			for i := range each {
				if _, err := n.Write(n.t.Context(), "ada", memory.Entry{Kind: memory.LongTerm, Text: said(w, i), Source: "test"}); err != nil {
					n.t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestManyWriters has twenty write 25 entries each to one file: half
// of them in this process, half in another one. None is lost, none is torn.
func TestManyWriters(t *testing.T) {
	if dir := os.Getenv(writerVariable); dir != "" {
		n := remember(t, sqlite(t), memory.Options{Dir: dir, SoftBytes: -1})
		n.writeMany(writers/2, writers)
		return
	}
	t.Parallel()
	n := remember(t, sqlite(t), memory.Options{SoftBytes: -1})
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestManyWriters$")
	other.Env = append(os.Environ(), writerVariable+"="+n.dir)
	var out strings.Builder
	other.Stdout, other.Stderr = &out, &out
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	n.writeMany(0, writers/2)
	if err := other.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	text, err := os.ReadFile(filepath.Join(n.dir, "ada", "memory", "MEMORY.md"))
	if err != nil {
		t.Fatal(err)
	}
	entries := strings.Split(string(text), "\n## ")[1:]
	seen := map[string]int{}
	for _, entry := range entries {
		heading, body, _ := strings.Cut(entry, "\n")
		if !strings.HasSuffix(heading, " UTC · test") {
			t.Fatalf("the heading %q", heading)
		}
		seen[strings.TrimSpace(body)]++
	}
	for w := range writers {
		for i := range each {
			if seen[said(w, i)] != 1 {
				t.Fatalf("entry %d of writer %d is there %d times", i, w, seen[said(w, i)])
			}
		}
	}
	if len(entries) != writers*each {
		t.Errorf("%d entries", len(entries))
	}
	if got := n.search("ada", `"writer 19 says 24"`); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}
