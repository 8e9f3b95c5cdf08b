package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/state/identity"
)

// No secret gets into a bundle: of any setting that is one, of variables, of the URLs of any setting, of MCP servers,
// and in messages of checks that fail.
func TestBundleHasNoSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	environ := []string{"WINDIE_DATA_DIR=" + dir, "WINDIE_LISTEN=127.0.0.1:0"}
	planted := 0
	canary := func() string { planted++; return fmt.Sprintf("canary%03d", planted) }
	for _, s := range settings(new(config)) {
		switch {
		case s.secret() && s.key == "database_url":
			environ = append(environ, s.env+"=postgres://windie:"+canary()+"@127.0.0.1:1/windie?sslmode=disable&sslpassword="+canary())
		case s.secret(): // some must be long
			environ = append(environ, s.env+"="+canary()+strings.Repeat("0", 40))
		case s.value.Kind() == reflect.String && strings.HasSuffix(s.key, "url") && s.key != "public_url" && s.key != "search.url":
			environ = append(environ, s.env+"=http://ada:"+canary()+"@127.0.0.1:1/v1")
		}
	}
	environ = append(environ, "WINDIE_VISION_MODEL=m", "WINDIE_SEARCH_PROVIDER=brave", "WINDIE_S3_ENDPOINT=http://127.0.0.1:1", "WINDIE_S3_BUCKET=bucket", "WINDIE_S3_ACCESS_KEY="+canary(), "WINDIE_OIDC_ISSUER=https://login.example", "WINDIE_OIDC_CLIENT_ID=windie", "WINDIE_OIDC_OPERATORS=staff", "WINDIE_PUBLIC_URL=http://127.0.0.1:8765",
		"WINDIE_SECRET_WEATHER="+canary(), "OPENAI_API_KEY="+canary(), "DATABASE_PASSWORD="+canary(),
		"HTTPS_PROXY=http://proxy:"+canary()+"@127.0.0.1:1")
	mcp := fmt.Sprintf(`{"mcpServers":{"one":{"command":"no-such-program","args":["--token=%s"],"env":{"KEY":%q}},"two":{"url":"https://mcp.example/?k=%s","headers":{"X-Key":%q}}}}`, canary(), canary(), canary(), canary())
	if err := os.WriteFile(filepath.Join(dir, "mcp.json"), []byte(mcp), 0o600); err != nil {
		t.Fatal(err)
	}
	if planted < 18 {
		t.Fatalf("only %d secrets", planted)
	}
	files := bundleOf(t, environ)
	for _, name := range []string{"README.txt", "about.json", "checks.json", "settings.json", "variables.json", "folders.json", "mcp.json", "running.json"} {
		if files[name] == "" {
			t.Errorf("there is no %s", name)
		}
		if strings.HasSuffix(name, ".json") && !json.Valid([]byte(files[name])) {
			t.Errorf("%s is no JSON:\n%s", name, files[name])
		}
	}
	for name, text := range files {
		if at := strings.Index(text, "canary"); at >= 0 {
			t.Errorf("%s has a secret: %.200s", name, text[max(at-100, 0):])
		}
	}
	if !strings.Contains(files["settings.json"], `"operator_token": "[set]"`) || !strings.Contains(files["variables.json"], "WINDIE_SECRET_WEATHER") || !strings.Contains(files["checks.json"], "proxy") {
		t.Errorf("what helps is not in it: %s", files)
	}
}

// bundleOf has doctor write a bundle, and returns its files.
func bundleOf(t *testing.T, environ []string, args ...string) map[string]string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bundle.zip")
	var out, complaint output
	run(t.Context(), append([]string{"doctor", "--bundle", name}, args...), environ, nil, &out, &complaint)
	if !strings.Contains(out.String(), filepath.Base(name)) {
		t.Fatalf("%s%s", out.String(), complaint.String())
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read it: %v, %v", info, err)
	}
	archive, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files := map[string]string{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	return files
}

// Where no gateway answers one who asks it there is a bundle all the same, which says so: then help is needed most.
func TestBundleOfGatewayThatDoesNotRun(t *testing.T) {
	t.Parallel()
	for _, form := range [][]string{nil, {"--json"}} {
		t.Run(fmt.Sprint(form), func(t *testing.T) {
			t.Parallel()
			environ := []string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_LISTEN=127.0.0.1:1"}
			files := bundleOf(t, environ, append([]string{"--running"}, form...)...)
			if !strings.Contains(files["checks.json"], "no gateway answers") {
				t.Errorf("its checks are %.300s", files["checks.json"])
			}
		})
	}
}

// Of a gateway that runs a bundle has what it says, and its figures.
func TestBundleOfRunningGateway(t *testing.T) {
	t.Parallel()
	url := serveForTest(t)
	files := bundleOf(t, []string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_LISTEN=" + strings.TrimPrefix(url, "http://")})
	if !strings.Contains(files["running.json"], `"checks"`) || !strings.Contains(files["metrics.txt"], "windie_build_info") {
		t.Errorf("%.300s\n%.300s", files["running.json"], files["metrics.txt"])
	}
}

// What --fix mends passes afterwards, and what others' programs left a moment ago stays.
func TestDoctorFix(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	key, stale, fresh := filepath.Join(dir, "approval.key"), filepath.Join(dir, "tmp", "backup-1"), filepath.Join(dir, "tmp", "backup-2")
	fixed := func(args ...string) (int, diagnosis) {
		code, out, complaint := windie(t, nil, append([]string{"doctor", "--json", "--listen", "127.0.0.1:0", "--data-dir", dir}, args...)...)
		d, _ := diagnosed(t, out, complaint)
		return code, d
	}
	if code, d := fixed("--fix"); code != 0 || len(d.Fixed) != 1 || !strings.Contains(d.Fixed[0], "created the folder") {
		t.Errorf("%d, %+v", code, d)
	}
	if _, err := identity.LocalKey(key, nil); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-staleAfter - time.Hour)
	for _, err := range []error{os.Chmod(key, 0o644), os.Mkdir(stale, 0o700), os.Mkdir(fresh, 0o700), os.Chtimes(stale, old, old)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if code, _ := fixed(); code != exitFailed {
		t.Errorf("before: %d", code)
	}
	code, d := fixed("--fix")
	if code != 0 || len(d.Fixed) != 2 {
		t.Errorf("%d, %+v", code, d)
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("%s is there: %v", stale, err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(key, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, d := fixed("--fix"); code != 0 || len(d.Fixed) != 1 || !strings.Contains(d.Fixed[0], "contained no key") {
		t.Errorf("%d, %+v", code, d)
	}
	if code, d := fixed("--fix"); code != 0 || len(d.Fixed) != 0 {
		t.Errorf("again: %d, %+v", code, d)
	}
}

// A gateway that begins removes what calls of a gateway that was killed left, once no call can still be at it.
func TestServeRemovesLeftovers(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	stale, fresh := filepath.Join(data, "tmp", "windie-call-1"), filepath.Join(data, "tmp", "windie-call-2")
	old := time.Now().Add(-staleAfter - time.Hour)
	for _, err := range []error{os.MkdirAll(filepath.Join(stale, "sub"), 0o700), os.Mkdir(fresh, 0o700), os.Chtimes(stale, old, old)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	serveForTest(t, "WINDIE_DATA_DIR="+data)
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("%s is there: %v", stale, err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error(err)
	}
}
