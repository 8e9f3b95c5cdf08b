package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// unpack is what reads a package of each kind back into the folder where it runs.
var unpack = map[string]struct {
	programs []string
	script   string
}{
	"deb": {[]string{"dpkg-deb"}, `dpkg-deb --extract "$1" . && [ "$(dpkg-deb --field "$1" Version)" = 1.2.0-1 ] && dpkg-deb --info "$1" conffiles`},
	"rpm": {[]string{"rpm", "rpm2cpio", "cpio"}, `rpm -K --nosignature "$1" && [ "$(rpm -qp --queryformat '%{VERSION}-%{RELEASE} %{OS}' "$1")" = "1.2.0-1 linux" ] &&
		rpm -qpc "$1" && rpm2cpio "$1" | cpio --quiet --no-absolute-filenames -id`},
}

// Packages hold the program, its unit and its settings, as the programs of distributions find them, and those made in
// another folder are the same.
func TestPackages(t *testing.T) {
	root := testkit.RepoRoot(t)
	t.Setenv("PATH", filepath.Join(root, ".tools", "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	needs(t, "nfpm")
	first, second := packed(t, root), packed(t, root)
	for kind, reader := range unpack {
		t.Run(kind, func(t *testing.T) {
			for _, program := range append(reader.programs, "bash") {
				needs(t, program)
			}
			if name := "windie." + kind; len(first[name]) == 0 || !bytes.Equal(first[name], second[name]) {
				t.Errorf("the packages of two folders differ: %d and %d bytes", len(first[name]), len(second[name]))
			}
			dir := t.TempDir()
			file := filepath.Join(dir, "package")
			if err := os.WriteFile(file, first["windie."+kind], 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "bash", "-euc", reader.script, "unpack", file)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil || !bytes.Contains(out, []byte("/etc/windie/windie.yaml\n")) {
				t.Fatalf("%v; the settings are no file that an upgrade leaves as it is:\n%s", err, out)
			}
			for from, to := range map[string]string{
				"LICENSE": "usr/bin/windie", "examples/deploy/windie.service": "usr/lib/systemd/system/windie.service",
				"examples/deploy/windie.yaml": "etc/windie/windie.yaml",
			} {
				t.Run(to, func(t *testing.T) {
					want, err := os.ReadFile(filepath.Join(root, from))
					if err != nil {
						t.Fatal(err)
					}
					if got, err := os.ReadFile(filepath.Join(dir, to)); err != nil || !bytes.Equal(got, want) {
						t.Errorf("%s is not %s: %v", to, from, err)
					}
				})
			}
			if info, err := os.Stat(filepath.Join(dir, "usr/bin/windie")); err != nil || info.Mode().Perm() != 0o755 {
				t.Errorf("the program: %v, %v", info, err)
			}
			if _, err := os.Stat(filepath.Join(dir, "usr/share/man/man1/windie.1.gz")); err != nil {
				t.Error(err)
			}
		})
	}
}

// packed makes the packages of a file that stands for the program, and returns them by their names.
func packed(t *testing.T, root string) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	r := release{version: "1.2.0", root: root, out: filepath.Join(dir, "out"), work: filepath.Join(dir, "work"), time: at}
	file := filepath.Join(dir, "windie")
	text, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{r.out, r.work} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p := program{os: "linux", arch: "amd64", file: file, title: "windie", release: "1.2.0"}
	if err := r.packages(t.Context(), p, extras); err != nil {
		t.Fatal(err)
	}
	made := map[string][]byte{}
	for kind := range unpack {
		if made["windie."+kind], err = os.ReadFile(filepath.Join(r.out, "windie."+kind)); err != nil {
			t.Fatal(err)
		}
	}
	return made
}

// needs skips the test where a program is missing.
func needs(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		testkit.Skip(t, name, "make deps")
	}
}

// Where nothing is installed to pack the clients with, the script says what is missing and what installs it.
func TestPackagesWithoutTools(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "scripts"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"packages.sh", "lib.sh"} {
		text, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "scripts", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "scripts", name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, only := range []string{"", "typescript", "python"} {
		t.Run("of "+only, func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), "bash", filepath.Join(dir, "scripts", "packages.sh"), "v1.2.0", t.TempDir(), only).CombinedOutput()
			if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) || failed.ExitCode() != 1 || !bytes.Contains(out, []byte("run make deps")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
