package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// The packed chart has the version of the release, and every file of the chart.
func TestChartIsPacked(t *testing.T) {
	t.Parallel()
	needs(t, "tar")
	root := testkit.RepoRoot(t)
	r := &release{version: "1.2.0", root: root, out: t.TempDir(), time: at}
	if err := r.chart(); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "tar", "-xzf", filepath.Join(r.out, "windie-chart-1.2.0.tgz"), "-C", r.out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	head, err := os.ReadFile(filepath.Join(r.out, "windie", "Chart.yaml"))
	if err != nil || !strings.Contains(string(head), "\nversion: 1.2.0\nappVersion: 1.2.0\n") {
		t.Errorf("%v: the chart has another version:\n%s", err, head)
	}
	for _, name := range []string{"values.yaml", "values.schema.json", "templates/statefulset.yaml", "templates/_helpers.tpl", "templates/NOTES.txt"} {
		want, err := os.ReadFile(filepath.Join(root, "examples/deploy/helm/windie", name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(r.out, "windie", name)); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v, or its content differs", name, err)
		}
	}
}
