package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
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
		{[]string{"search", "--user", "Ada", "tea"}, 0, `  tea \x1b[2J`},
		{[]string{"search", "tea"}, 0, "Nothing that is remembered"},
		{[]string{"search", "?"}, exitFailed, "no word"},
		{[]string{"search", "tea", "--limit", "51"}, exitFailed, "expected 1 to 50"},
		{[]string{"write", " "}, exitFailed, "the memory entry is invalid"},
		{[]string{"write", "a", "--kind", "other"}, exitFailed, "the memory entry is invalid"},
	} {
		t.Run(fmt.Sprint(tt.args), func(t *testing.T) {
			code, out, complaint := windie(t, nil, append(append([]string{"memory"}, tt.args...), "--data-dir", dir)...)
			if code != tt.code || !strings.Contains(out+complaint, tt.want) || strings.Contains(out, "\x1b") {
				t.Errorf("%v: %d\n%s%s", tt.args, code, out, complaint)
			}
		})
	}
}

// send sends a request on behalf of ada, and returns the answer, which is good.
func send(t *testing.T, method, url, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(sdkapi.UserHeader, "ada")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s %s, %v", method, url, resp.Status, text, err)
	}
	return string(text)
}

// What a client writes is found by its meaning, and given to the user's models,
// unless the operator turns that off; models of other users do not get it.
func TestServeRemembers(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	embeddings := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer sk-test" || json.NewDecoder(r.Body).Decode(&in) != nil {
			http.NotFound(w, r)
			return
		}
		var out embeddingList
		for i := range in.Input { // everything means the same
			out.Data = append(out.Data, oneEmbedding{i, []float32{1, 0}})
		}
		_ = json.NewEncoder(w).Encode(out)
	}))
	t.Cleanup(embeddings.Close)
	settings := []string{"WINDIE_EMBEDDINGS_BACKEND=openai", "WINDIE_EMBEDDINGS_URL=" + embeddings.URL + "/v1", "WINDIE_EMBEDDINGS_MODEL=test", "WINDIE_EMBEDDINGS_API_KEY=sk-test"}
	url := serveForTest(t, settings...)
	if made := send(t, http.MethodGet, url+sdkapi.CapabilitiesPath, ""); !strings.Contains(made, `"memory"`) {
		t.Errorf("the parts are %s", made)
	}
	send(t, http.MethodPost, url+sdkapi.V1MemoryWritePath, `{"target":"long_term","content":"Drinks tea without sugar."}`)
	if found := send(t, http.MethodGet, url+sdkapi.V1MemorySearchPath+"?q=beverage", ""); !strings.Contains(found, "tea without sugar") || strings.Contains(found, "fallback") {
		t.Errorf("it finds %s", found)
	}
	preview := func(url, user string) string {
		return send(t, http.MethodPost, url+sdkapi.PromptPreviewPath, `{"user_query_raw":"Hi","user_id":"`+user+`"}`)
	}
	if shown := preview(url, "ada"); !strings.Contains(shown, "tea without sugar") || !strings.Contains(shown, "untrusted-mark2") {
		t.Errorf("ada's model is told %s", shown)
	}
	if shown := preview(url, "bob"); strings.Contains(shown, "tea") {
		t.Errorf("bob's model is told %s", shown)
	}
	var checked struct {
		Checks []struct{ Name, Message string }
	}
	var out, complaint output
	run(t.Context(), []string{"doctor", "--json", "--listen", "127.0.0.1:0"}, append(settings, "WINDIE_DATA_DIR="+t.TempDir()), nil, &out, &complaint)
	if err := json.Unmarshal([]byte(out.String()), &checked); err != nil {
		t.Fatalf("%v: %s %s", err, out.String(), complaint.String())
	}
	said := ""
	for _, c := range checked.Checks {
		if c.Name == "memory" {
			said = c.Message
		}
	}
	if !strings.Contains(said, "by meaning with openai:test") {
		t.Errorf("doctor says %q", said)
	}
}

// embeddingList is what an embedding model answers.
type embeddingList struct {
	Data []oneEmbedding `json:"data"`
}

type oneEmbedding struct {
	Index     int       `json:"index"`
	Embedding []float32 `json:"embedding"`
}
