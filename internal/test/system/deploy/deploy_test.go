//go:build system

package deploy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// deployed is where the rules and dashboards are.
const deployed = "../../../../examples/deploy"

var alertName = regexp.MustCompile(`(?m)^ +- alert: (\w+)$`)

// The unit of systemd lets the gateway do what it promises, and stop as it wants to.
func TestUnit(t *testing.T) {
	t.Parallel()
	unit, err := os.ReadFile(filepath.Join(deployed, "windie.service"))
	if err != nil {
		t.Fatal(err)
	}
	for why, line := range map[string]string{
		"the machine's own addresses are listed": "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK",
		"a damaged database ends it":             fmt.Sprintf("RestartPreventExitStatus=%d", rig.ExitDamaged),
		"turns end, as with compose.yaml":        "TimeoutStopSec=50s",
	} {
		t.Run(why, func(t *testing.T) {
			if !slices.Contains(strings.Split(string(unit), "\n"), line) {
				t.Errorf("the unit lacks %s", line)
			}
		})
	}
}

// Every alert fires on the series that its test has, and none on quiet ones.
func TestAlerts(t *testing.T) {
	t.Parallel()
	promtool := installed(t, "promtool")
	rules, err := os.ReadFile(filepath.Join(deployed, "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile(filepath.Join(deployed, "alerts_test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, alert := range alertName.FindAllSubmatch(rules, -1) {
		if !bytes.Contains(tests, fmt.Appendf(nil, `alertname="%s"`, alert[1])) {
			t.Errorf("the alert %s has no test in alerts_test.yaml", alert[1])
		}
	}
	cmd := exec.CommandContext(t.Context(), promtool, "test", "rules", "alerts_test.yaml")
	cmd.Dir = deployed
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// installed returns the path of a program of Debian's package prometheus.
func installed(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		testkit.Skip(t, program, "your system's package prometheus, or make deps-system")
	}
	return path
}

const requestsOfDashboard = 1200 // in a minute

// A Prometheus that scrapes a busy gateway has something to show in each panel of the dashboard.
func TestDashboard(t *testing.T) {
	t.Parallel()
	program := installed(t, "prometheus")
	gateway := rig.Serve(t, fmt.Sprint("WINDIE_LIMITS_ADDRESS_REQUESTS=", requestsOfDashboard), "WINDIE_OPENAI_TOOLS=ocr.*")
	prometheus := scraping(t, program, gateway)
	client, err := sdk.New(gateway)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := os.Open("../../../../examples/click-target/screen.png")
	if err != nil {
		t.Fatal(err)
	}
	defer picture.Close()
	shot, err := client.UploadArtifact(t.Context(), "screen.png", picture)
	if err != nil {
		t.Fatal(err)
	}
	waiting := panelsOf(t)
	testkit.EventuallyWithin(t, 2*time.Minute, "every panel shows something", func() (map[string]string, bool) {
		busy(t, gateway, shot.ArtifactID)
		maps.DeleteFunc(waiting, func(expr, _ string) bool { return answered(t, prometheus, expr) })
		return waiting, len(waiting) == 0
	})
}

// busy asks a gateway for one of each.
func busy(t *testing.T, gateway, shot string) {
	t.Helper()
	image := `{"image":{"artifact_id":"` + shot + `"}`
	rig.Post(t, gateway+"/api/sdk/ocr/run", image+`}`)
	rig.Post(t, gateway+"/api/sdk/ocr/resolve-text", image+`,"text":"not there"}`)
	rig.Post(t, gateway+"/api/tools/ocr.read/invoke", image+`}`)
	rig.Post(t, gateway+"/api/prompt", `{"input":"run ocr_read `+strings.ReplaceAll(image, `"`, `\"`)+`}"}`)
	rig.Post(t, gateway+"/openai/v1/chat/completions", `{"model":"default","messages":[{"role":"user","content":"hello"}]}`)
	rig.Post(t, gateway+"/api/plugins/nosuch/enable", `{}`)
	rig.Post(t, gateway+sdkapi.MCPPath, "["+strings.Repeat(`{"jsonrpc":"2.0","method":"x"},`, requestsOfDashboard)+`{}]`) // more than the limit
}

// panelsOf returns the questions of the dashboard with the titles of their panels.
func panelsOf(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deployed, "grafana", "windie.json"))
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			all[strings.NewReplacer("$__rate_interval", "10s", "$instance", ".*").Replace(target.Expr)] = p.Title
		}
	}
	if len(all) < 20 {
		t.Fatalf("the dashboard has %d questions", len(all))
	}
	return all
}

// scraping runs a Prometheus that scrapes a gateway each second until the test ends, and returns its URL.
func scraping(t *testing.T, program, gateway string) string {
	t.Helper()
	target := strings.TrimPrefix(gateway, "http://")
	config := fmt.Sprintf("global: {scrape_interval: 1s}\nscrape_configs:\n  - {job_name: windie, static_configs: [{targets: [%q]}]}\n", target)
	return prometheusWith(t, program, config, nil)
}

// prometheusWith runs a Prometheus with a configuration, beside which are files, until the test ends, and returns its URL.
func prometheusWith(t *testing.T, program, config string, files map[string]string) string {
	t.Helper()
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dir, listen := t.TempDir(), free.Addr().String()
	_ = free.Close()
	files = maps.Clone(files)
	if files == nil {
		files = map[string]string{}
	}
	files["prometheus.yml"] = config
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), program, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+listen)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	return "http://" + listen
}

// answered reports whether a Prometheus has a value for a question.
func answered(t *testing.T, prometheus, expr string) bool {
	t.Helper()
	resp, err := http.Get(prometheus + "/api/v1/query?query=" + url.QueryEscape(expr)) //nolint:noctx // it is on this machine
	if err != nil {
		return false // it starts
	}
	defer resp.Body.Close()
	var out struct {
		Status, Error string
		Data          struct{ Result []any }
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil || json.Unmarshal(text, &out) != nil {
		return false
	}
	if out.Error != "" {
		t.Errorf("%s: %s", expr, out.Error)
	}
	return len(out.Data.Result) > 0
}
