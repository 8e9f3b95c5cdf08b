//go:build system

package deploy_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// A gateway of compose.cluster.yaml finds what another one of it remembers, keeps and has as plugins: it does not
// matter which is asked. That holds for those of examples/deploy/kubernetes too, whose settings are the same.
func TestClusterShares(t *testing.T) {
	t.Parallel()
	bucket, database, shared := testkit.S3(t), pgtest.Start(t), t.TempDir()
	var gateways [2]string
	var environ []string
	for i, name := range []string{"windie", "windie-2"} {
		environ = composed(t, name)
		for j, variable := range environ {
			key, value, _ := strings.Cut(variable, "=")
			environ[j] = key + "=" + strings.Replace(value, "/shared", shared, 1)
		}
		environ = append(environ, "WINDIE_DATABASE_URL="+database, "WINDIE_S3_ENDPOINT="+bucket.Endpoint, "WINDIE_S3_BUCKET="+bucket.Bucket,
			"WINDIE_S3_ACCESS_KEY="+bucket.AccessKey, "WINDIE_S3_SECRET_KEY="+bucket.SecretKey)
		gateways[i] = rig.Serve(t, environ...)
	}
	var complaint bytes.Buffer
	if code := rig.Run(t.Context(), []string{"memory", "write", "--user", "ada", "The heron nests by the weir."}, append(environ, "WINDIE_DATA_DIR="+t.TempDir()), nil, io.Discard, &complaint); code != 0 {
		t.Fatal(complaint.String())
	}
	stored := rig.Upload(t, gateways[0])
	if err := os.WriteFile(filepath.Join(shared, "plugins", "parrot.wasm"), wasmtest.Echo(), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, gateway := range gateways {
		t.Run(fmt.Sprint("gateway ", i+1), func(t *testing.T) {
			found := rig.Invoke(t, gateway, "memory.search", `{"query":"heron"}`)
			if !strings.Contains(found, "nests by the weir") {
				t.Errorf("what was remembered is not found: %s", found)
			}
			testkit.Eventually(t, "the plugin answers", func() (string, bool) {
				said := rig.Invoke(t, gateway, "parrot.echo", `{"word":"polly"}`)
				return said, strings.Contains(said, "polly")
			})
			resp, err := http.Get(gateway + "/api/artifacts/" + stored) //nolint:noctx // it is on this machine
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("the artifact: %s", resp.Status)
			}
		})
	}
}

// composed returns the variables of a service of compose.cluster.yaml.
func composed(t *testing.T, service string) (environ []string) {
	t.Helper()
	text, err := os.ReadFile("../../../../compose.cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct{ Environment map[string]string }
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, key := range slices.Sorted(maps.Keys(file.Services[service].Environment)) {
		environ = append(environ, key+"="+file.Services[service].Environment[key])
	}
	return environ
}

// The settings of several.yaml that say what is shared are those of compose.cluster.yaml.
func TestKubernetesSharesAsCompose(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../examples/deploy/kubernetes/several.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, variable := range composed(t, "windie") {
		if key, value, _ := strings.Cut(variable, "="); strings.HasPrefix(value, "/shared") && !strings.Contains(string(text), "{name: "+key+", value: "+value+"}") {
			t.Errorf("several.yaml has no %s with %s", key, value)
		}
	}
	code, settings, complaint := rig.Windie(t, nil, "config")
	if code != 0 {
		t.Fatal(code, complaint)
	}
	for _, name := range []string{"one.yaml", "several.yaml"} {
		text, err := os.ReadFile("../../../../examples/deploy/kubernetes/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`name: (WINDIE_\w+)`).FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(settings, "(env "+m[1]+")") {
				t.Errorf("%s sets %s, which is no setting", name, m[1])
			}
		}
	}
}

// Every image of others has a digest, and pins.sh writes those that a registry has.
func TestPins(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("skopeo"); err != nil {
		testkit.Skip(t, "skopeo", "your system's package skopeo, or make deps-system")
	}
	root, host := t.TempDir(), rig.Registry(t)
	for _, name := range []string{"Dockerfile", "compose.yaml", "compose.cluster.yaml", "scripts/pins.sh", "scripts/lib.sh"} {
		copyFile(t, filepath.Join("../../../..", name), filepath.Join(root, name))
	}
	pins := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(root, "scripts/pins.sh"), args...)
		cmd.Env = append(os.Environ(), "PINS_MIRROR="+host, "PINS_INSECURE=true")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	listed, err := pins("list")
	if err != nil || strings.Count(listed, "@")+strings.Count(listed, " sha256:") != 4 || strings.Count(listed, "\n") != 4 {
		t.Fatalf("%v: these are not four images with a digest each:\n%s", err, listed)
	}
	for line := range strings.Lines(listed) {
		image, _, _ := strings.Cut(line, " ")
		name, tag, _ := strings.Cut(image, ":")
		put(t, "http://"+host+"/v2/"+name+"/manifests/"+tag, `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[],"annotations":{"of":"`+name+`"}}`)
	}
	if out, err := pins("check"); err == nil || strings.Count(out, "and the registry has sha256:") != 4 {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := pins(); err != nil || strings.Count(out, "now sha256:") != 4 {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := pins("check"); err != nil || strings.Count(out, "as pinned") != 4 {
		t.Errorf("%v\n%s", err, out)
	}
}

// put sends the manifest of a list of images to a registry.
func put(t *testing.T, url, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/vnd.oci.image.index.v1+json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("%s: %s", url, resp.Status)
	}
}

// copyFile copies a file with its mode.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o700)
	}
	if err == nil {
		err = os.WriteFile(to, text, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}
