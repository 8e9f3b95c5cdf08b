package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The formula has the archive of each platform that Homebrew runs on, with its checksum.
func TestFormula(t *testing.T) {
	t.Parallel()
	r := &release{version: "1.2.0", out: t.TempDir(), time: at}
	var programs []program
	for name := range strings.SplitSeq(platforms, ",") {
		system, arch, _ := strings.Cut(name, "/")
		p := program{os: system, arch: arch, title: "windie-1.2.0-" + system + "-" + arch}
		programs = append(programs, p)
		if err := os.WriteFile(filepath.Join(r.out, p.title+".tar.gz"), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.formula(programs); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(r.out, "windie.rb")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for platform, block := range map[string]string{"darwin/arm64": "on_arm", "darwin/amd64": "on_intel", "linux/arm64": "on_arm", "linux/amd64": "on_intel"} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			want := fmt.Sprintf("    %s do\n      url \"%s/releases/download/v1.2.0/windie-1.2.0-%s.tar.gz\"\n      sha256 \"%x\"\n    end\n",
				block, homepage, strings.ReplaceAll(platform, "/", "-"), sha256.Sum256([]byte(platform)))
			_, after, _ := strings.Cut(string(text), map[bool]string{true: "  on_macos do\n", false: "  on_linux do\n"}[strings.HasPrefix(platform, "darwin")])
			if block, _, _ := strings.Cut(after, "\n  end\n"); !strings.Contains(block+"\n", want) {
				t.Errorf("the formula lacks\n%s\nit has\n%s", want, text)
			}
		})
	}
	if strings.Contains(string(text), "windows") {
		t.Error("the formula has an archive for Windows")
	}
	if ruby, err := exec.LookPath("ruby"); err == nil {
		if out, err := exec.CommandContext(t.Context(), ruby, "-c", file).CombinedOutput(); err != nil {
			t.Errorf("ruby -c: %v\n%s", err, out)
		}
	} else {
		wantBalanced(t, string(text))
	}
}

// wantBalanced checks, where ruby is missing, that each block of a formula ends.
func wantBalanced(t *testing.T, text string) {
	t.Helper()
	depth := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "class "), strings.HasPrefix(line, "def "), strings.HasSuffix(line, " do"):
			depth++
		case line == "end":
			depth--
		}
		if depth < 0 || strings.Count(line, `"`)%2 != 0 {
			t.Fatalf("the formula is invalid at %q", line)
		}
	}
	if depth != 0 {
		t.Errorf("%d blocks of the formula do not end", depth)
	}
}
