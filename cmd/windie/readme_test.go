package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

var update = flag.Bool("update", false, "write the answers that pages show anew where they differ")

// exchangePattern finds a shell block and the JSON that it prints.
var exchangePattern = regexp.MustCompile("```sh\n([^`]*)```\n```json\n([^`]*)```")

// answeredRequests says how many requests with their answers a guide has that goes on from the README. README.md comes
// first in the order of the names: its first request uploads the screen that all others are about.
var answeredRequests = map[string]int{"README.md": 3, "docs/http-api.md": 1, "docs/screens.md": 3}

// The requests of the README, and of the guides that go on from it, get the answers that stand there, to the letter but
// for what varies. -update writes the answers anew.
func TestREADME(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			testkit.Skip(t, program, "your system's package "+program)
		}
	}
	r := newcomer{url: serveForTest(t), root: testkit.RepoRoot(t)}
	for _, name := range slices.Sorted(maps.Keys(answeredRequests)) {
		t.Run(name, func(t *testing.T) {
			found := exchangePattern.FindAllStringSubmatch(guideText(t, name), -1)
			if len(found) != answeredRequests[name] {
				t.Fatalf("%s: %d requests with answers, want %d", name, len(found), answeredRequests[name])
			}
			for _, x := range found {
				checkShown(t, name, x[0], x[2], r.answer(t, x[1], x[2]))
			}
		})
	}
}

// newcomer does what a reader of the README does: asks a gateway about the screen that the first request uploads.
type newcomer struct {
	url, root        string
	shot, documented string // the screen's id, and the one that the README shows in its place
}

// throughJQ is how a request is laid out: by jq, with or without the path of a part of the answer.
var throughJQ = regexp.MustCompile(`(?m) \| jq(?: '?([.\w\[\]]+)'?)?$`)

// answer runs a request, and returns what jq prints of its answer, without taking jq. What the page shows of the first
// request has the id that stands there for the screen.
func (r *newcomer) answer(t *testing.T, request, shown string) string {
	t.Helper()
	path := throughJQ.FindStringSubmatch(request)
	if path == nil {
		t.Fatalf("the answer of this request is not laid out by \" | jq\":\n%s", request)
	}
	script := regexp.MustCompile(`(?m)^SHOT=.*$`).ReplaceAllString(throughJQ.ReplaceAllString(request, ""), "")
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", strings.ReplaceAll(script, documentedURL, r.url))
	cmd.Dir, cmd.Env = r.root, append(os.Environ(), "SHOT="+r.shot)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	if r.shot == "" {
		r.shot, r.documented = storedID(t, string(out)), storedID(t, shown)
	}
	laidOut := laidOutAt(t, out, strings.Trim(path[1], "."))
	return strings.NewReplacer(r.shot, r.documented, r.url, documentedURL).Replace(laidOut)
}

// documentedURL is where pages take the gateway to be.
const documentedURL = "http://127.0.0.1:8765"

// storedID returns the id in the answer of an upload.
func storedID(t *testing.T, answer string) string {
	t.Helper()
	var stored sdkapi.Artifact
	if err := json.Unmarshal([]byte(answer), &stored); err != nil || stored.ArtifactID == "" {
		t.Fatalf("%s: %v", answer, err)
	}
	return stored.ArtifactID
}

// asJQ writes as themselves what Go escapes in JSON, and jq does not.
var asJQ = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// laidOutAt returns the JSON at a path of names, as match.center or rows[].text, as jq prints it.
func laidOutAt(t *testing.T, raw []byte, path string) string {
	t.Helper()
	if path == "" {
		var b bytes.Buffer
		if err := json.Indent(&b, bytes.TrimSpace(raw), "", "  "); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		return asJQ.Replace(b.String()) + "\n"
	}
	name, rest, _ := strings.Cut(path, ".")
	var fields map[string]json.RawMessage
	name, all := strings.CutSuffix(name, "[]")
	if err := json.Unmarshal(raw, &fields); err != nil || fields[name] == nil {
		t.Fatalf("there is no %s in %s: %v", name, raw, err)
	}
	parts := []json.RawMessage{fields[name]}
	if all {
		if err := json.Unmarshal(fields[name], &parts); err != nil {
			t.Fatalf("%s is no list: %v", name, err)
		}
	}
	var printed strings.Builder
	for _, part := range parts {
		printed.WriteString(laidOutAt(t, part, rest))
	}
	return printed.String()
}

// varies is what no two gateways answer alike: the ids of artifacts.
var varies = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}\.png`)

// checkShown checks that a block of a page shows what was printed; with -update it has the page show it.
func checkShown(t *testing.T, page, block, shown, printed string) {
	t.Helper()
	if varies.ReplaceAllString(shown, "…") == varies.ReplaceAllString(printed, "…") {
		return
	}
	if !*update {
		t.Errorf("%s: %s\nprints\n%s\nrun go test -run '^TestREADME' ./cmd/windie -update", page, block, printed)
		return
	}
	writing.Lock()
	defer writing.Unlock()
	text := strings.Replace(guideText(t, page), block, strings.TrimSuffix(block, shown+"```")+printed+"```", 1)
	if err := os.WriteFile(filepath.Join(testkit.RepoRoot(t), page), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// writing is held while a page is written: several tests write README.md.
var writing sync.Mutex

// guideText reads a page of the repository.
func guideText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// commandsPattern finds commands of ours and what they print.
var commandsPattern = regexp.MustCompile("```sh\n(bin/windie [^`]*)```\n```text\n([^`]*)```")

// The commands of the README print what stands there, to the letter. -update writes it anew.
func TestREADMECommands(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	root := testkit.RepoRoot(t)
	found := commandsPattern.FindAllStringSubmatch(guideText(t, "README.md"), -1)
	if len(found) != 1 {
		t.Errorf("%d blocks of commands, want 1", len(found))
	}
	for _, block := range found {
		var printed strings.Builder
		for line := range strings.Lines(block[1]) {
			_, out, complaint := windie(t, nil, wordsOf(strings.ReplaceAll(line, "examples/", root+"/examples/"))[1:]...)
			printed.WriteString(out + complaint)
		}
		checkShown(t, "README.md", block[0], block[2], printed.String())
	}
}

// wordsOf splits a command as a shell does that knows only double quotes.
func wordsOf(line string) (words []string) {
	for _, m := range regexp.MustCompile(`"([^"]*)"|\S+`).FindAllStringSubmatch(line, -1) {
		words = append(words, cmp.Or(m[1], m[0]))
	}
	return words
}
