package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/figures"
	"github.com/windieos/windie/internal/test/gatewaytest"
)

// A look at a busy gateway shows what it did: once as a table without codes of terminals, and as JSON.
func TestTop(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	url := serveForTest(t)
	busy(t, url, uploaded(t, url))
	at := strings.TrimPrefix(url, "http://")
	code, out, complaint := windie(t, nil, "top", "--once", "--listen", at)
	if code != 0 || strings.Contains(out, "\x1b") || !strings.Contains(out, "per second") || !strings.Contains(out, "MB of memory") {
		t.Errorf("%d %s%s", code, out, complaint)
	}
	code, out, complaint = windie(t, nil, "top", "--once", "--json", "--listen", at)
	var look topLook
	if err := json.Unmarshal([]byte(out), &look); code != 0 || err != nil {
		t.Fatalf("%d %v %s%s", code, err, out, complaint)
	}
	active := map[string]topLine{}
	for _, line := range look.Lines {
		active[line.Name] = line
	}
	for _, name := range []string{"requests", "turns", "models", "screens", "tools", "events"} {
		if active[name].Second <= 0 {
			t.Errorf("%s: %+v", name, active[name])
		}
	}
	if active["screens"].MeanMS <= 0 || look.Memory <= 0 || look.UpTime <= 0 {
		t.Errorf("%+v", look)
	}
}

func TestTopSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		said string
		code int
		args []string
	}{
		{"WINDIE_OPERATOR_TOKEN", exitFailed, []string{"--once", "--listen", "127.0.0.1:1"}},
		{"is below the minimum of", exitUsage, []string{"--every", "1ms"}},
	} {
		t.Run(tt.said, func(t *testing.T) {
			t.Parallel()
			if code, _, complaint := windie(t, nil, append([]string{"top"}, tt.args...)...); code != tt.code || !strings.Contains(complaint, tt.said) {
				t.Errorf("%d %s", code, complaint)
			}
		})
	}
}

// Rates are those since the look before, also where a gateway was started anew meanwhile and counts from 0.
func TestLookAt(t *testing.T) {
	t.Parallel()
	read := func(n string) figures.Figures {
		f, err := figures.Read(strings.NewReader("# TYPE windie_journal_events_total counter\nwindie_journal_events_total " + n + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	events := func(before, now string) float64 {
		for _, line := range lookAt(read(now), read(before), time.Now().Add(-10*time.Second)).Lines {
			if line.Name == "events" {
				return line.Second
			}
		}
		return -1
	}
	if got := events("100", "200"); got < 9 || got > 10.1 {
		t.Errorf("100 events in ten seconds: %v in one", got)
	}
	if got := events("200", "5"); got != 0 {
		t.Errorf("of another process: %v", got)
	}
}

// Bytes that users share are shown in the unit that fits, and tools that are registered are not said to run.
func TestLookShowsUnits(t *testing.T) {
	t.Parallel()
	now, err := figures.Read(strings.NewReader("# TYPE windie_pool_capacity gauge\nwindie_pool_capacity{pool=\"memory\"} 11058473216\nwindie_pool_capacity{pool=\"cores\"} 2\n" +
		"# TYPE windie_pool_taken gauge\nwindie_pool_taken{pool=\"memory\"} 104857600\nwindie_pool_taken{pool=\"cores\"} 1\n# TYPE windie_tools gauge\nwindie_tools{origin=\"\"} 18\n"))
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := lookAt(now, nil, time.Time{}).show(&page, false, false); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(page.String(), "\n")
	for name, want := range map[string]string{"pool memory": "pool memory 100 MB 0.0 0.0 of 10546 MB, 0 wait", "pool cores": "pool cores 1 0.0 0.0 of 2, 0 wait", "tools": "tools - 0.0 0.0 18 registered"} {
		i := slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(strings.TrimSpace(row), name+" ") })
		if i < 0 || strings.Join(strings.Fields(rows[i]), " ") != want {
			t.Errorf("%s: %q; expected %q", name, page.String(), want)
		}
	}
}

// uploaded stores a picture and returns its id.
func uploaded(t *testing.T, gateway string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "curl", "-sS", "-F", "file=@../../examples/click-target/screen.png", gateway+"/api/artifacts/").Output()
	var stored struct {
		ID string `json:"artifact_id"`
	}
	if err != nil || json.Unmarshal(out, &stored) != nil || stored.ID == "" {
		t.Fatalf("%s, %v", out, err)
	}
	return stored.ID
}

// busy asks a gateway for one of each.
func busy(t *testing.T, gateway, shot string) {
	t.Helper()
	image := `{"image":{"artifact_id":"` + shot + `"}`
	post(t, gateway+"/api/sdk/ocr/run", image+`}`)
	post(t, gateway+"/api/sdk/ocr/resolve-text", image+`,"text":"not there"}`)
	post(t, gateway+"/api/tools/ocr.read/invoke", image+`}`)
	post(t, gateway+"/api/prompt", `{"input":"run ocr_read `+strings.ReplaceAll(image, `"`, `\"`)+`}"}`)
	post(t, gateway+"/openai/v1/chat/completions", `{"model":"default","messages":[{"role":"user","content":"hello"}]}`)
	post(t, gateway+"/api/plugins/nosuch/enable", `{}`)
}

// post sends a request as ada and returns its answer, whatever that is.
func post(t *testing.T, url, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-User-Id", "ada")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}
