package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// wheelOf returns the wheel of the program for this machine in a folder.
func wheelOf(t *testing.T, out string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(out, "windie-1.2.0-py3-none-*.whl"))
	if err != nil || len(list) != 1 {
		t.Fatalf("%q, %v: this is not one wheel", list, err)
	}
	return list[0]
}

// The wheel, installed from its file into an empty environment, runs the program.
func TestWheelRuns(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	out, _ := launched(t)
	dir := t.TempDir()
	if text, code := ran(t, dir, "python3", "-m", "venv", "venv"); code != 0 {
		testkit.Skip(t, "python3 with venv", "make deps")
		t.Log(text)
	}
	if text, code := ran(t, dir, "venv/bin/python", "-m", "pip", "install", "--no-index", "--disable-pip-version-check", "--no-cache-dir", wheelOf(t, out)); code != 0 {
		t.Fatal(text)
	}
	if text, code := ran(t, dir, filepath.Join(dir, "venv/bin/windie"), "mcp"); text != "ran: mcp\n" || code != 3 {
		t.Errorf("it printed %q and exited with %d, want the program's output and exit code", text, code)
	}
	if text, code := ran(t, dir, "venv/bin/python", "-m", "pip", "show", "--files", "windie"); code != 0 || !strings.Contains(text, "Version: 1.2.0") || !strings.Contains(text, "bin/windie") {
		t.Errorf("pip shows, with %d:\n%s", code, text)
	}
}

// The list of files in a wheel has each file with its checksum and size, and the file names have the platform.
func TestWheelRecord(t *testing.T) {
	t.Parallel()
	out, p := launched(t)
	file, dir := wheelOf(t, out), t.TempDir()
	unzip(t, file, dir)
	list, err := os.Open(filepath.Join(dir, "windie-1.2.0.dist-info", "RECORD"))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	rows, err := csv.NewReader(list).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"windie-1.2.0.data/scripts/windie", "windie-1.2.0.dist-info/METADATA", "windie-1.2.0.dist-info/WHEEL", "windie-1.2.0.dist-info/licenses/LICENSE", "windie-1.2.0.dist-info/RECORD"}
	var got []string
	for _, row := range rows {
		got = append(got, row[0])
		if strings.HasSuffix(row[0], "/RECORD") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, row[0]))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if row[1] != "sha256="+base64.RawURLEncoding.EncodeToString(sum[:]) || row[2] != fmt.Sprint(len(data)) {
			t.Errorf("%q does not match the file", row)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	tags := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "windie-1.2.0-py3-none-"), ".whl")
	text, err := os.ReadFile(filepath.Join(dir, "windie-1.2.0.dist-info", "WHEEL"))
	if err != nil || tags != wheelTags[p.os+"/"+p.arch] || strings.Count(string(text), "\nTag: ") != strings.Count(tags, ".")+1 {
		t.Errorf("%s on %s: %v\n%s", tags, runtime.GOOS, err, text)
	}
}

// Every platform of a release has a wheel.
func TestWheelTags(t *testing.T) {
	t.Parallel()
	for name := range strings.SplitSeq(platforms, ",") {
		if wheelTags[name] == "" {
			t.Errorf("%s has no tag", name)
		}
	}
}

// Versions have Python's spelling, so that installers order them.
func TestPythonVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"1.2.0": "1.2.0", "1.2.0-rc.1": "1.2.0rc1", "1.2.0-alpha.2": "1.2.0a2", "1.2.0-beta.3": "1.2.0b3", "0.0.0-test": "0.0.0+test", "1.0.0-X-1": "1.0.0+x.1",
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			if got := pythonVersion(version); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
