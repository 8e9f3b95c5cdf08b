package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/recorded"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/sdkapi"
)

// exchangePattern finds a shell block and the JSON it is said to print.
var exchangePattern = regexp.MustCompile("```sh\n([^`]*)```\n```json\n([^`]*)```")

// answeredRequests says how many requests with their answers a guide has that goes on from the README. README.md comes
// first in the order of the names: its first request uploads the screen that all others are about.
var answeredRequests = map[string]int{"README.md": 6, "docs/find-text.md": 1, "docs/tools.md": 2, "docs/vision.md": 2}

// The requests of the README, and of the guides that go on from it, get the
// answers that stand there.
func TestREADME(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			testkit.Skip(t, program, "your system's package "+program)
		}
	}
	url, root := serveForTest(t), testkit.RepoRoot(t)
	var exchanges [][]string
	for _, name := range slices.Sorted(maps.Keys(answeredRequests)) {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			found := exchangePattern.FindAllStringSubmatch(string(text), -1)
			if len(found) != answeredRequests[name] {
				t.Fatalf("%s: %d requests with answers, want %d", name, len(found), answeredRequests[name])
			}
			exchanges = append(exchanges, found...)
		})
	}
	shot := ""
	for _, x := range exchanges {
		script := regexp.MustCompile(`(?m)^SHOT=.*$`).ReplaceAllString(x[1], "")
		script = strings.ReplaceAll(script, "http://127.0.0.1:8765", url)
		cmd := exec.CommandContext(t.Context(), "bash", "-euc", script)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "SHOT="+shot)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", script, err)
		}
		if shot == "" {
			var stored sdkapi.Artifact
			if err := json.Unmarshal(out, &stored); err != nil {
				t.Fatal(err)
			}
			shot = stored.ArtifactID
		}
		if diff := recorded.SameJSON(x[2], string(out), sameOrVaries); diff != "" {
			t.Errorf("%s\nprints %s\n%s", x[1], out, diff)
		}
	}
}

// commandsPattern finds commands of ours and what they are said to print.
var commandsPattern = regexp.MustCompile("```sh\n(bin/windie [^`]*)```\n```text\n([^`]*)```")

// The commands of the README print what stands there, but for the numbers of
// elements.
func TestREADMECommands(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	root := testkit.RepoRoot(t)
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := commandsPattern.FindAllStringSubmatch(string(text), -1)
	if len(found) != 1 {
		t.Errorf("%d blocks of commands, want 1", len(found))
	}
	for _, block := range found {
		var printed strings.Builder
		for line := range strings.Lines(block[1]) {
			_, out, complaint := windie(t, nil, wordsOf(strings.ReplaceAll(line, "examples/", root+"/examples/"))[1:]...)
			printed.WriteString(out + complaint)
		}
		if got, want := unnumbered(printed.String()), unnumbered(block[2]); got != want {
			t.Errorf("%sprints\n%s\nnot\n%s", block[1], got, want)
		}
	}
}

// wordsOf splits a command as a shell does that knows only double quotes.
func wordsOf(line string) (words []string) {
	for _, m := range regexp.MustCompile(`"([^"]*)"|\S+`).FindAllStringSubmatch(line, -1) {
		words = append(words, cmp.Or(m[1], m[0]))
	}
	return words
}

// unnumbered takes the numbers of elements out of a table, and what is between
// its columns.
func unnumbered(table string) string {
	return regexp.MustCompile(` {2,}`).ReplaceAllString(regexp.MustCompile(`(?m)^\d+ +`).ReplaceAllString(table, ""), "  ")
}

// varies is what cannot be the same twice: ids, addresses, and what another
// version of the reader may change: the hash of a picture, the numbers of rows.
var varies = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}\.png|127\.0\.0\.1:\d+|^[0-9a-f]{64}$|ocr_[0-9a-f]{12}|^[0-9]+$`)

func sameOrVaries(want, got string) bool {
	return varies.ReplaceAllString(want, "…") == varies.ReplaceAllString(got, "…")
}
