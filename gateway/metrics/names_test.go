package metrics_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/internal/test/testkit"
)

var (
	description = regexp.MustCompile(`fqName: "((?:windie|gen_ai)_[a-z_]+)", help: "([^"]*)".*variableLabels: \{([^}]*)\}`)
	usedName    = regexp.MustCompile(`\b(?:windie|gen_ai)_[a-z_]+[a-z]\b`)
	guideRow    = regexp.MustCompile("(?m)^\\| `((?:windie|gen_ai)_[a-z_]+)` \\|([^|]*)\\|")
	word        = regexp.MustCompile(`\w+`)
)

// described returns the labels of each metric by its name, and fails for a metric that does not say what it is.
func described(t *testing.T) map[string][]string {
	t.Helper()
	descs := make(chan *prometheus.Desc, 1000)
	metrics.New(metrics.Sources{}).Registry.Describe(descs)
	close(descs)
	labels := map[string][]string{}
	for d := range descs {
		m := description.FindStringSubmatch(d.String())
		if m == nil {
			continue // of Go, or of the process
		}
		labels[m[1]] = word.FindAllString(m[3], -1)
		if !strings.HasSuffix(m[2], ".") {
			t.Errorf("%s says %q, want a sentence", m[1], m[2])
		}
	}
	return labels
}

func repoFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The guide, the alerts and the dashboard use metrics of the gateway, and no others.
func TestUsedMetrics(t *testing.T) {
	t.Parallel()
	labels := described(t)
	for _, file := range []string{"docs/operate.md", "examples/deploy/alerts.yaml", "examples/deploy/grafana/windie.json"} {
		t.Run(file, func(t *testing.T) {
			used := usedName.FindAllString(repoFile(t, file), -1)
			if len(used) < 10 {
				t.Errorf("%d names of metrics, want at least 10", len(used))
			}
			for _, name := range used {
				metric := regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
				isLabel := func(of []string) bool { return slices.Contains(of, name) }
				if _, ok := labels[metric]; !ok && !slices.ContainsFunc(slices.Collect(maps.Values(labels)), isLabel) {
					t.Errorf("there is no metric %s", name)
				}
			}
		})
	}
}

// The guide's table has the metrics to watch, with their labels.
func TestWatchedMetrics(t *testing.T) {
	t.Parallel()
	labels := described(t)
	rows := guideRow.FindAllStringSubmatch(repoFile(t, "docs/operate.md"), -1)
	if len(rows) < 10 {
		t.Errorf("%d metrics, want at least 10", len(rows))
	}
	for _, row := range rows {
		if listed := word.FindAllString(row[2], -1); !slices.Equal(listed, labels[row[1]]) {
			t.Errorf("docs/operate.md has %q for the labels of %s, not %q", listed, row[1], labels[row[1]])
		}
	}
}
