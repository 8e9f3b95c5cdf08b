//go:build system

package upgrade_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
)

// settingsFile is the file of settings that a package installs, and note a line that the later version adds to it.
const (
	settingsFile = "/etc/windie/windie.yaml"
	note         = "# A note of the later version."
)

// A user installs a package, edits its settings, starts the gateway, stores something, and upgrades the package: the gateway goes
// on with the settings and all that was stored. Removing the package leaves both.
// It runs with WINDIE_UPGRADE=1, as by make test-system PART=upgrade: it builds two versions.
func TestPackageUpgrade(t *testing.T) {
	if os.Getenv("WINDIE_UPGRADE") == "" {
		t.Skip("make test-system PART=upgrade runs it: it builds two versions")
	}
	t.Setenv("PATH", filepath.Join(testkit.RepoRoot(t), ".tools", "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	dist := t.TempDir()
	source := cloned(t)
	release(t, source, "v0.1.0", dist)
	noted(t, source)
	release(t, source, "v0.1.1", dist)
	title := func(version string) string { return "windie-" + version + "-linux-" + runtime.GOARCH }
	for kind, k := range packageKinds {
		t.Run(kind, func(t *testing.T) {
			m := k.machine(t, dist)
			before, after := filepath.Join(m.dist, title("0.1.0")+"."+kind), filepath.Join(m.dist, title("0.1.1")+"."+kind)
			m.sh(m.install + " " + before)
			listen := freeAddress(t)
			m.sh("echo 'listen: " + listen + "' >>$ROOT" + settingsFile)
			began := time.Now()
			stop := m.serve(listen)
			t.Logf("version 0.1.0 is ready %v after its start", time.Since(began).Round(time.Millisecond))
			stored := fillMachine(t, m, "http://"+listen)
			stop()
			m.sh(m.install + " " + after)
			if said := m.sh("$ROOT/usr/bin/windie version"); said != "windie v0.1.1\n" {
				t.Fatalf("the upgrade installed %q", said)
			}
			if settings := m.sh("cat $ROOT" + settingsFile); !strings.Contains(settings, "listen: "+listen) || strings.Contains(settings, note) {
				t.Errorf("the upgrade changed the settings:\n%s", settings)
			}
			if fresh := m.sh("cat $ROOT" + settingsFile + k.beside); !strings.Contains(fresh, note) {
				t.Errorf("the settings of the later version are not beside the user's:\n%s", fresh)
			}
			stop = m.serve(listen)
			stored.want(t, "http://"+listen)
			stop()
			m.sh(m.remove)
			m.sh("[ ! -e $ROOT/usr/bin/windie ] && [ -s $ROOT/var/lib/windie/windie.db ]")
			if settings := m.sh("cat $ROOT" + settingsFile + "*"); !strings.Contains(settings, "listen: "+listen) {
				t.Errorf("removing the package removed the settings:\n%s", settings)
			}
		})
	}
}

// cloned returns a clone of the last commit with what a release needs besides.
func cloned(t *testing.T) string {
	t.Helper()
	root, source := testkit.RepoRoot(t), filepath.Join(t.TempDir(), "source")
	page := "gateway/docs/assets/scalar.js"
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		testkit.Skip(t, "the script of the API page", "make deps")
	}
	output(t, root, "git", "clone", "--quiet", root, source)
	if err := os.WriteFile(filepath.Join(source, page), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return source
}

// noted adds the note to the settings that packages of a clone install, and commits it.
func noted(t *testing.T, source string) {
	t.Helper()
	output(t, source, "sh", "-c", "echo '"+note+"' >>examples/deploy/windie.yaml")
	output(t, source, "git", "-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "--all", "--message", "deploy: a note")
}

// release moves the packages of a version of a clone to a folder.
func release(t *testing.T, source, version, to string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "dist")
	output(t, source, "go", "run", "./cmd/dist", "-platforms", "linux/"+runtime.GOARCH, version, out)
	for kind := range packageKinds {
		output(t, source, "sh", "-c", "mv "+filepath.Join(out, "*."+kind)+" "+to)
	}
	_ = os.RemoveAll(out) // the archives are large
}

// output runs a program in a folder, which must succeed, and returns what it prints.
func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// machine is a place where packages are installed. $ROOT is the folder that is its root; empty in a container.
type machine struct {
	t               *testing.T
	command         []string // runs a shell there
	dist            string   // folder of the packages, as seen there
	install, remove string
}

// packageKinds have for each kind of package where it is installed, and the ending of new settings beside those of the user.
var packageKinds = map[string]struct {
	beside  string
	machine func(t *testing.T, dist string) machine
}{
	"deb": {".dpkg-dist", func(t *testing.T, dist string) machine {
		m := container(t, "debian:bookworm-slim", dist)
		m.install, m.remove = "DEBIAN_FRONTEND=noninteractive dpkg --force-confold --install", "dpkg --remove windie"
		return m
	}},
	"rpm": {".rpmnew", func(t *testing.T, dist string) machine {
		if image := os.Getenv("WINDIE_RPM_IMAGE"); image != "" {
			m := container(t, image, dist)
			m.install, m.remove = "rpm --upgrade --nodeps", "rpm --erase windie"
			return m
		}
		return folder(t, dist)
	}},
}

// container starts a container of an image, in which nothing runs, until the test ends. IMAGE_ENGINE and IMAGE_RUN are as in
// scripts/image-engine.sh.
func container(t *testing.T, image, dist string) machine {
	t.Helper()
	engine := strings.Fields(os.Getenv("IMAGE_ENGINE"))
	for _, name := range []string{"docker", "podman"} {
		if len(engine) == 0 && exec.CommandContext(t.Context(), name, "info").Run() == nil {
			engine = []string{name}
		}
	}
	if len(engine) == 0 {
		t.Skip("NOT TESTED, for lack of a container engine")
	}
	run := func(ctx context.Context, args ...string) ([]byte, error) {
		return exec.CommandContext(ctx, engine[0], append(engine[1:len(engine):len(engine)], args...)...).CombinedOutput()
	}
	if _, err := run(t.Context(), "image", "inspect", image); err != nil {
		if _, err := run(t.Context(), "pull", image); err != nil {
			t.Skip("NOT TESTED, as the image is not here and cannot be fetched: " + image)
		}
	}
	name := fmt.Sprintf("windie-upgrade-%d", time.Now().UnixNano())
	args := append([]string{"run", "--detach", "--rm", "--name", name, "--network", "host", "--volume", dist + ":/dist:ro"}, strings.Fields(os.Getenv("IMAGE_RUN"))...)
	if out, err := run(t.Context(), append(args, image, "sleep", "900")...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Cleanup(func() { _, _ = run(context.Background(), "rm", "--force", name) })
	return machine{t: t, command: append(engine, "exec", "--env", "ROOT=", name, "sh", "-euc"), dist: "/dist"}
}

// folder is a machine without a system: rpm installs into a folder, without the scripts of packages.
func folder(t *testing.T, dist string) machine {
	t.Helper()
	if _, err := exec.LookPath("rpm"); err != nil {
		testkit.Skip(t, "rpm", "make deps")
	}
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: rpm installs into a folder for root alone; WINDIE_RPM_IMAGE names an image to install it in")
	}
	root := t.TempDir()
	return machine{t: t, command: []string{"env", "ROOT=" + root, "sh", "-euc"}, dist: dist,
		install: "rpm --root $ROOT --nodeps --noscripts --upgrade", remove: "rpm --root $ROOT --noscripts --erase windie"}
}

// sh runs a command of the shell, which must succeed, and returns what it prints.
func (m machine) sh(command string) string {
	m.t.Helper()
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(m.t.Context(), m.command[0], append(m.command[1:len(m.command):len(m.command)], command)...)
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		m.t.Fatalf("%s: %v\n%s%s", command, err, out.String(), complaint.String())
	}
	return out.String()
}

// started is the command of the unit of systemd, with the machine's root before each path.
const started = `$(sed -n 's/^ExecStart=//p' $ROOT/usr/lib/systemd/system/windie.service | sed "s| /| $ROOT/|g; s|^|$ROOT|")`

// ended reports whether a process has ended. In a container nobody may take its exit code, and it stays as a zombie.
const ended = "{ [ ! -e /proc/$pid ] || grep -q '^State:.Z' /proc/$pid/status; }"

// serve starts the gateway by the command of its unit, and returns what stops it.
func (m machine) serve(listen string) (stop func()) {
	m.t.Helper()
	m.sh("mkdir -p $ROOT/tmp; " + started + " >>$ROOT/tmp/log 2>&1 </dev/null & echo $! >$ROOT/tmp/pid")
	testkit.EventuallyWithin(m.t, time.Minute, "the gateway is ready", func() (string, bool) {
		resp, err := http.Get("http://" + listen + "/ready") //nolint:noctx // it is on this machine
		if err == nil {
			_ = resp.Body.Close()
		}
		return m.sh("tail -n 5 $ROOT/tmp/log"), err == nil && resp.StatusCode == http.StatusOK
	})
	return func() {
		m.t.Helper()
		m.sh("pid=$(cat $ROOT/tmp/pid); kill $pid; for i in $(seq 500); do " + ended + " && exit 0; sleep 0.1; done; exit 1")
	}
}

// machineStored is what a gateway has stored.
type machineStored struct{ artifact, conversation string }

// fillMachine lets a gateway store an artifact, memory and a turn.
func fillMachine(t *testing.T, m machine, url string) machineStored {
	t.Helper()
	var created struct {
		Result struct{ ID string }
	}
	said := rig.Invoke(t, url, "conversation.create", `{}`)
	if err := json.Unmarshal([]byte(said), &created); err != nil || created.Result.ID == "" {
		t.Fatalf("%v: no conversation: %s", err, said)
	}
	rig.Post(t, url+"/api/prompt", `{"input":"run tools_list {}","conversationId":"`+created.Result.ID+`"}`)
	m.sh("$ROOT/usr/bin/windie memory write --config $ROOT" + settingsFile + " --data-dir $ROOT/var/lib/windie --user ada 'The heron nests by the weir.'")
	stored := machineStored{rig.Upload(t, url), created.Result.ID}
	stored.want(t, url)
	return stored
}

// want asks a gateway for all that was stored.
func (s machineStored) want(t *testing.T, url string) {
	t.Helper()
	picture, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "examples", "click-target", "screen.png"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(url + "/api/artifacts/" + s.artifact) //nolint:noctx // it is on this machine
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(got, picture) {
		t.Errorf("the artifact: %s, %d bytes, %v", resp.Status, len(got), err)
	}
	if found := rig.Invoke(t, url, "memory.search", `{"query":"heron"}`); !strings.Contains(found, "nests by the weir") {
		t.Errorf("what was remembered is not found: %s", found)
	}
	if said := rig.Invoke(t, url, "conversation.get", `{"conversationId":"`+s.conversation+`"}`); !strings.Contains(said, "run tools_list") {
		t.Errorf("the turn is not in the conversation: %s", said)
	}
}

// freeAddress returns an address of this machine on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
