package main

import (
	"archive/zip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// launched writes the launchers of a program for this machine, which prints its arguments, and returns the folder.
func launched(t *testing.T) (out string, p program) {
	t.Helper()
	out = t.TempDir()
	p = program{os: runtime.GOOS, arch: runtime.GOARCH, name: "windie", file: filepath.Join(t.TempDir(), "windie"), title: "windie-1.2.0"}
	if err := os.WriteFile(p.file, []byte("#!/bin/sh\necho \"ran: $*\"\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := &release{version: "1.2.0", out: out, time: at}
	if err := r.launchers([]program{p}, extras); err != nil {
		t.Fatal(err)
	}
	return out, p
}

// ran runs a command in a folder, and returns what it printed and its exit code.
func ran(t *testing.T, dir, name string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "npm_config_offline=true", "npm_config_cache="+t.TempDir(), "npm_config_update_notifier=false")
	text, _ := cmd.CombinedOutput()
	return string(text), cmd.ProcessState.ExitCode()
}

// The packages of npm, installed from their files into an empty folder, run the program.
func TestNPMPackagesRun(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npm"); err != nil {
		testkit.Skip(t, "npm", "nodejs.org")
	}
	out, p := launched(t)
	system, processor := p.nodePlatform()
	dir := t.TempDir()
	if text, code := ran(t, dir, "npm", "install", "--no-audit", "--no-fund", filepath.Join(out, "windie-1.2.0.tgz"),
		filepath.Join(out, "windie-cli-"+system+"-"+processor+"-1.2.0.tgz")); code != 0 {
		t.Fatal(text)
	}
	if text, code := ran(t, dir, "npx", "--no", "windie", "mcp", "--computer"); text != "ran: mcp --computer\n" || code != 3 {
		t.Errorf("it printed %q and exited with %d, want the program's output and exit code", text, code)
	}
	if err := os.RemoveAll(filepath.Join(dir, "node_modules", "@windie")); err != nil {
		t.Fatal(err)
	}
	if text, code := ran(t, dir, "npx", "--no", "windie"); !strings.Contains(text, "is missing; install windie") || code != 1 {
		t.Errorf("without the program it printed %q and exited with %d", text, code)
	}
}

// The program starts from a bundle as its manifest says.
func TestBundleRuns(t *testing.T) {
	t.Parallel()
	out, p := launched(t)
	dir := t.TempDir()
	unzip(t, filepath.Join(out, p.title+".mcpb"), dir)
	var manifest struct {
		Server struct {
			Type       string `json:"type"`
			EntryPoint string `json:"entry_point"`
			Config     struct {
				Command string   `json:"command"`
				Args    []string `json:"args"`
			} `json:"mcp_config"`
		} `json:"server"`
	}
	readJSON(t, filepath.Join(dir, "manifest.json"), &manifest)
	command := strings.ReplaceAll(manifest.Server.Config.Command, "${__dirname}", dir)
	if manifest.Server.Type != "binary" || command != filepath.Join(dir, manifest.Server.EntryPoint) {
		t.Errorf("%+v", manifest)
	}
	if text, code := ran(t, dir, command, manifest.Server.Config.Args...); text != "ran: mcp --computer\n" || code != 3 {
		t.Errorf("it printed %q and exited with %d", text, code)
	}
}

// server.json has the version, and the checksum of each bundle.
func TestServerDescription(t *testing.T) {
	t.Parallel()
	out, p := launched(t)
	var server struct {
		Name, Version string
		Packages      []struct{ RegistryType, Identifier, FileSha256 string }
	}
	readJSON(t, filepath.Join(out, "server.json"), &server)
	sums, err := checksums(out)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile(sums)
	if err != nil {
		t.Fatal(err)
	}
	if server.Name != serverName || server.Version != "1.2.0" || len(server.Packages) != 3 || server.Packages[0].RegistryType != "npm" || server.Packages[1].RegistryType != "pypi" ||
		!strings.Contains(string(lines), server.Packages[2].FileSha256+"  "+p.title+".mcpb\n") || !strings.HasSuffix(server.Packages[2].Identifier, "/v1.2.0/"+p.title+".mcpb") {
		t.Errorf("%+v\n%s", server, lines)
	}
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// unzip unpacks an archive with the modes of its files.
func unzip(t *testing.T, file, dir string) {
	t.Helper()
	in, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for _, f := range in.File {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o700)
		}
		if err == nil {
			err = os.WriteFile(to, data, f.Mode())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
