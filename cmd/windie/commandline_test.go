package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The commands of the section "The command line" of docs/agent.md run, and its table of exit codes is that of the program.
func TestCommandLineGuide(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/agent.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## The command line\n")
	for _, c := range exitCodes {
		if row := fmt.Sprintf("| %d | %s |\n", c.code, c.meaning); !strings.Contains(text, row) {
			t.Errorf("the guide has no row %s", row)
		}
	}
	at := strings.TrimPrefix(serveForTest(t), "http://")
	ran := 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(block[1]) {
			ran++
			t.Run(strings.TrimSpace(line), func(t *testing.T) {
				line, _, redirected := strings.Cut(strings.TrimSpace(line), " > ")
				words := wordsOf(strings.ReplaceAll(line, "help.zip", filepath.Join(t.TempDir(), "help.zip")))[1:]
				if words[0] == "top" {
					words = append(words, "--listen", at)
				}
				if words[0] == "doctor" {
					words = append(words, "--listen", "127.0.0.1:0")
				}
				code, out, complaint := windie(t, nil, words...)
				if code != 0 || out == "" || redirected && !strings.Contains(out, "windie") {
					t.Errorf("%d %.300s%s", code, out, complaint)
				}
			})
		}
	}
	if ran != 7 {
		t.Errorf("%d commands were run; the guide has another number, or its blocks are not found", ran)
	}
}
