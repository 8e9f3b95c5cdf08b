//go:build system

package deploy_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
)

// chart is the Helm chart.
const chart = deployed + "/helm/windie"

// manifest is what tests read of a manifest.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Replicas             int
		ServiceName          string
		PodManagementPolicy  string
		Ports                any
		MinAvailable         any
		AccessModes          any
		Resources            any
		Rules, Ingress       any
		Egress               any
		Endpoints            []map[string]any
		Template             struct{ Spec pod }
		VolumeClaimTemplates any
	}
}

// pod is the part of a pod that the chart and the manifests share.
type pod struct {
	Automount      *bool  `yaml:"automountServiceAccountToken"`
	ServiceLinks   *bool  `yaml:"enableServiceLinks"`
	Grace          int    `yaml:"terminationGracePeriodSeconds"`
	Security       any    `yaml:"securityContext"`
	ServiceAccount string `yaml:"serviceAccountName"`
	Volumes        any
	Containers     []container
}

type container struct {
	Image        string
	Ports        any
	Env          []map[string]any
	Liveness     any `yaml:"livenessProbe"`
	Readiness    any `yaml:"readinessProbe"`
	Startup      any `yaml:"startupProbe"`
	Resources    any
	Security     map[string]any `yaml:"securityContext"`
	VolumeMounts any            `yaml:"volumeMounts"`
}

// helm runs helm, and returns what it prints.
func helm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	program := filepath.Join(testkit.RepoRoot(t), ".tools", "bin", "helm")
	if _, err := os.Stat(program); err != nil {
		if program, err = exec.LookPath("helm"); err != nil {
			testkit.Skip(t, "helm", "make deps-system")
		}
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), "HELM_CACHE_HOME="+t.TempDir(), "HELM_CONFIG_HOME="+t.TempDir(), "HELM_DATA_HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// rendered renders the chart with a file of testdata/chart.
func rendered(t *testing.T, values string) string {
	t.Helper()
	text, err := helm(t, "template", "windie", chart, "--namespace", "agents", "--values", "testdata/chart/"+values+".yaml")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return text
}

// manifestsOf reads the manifests of a text by their kinds.
func manifestsOf(t *testing.T, text string) map[string]manifest {
	t.Helper()
	all, in := map[string]manifest{}, yaml.NewDecoder(strings.NewReader(text))
	for {
		var m manifest
		err := in.Decode(&m)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		all[m.Kind] = m
	}
}

// wantTyped decodes manifests into the types of Kubernetes' API.
func wantTyped(t *testing.T, text string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir, cmd.Stdin = "testdata/manifests", strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The chart passes the linter with each set of values. What it makes has the types of Kubernetes' API, sets only variables that
// the gateway knows, and gives a pod no rights.
func TestChart(t *testing.T) {
	t.Parallel()
	code, settings, complaint := rig.Windie(t, nil, "config")
	if code != 0 {
		t.Fatal(code, complaint)
	}
	for values, kinds := range map[string][]string{
		"one":     {"Service", "StatefulSet"},
		"bare":    {"Service", "StatefulSet"},
		"several": {"PersistentVolumeClaim", "PodDisruptionBudget", "Service", "StatefulSet"},
		"all":     {"Ingress", "NetworkPolicy", "PodDisruptionBudget", "Service", "ServiceAccount", "ServiceMonitor", "StatefulSet"},
	} {
		t.Run(values, func(t *testing.T) {
			t.Parallel()
			if out, err := helm(t, "lint", "--strict", chart, "--values", "testdata/chart/"+values+".yaml"); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			text := rendered(t, values)
			wantTyped(t, text)
			all := manifestsOf(t, text)
			var got []string
			for kind := range all {
				got = append(got, kind)
			}
			if slices.Sort(got); !slices.Equal(got, kinds) {
				t.Errorf("it has %q, want %q", got, kinds)
			}
			gateway := all["StatefulSet"].Spec.Template.Spec.Containers[0]
			for name := range variables(t, gateway) {
				if !strings.Contains(settings, "(env "+name+")") {
					t.Errorf("it sets %s, which is no setting", name)
				}
			}
			wantNoRights(t, all["StatefulSet"].Spec.Template.Spec)
		})
	}
}

// wantNoRights checks that a pod runs as another user than root, without capabilities, and writes only to volumes.
func wantNoRights(t *testing.T, p pod) {
	t.Helper()
	security, _ := p.Security.(map[string]any)
	if security["runAsNonRoot"] != true || !reflect.DeepEqual(security["seccompProfile"], map[string]any{"type": "RuntimeDefault"}) {
		t.Errorf("the pod may be root, or has no seccomp profile: %v", security)
	}
	if p.Automount == nil || *p.Automount {
		t.Error("the pod has a token of Kubernetes")
	}
	want := map[string]any{"readOnlyRootFilesystem": true, "allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []any{"ALL"}}}
	if got := p.Containers[0].Security; !reflect.DeepEqual(got, want) {
		t.Errorf("the container has %v, want %v", got, want)
	}
}

// variables returns the variables of a container, each with its value or the secret that has it. A variable that is there twice
// is an error.
func variables(t *testing.T, c container) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, entry := range c.Env {
		name, _ := entry["name"].(string)
		if _, twice := all[name]; twice {
			t.Errorf("%s is set twice", name)
		}
		delete(entry, "name")
		text, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	return all
}

// The chart says the same as the manifests: variables, probes, ports, volumes, security, resources.
func TestChartSaysAsManifests(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"one", "several"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := os.ReadFile(filepath.Join(deployed, "kubernetes", name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			wantTyped(t, string(file))
			want, got := manifestsOf(t, string(file)), manifestsOf(t, rendered(t, name))
			for kind, m := range want {
				other, ok := got[kind]
				if !ok {
					t.Errorf("the chart has no %s", kind)
				}
				wantSame(t, kind, alike(t, other), alike(t, m))
			}
			for kind := range got {
				if _, ok := want[kind]; !ok {
					t.Errorf("%s.yaml has no %s", name, kind)
				}
			}
		})
	}
}

// alike returns a manifest without what may differ: the image, the name of the account, and the order of variables.
func alike(t *testing.T, m manifest) map[string]any {
	t.Helper()
	fields := map[string]any{}
	for _, c := range m.Spec.Template.Spec.Containers {
		fields["variables"] = variables(t, c)
		c.Image, c.Env = "", nil
		fields["container"] = c
	}
	m.Spec.Template.Spec.Containers, m.Spec.Template.Spec.ServiceAccount = nil, ""
	fields["rest"] = m
	return fields
}

// wantSame compares two manifests as text, field by field.
func wantSame(t *testing.T, kind string, got, want map[string]any) {
	t.Helper()
	for field := range want {
		g, err := yaml.Marshal(got[field])
		if err != nil {
			t.Fatal(err)
		}
		w, err := yaml.Marshal(want[field])
		if err != nil {
			t.Fatal(err)
		}
		if string(g) != string(w) {
			t.Errorf("the %s of %s: the chart has\n%s\nthe manifest has\n%s", field, kind, g, w)
		}
	}
}

// Everything that values.yaml can switch on reaches the manifests.
func TestChartWithEverything(t *testing.T) {
	t.Parallel()
	text := rendered(t, "all")
	all := manifestsOf(t, text)
	set := variables(t, all["StatefulSet"].Spec.Template.Spec.Containers[0])
	for name, want := range map[string]string{
		"WINDIE_PUBLIC_URL":         `{"value":"https://agents.example.com:8443"}`,
		"WINDIE_OPERATOR_TOKEN":     `{"valueFrom":{"secretKeyRef":{"key":"token","name":"operator"}}}`,
		"WINDIE_DATABASE_URL":       `{"valueFrom":{"secretKeyRef":{"key":"uri","name":"postgres"}}}`,
		"WINDIE_S3_ACCESS_KEY":      `{"valueFrom":{"secretKeyRef":{"key":"id","name":"s3"}}}`,
		"WINDIE_S3_SECRET_KEY":      `{"valueFrom":{"secretKeyRef":{"key":"secret","name":"s3"}}}`,
		"WINDIE_S3_PREFIX":          `{"value":"windie/"}`,
		"WINDIE_SHARED_DIR":         `{"value":"/shared"}`,
		"WINDIE_OIDC_CLIENT_SECRET": `{"valueFrom":{"secretKeyRef":{"key":"client-secret","name":"login"}}}`,
		"WINDIE_OIDC_SCOPES":        `{"value":"profile,groups"}`,
		"WINDIE_OIDC_OPERATORS":     `{"value":"staff,admins"}`,
		"WINDIE_OIDC_USER_CLAIM":    `{"value":"windie_user"}`,
		"WINDIE_TRUSTED_PROXIES":    `{"value":"10.0.0.0/8"}`,
	} {
		if set[name] != want {
			t.Errorf("%s is %s, want %s", name, set[name], want)
		}
	}
	for _, line := range []string{
		`image: "images.example/windie:v1.2.0"`, "claimName: notes", `host: "agents.example.com"`, "secretName: windie-tls", "ingressClassName: nginx",
		"minAvailable: 50%", "storageClassName: fast", "serviceAccountName: windie", "priorityClassName: high", "port: 5432", "port: 53",
		"type: LoadBalancer", "interval: 15s", "name: providers", "mountPath: /models", "key: agents", "replacement: windie", "helm.sh/resource-policy",
	} {
		if found := strings.Contains(text, line); found != (line != "helm.sh/resource-policy") {
			t.Errorf("%q in the manifests: %t", line, found)
		}
	}
}

// Values that cannot work are refused in a sentence that says what to set.
func TestChartRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ set, want string }{
		"several without anything":   {"replicas=2", "several gateways need PostgreSQL and S3; set database.secret, s3.endpoint, s3.bucket and s3.secret, or set replicas to 1"},
		"several without a bucket":   {"replicas=2,database.secret=windie", "several gateways need PostgreSQL and S3"},
		"several without PostgreSQL": {"replicas=2,s3.bucket=windie,s3.endpoint=https://s3.example.com,s3.secret=windie", "several gateways need PostgreSQL and S3"},
		"a bucket alone":             {"s3.bucket=windie", "s3.bucket needs s3.endpoint and s3.secret"},
		"a server without bucket":    {"s3.endpoint=https://s3.example.com", "s3.endpoint needs s3.bucket"},
		"a provider alone":           {"oidc.issuer=https://login.example.com", "oidc.issuer needs oidc.clientID and oidc.secret"},
		"nobody can sign in":         {"oidc.issuer=https://login.example.com,oidc.clientID=windie,oidc.secret=windie", "without both, nobody can sign in"},
		"an unknown value":           {"replica=2", "'replica' not allowed"},
		"a URL without a scheme":     {"publicURL=windie.example.com", "'windie.example.com' does not match pattern"},
		"no secret":                  {"operatorToken.secret=", "minLength"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, err := helm(t, "template", "windie", chart, "--set", c.set); err == nil || !strings.Contains(out, c.want) {
				t.Errorf("%v, want %q in\n%s", err, c.want, out)
			}
		})
	}
}
