package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/memory"
)

// The commands of the guide do what it says.
func TestMemoryGuide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	blocks := guideBlocks(t, "memory.md")
	var printed []string
	for line := range strings.Lines(blocks[0].text) {
		code, out, complaint := windie(t, nil, append(wordsOf(line)[1:], "--data-dir", dir)...)
		if code != 0 {
			t.Fatalf("%s: %d %s", line, code, complaint)
		}
		printed = append(printed, out)
	}
	if len(printed) != 4 || printed[0] != "memory/MEMORY.md\n" || !strings.HasPrefix(printed[1], "memory/20") {
		t.Fatalf("%q", printed)
	}
	if lines := strings.Split(printed[2], "\n"); len(lines) != 4 || !strings.HasSuffix(lines[0], ".md:3-4") ||
		!strings.HasSuffix(lines[1], " UTC · command line") || lines[2] != "  The invoice of Miller was paid." {
		t.Errorf("%q", lines)
	}
	if blocks[1].language != "text" || strings.ReplaceAll(printed[3], "  1      ", "  0      ") != blocks[1].text {
		t.Errorf("check prints\n%s", printed[3])
	}
	if _, err := os.Stat(filepath.Join(dir, "memory", "local", "memory", "MEMORY.md")); err != nil {
		t.Error(err)
	}
}

// What programs read, and what is refused.
func TestMemoryCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wrote memoryWritten
	manage(t, dir, &wrote, "memory", "write", "--user", "Ada", "--kind", "long_term", "--source", "test", "tea \x1b[2J")
	var found memoryResults
	manage(t, dir, &found, "memory", "search", "--user", "Ada", "teas", "coffee")
	if len(found.Results) != 1 || found.Results[0].Path != wrote.Path || found.Results[0].Kind != memory.LongTerm {
		t.Errorf("%+v %+v", wrote, found)
	}
	var checked memoryChecked
	manage(t, dir, &checked, "memory", "check", "--rebuild")
	if len(checked.Users) != 1 || checked.Users[0].Files != 1 || !strings.HasPrefix(checked.Users[0].Folder, "uada.") {
		t.Errorf("%+v", checked)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"search", "--user", "Ada", "tea"}, 0, "  tea [2J"},
		{[]string{"search", "tea"}, 0, ""},
		{[]string{"search", "?"}, exitFailed, "no word"},
		{[]string{"search", "tea", "--limit", "51"}, exitFailed, "too many"},
		{[]string{"write", " "}, exitFailed, "cannot be remembered"},
		{[]string{"write", "a", "--kind", "other"}, exitFailed, "cannot be remembered"},
		{[]string{"search", "tea", "--memory-keep-days", "0"}, exitUsage, "WINDIE_MEMORY_KEEP_DAYS"},
		{[]string{"search", "tea", "--memory-soft-bytes", "-2"}, exitUsage, "WINDIE_MEMORY_SOFT_BYTES"},
		{[]string{"search", "tea", "--memory-prompt-bytes", "131073"}, exitUsage, "WINDIE_MEMORY_PROMPT_BYTES"},
	} {
		code, out, complaint := windie(t, nil, append(append([]string{"memory"}, tt.args...), "--data-dir", dir)...)
		if code != tt.code || !strings.Contains(out+complaint, tt.want) || strings.Contains(out, "\x1b") {
			t.Errorf("%v: %d\n%s%s", tt.args, code, out, complaint)
		}
	}
}
