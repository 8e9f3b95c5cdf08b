package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// doctor runs `windie doctor --json` and returns its checks by name.
func doctor(t *testing.T, args ...string) (code int, d diagnosis, checks map[string]sdkapi.Check) {
	t.Helper()
	code, out, complaint := windie(t, nil, append([]string{"doctor", "--json", "--listen", "127.0.0.1:0"}, args...)...)
	d, checks = diagnosed(t, out, complaint)
	return code, d, checks
}

// diagnosed returns what `windie doctor --json` printed, and its checks by name.
func diagnosed(t *testing.T, out, complaint string) (d diagnosis, checks map[string]sdkapi.Check) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatalf("%v\n%s%s", err, out, complaint)
	}
	checks = map[string]sdkapi.Check{}
	for _, c := range d.Checks {
		checks[c.Name] = c
	}
	return d, checks
}

// Where nothing is missing all checks say so, in a form that programs read.
func TestDoctor(t *testing.T) {
	t.Parallel()
	code, d, checks := doctor(t)
	names := make([]string, len(d.Checks))
	for i, c := range d.Checks {
		names[i] = c.Name
	}
	if got := strings.Join(names, " "); got != "settings data state kept artifacts damage ocr policy approvals oidc oauth models vision memory embeddings runs speech transcription plugins scripts mcp proxies container screen listen clock" {
		t.Errorf("the checks are %s", got)
	}
	for name, c := range checks {
		if !c.OK || c.Message == "" {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if d.Healthy != (code == 0) || d.Version != version {
		t.Errorf("exit code %d, %+v", code, d)
	}
}

// Each thing that can be wrong is found, by the check it belongs to, and comes
// with what to do.
func TestDoctorFinds(t *testing.T) {
	t.Parallel()
	taken := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(taken.Close)
	file := filepath.Join(t.TempDir(), "file")
	rules := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(rules, []byte("- tool: shell_*\n  verdict: never\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shared := func(names ...string) string { // a folder with these files
		dir := t.TempDir()
		for _, name := range names {
			path := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(`{"weather": 7}`), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	grants := filepath.Join(shared("grants.json"), "grants.json")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		check, told string
		args        []string
	}{
		{"settings", "log.level (WINDIE_LOG_LEVEL)", []string{"--log-level", "loud"}},
		{"settings", "data_dir (WINDIE_DATA_DIR): the gateway's user cannot read it", []string{"--data-dir", filepath.Join(file, "below")}},
		{"state", "is damaged or not a database: stop the gateway and restore a backup", []string{"--data-dir", damagedDatabase(t, 0)}},
		{"state", "is damaged or not a database: stop the gateway and restore a backup", []string{"--data-dir", damagedDatabase(t, 8192)}},
		{"state", "start the newer gateway that upgraded it, or restore an older backup", []string{"--data-dir", newerDatabase(t)}},
		{"ocr", "install the package tesseract-ocr-jpn", []string{"--ocr-languages", "jpn", "--ocr-tessdata", t.TempDir()}},
		{"settings", "shared_dir (WINDIE_SHARED_DIR): " + file + " is not a folder", []string{"--shared-dir", file}},
		{"plugins", "correct the file: the gateway cannot start until this error is fixed", []string{"--shared-dir", filepath.Dir(grants)}},
		{"plugins", "grants.json is missing", []string{"--shared-dir", shared("plugins/echo.wasm")}},
		{"plugins", "invalid trust policy for plugins", []string{"--shared-dir", shared("plugin-trust.json")}},
		{"policy", "policy.yaml:2: verdict: expected one of [allow ask deny]", []string{"--agent-policy", rules}},
		{"scripts", "windie tool runtime add", []string{"--plugins-script-runtime", filepath.Join(t.TempDir(), "none.wasm")}},
		{"mcp", "mcpServers: expected an object with the servers by name", []string{"--mcp-file", grants}},
		{"listen", "no gateway answers there; stop the program that listens there", []string{"--listen", strings.TrimPrefix(taken.URL, "http://")}},
		{"settings", "s3.secret_key (WINDIE_S3_SECRET_KEY): is empty", []string{"--s3-endpoint", "http://127.0.0.1:1", "--s3-bucket", "bucket"}},
	} {
		t.Run(tt.check, func(t *testing.T) {
			t.Parallel()
			code, d, checks := doctor(t, tt.args...)
			want := exitFailed
			if tt.check == settingsCheck {
				want = exitUsage
			}
			if c := checks[tt.check]; code != want || d.Healthy || c.OK || !strings.Contains(c.Message, tt.told) {
				t.Errorf("%v: %d, %+v", tt.args, code, c)
			}
		})
	}
}

// Beside the gateway of its data folder the doctor finds nothing wrong with the address; beside another one it does.
func TestDoctorBesideAGateway(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	at := strings.TrimPrefix(serveForTest(t, "WINDIE_DATA_DIR="+data), "http://")
	if code, d, checks := doctor(t, "--listen", at, "--data-dir", data); code != 0 || !checks["listen"].OK || !strings.Contains(checks["listen"].Message, "the gateway answers at "+at) {
		t.Errorf("beside its own: %d, %+v", code, d)
	}
	if code, d, checks := doctor(t, "--listen", at); code != exitFailed || checks["listen"].OK || !strings.Contains(checks["listen"].Message, "uses another data folder") {
		t.Errorf("beside another one: %d, %+v", code, d)
	}
}

// damagedDatabase returns a data folder whose database is overwritten from
// some byte on.
func damagedDatabase(t *testing.T, from int64) (dir string) {
	t.Helper()
	dir = t.TempDir()
	path := filepath.Join(dir, "windie.db")
	db, err := database.Open(t.Context(), database.Config{File: path})
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte(strings.Repeat("damage! ", 2000)), from); err != nil {
		t.Fatal(err)
	}
	return dir
}

// newerDatabase returns a data folder whose database a newer gateway has used.
func newerDatabase(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO schema_version (version_id, is_applied) VALUES (9999, 1)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A PostgreSQL that refuses is reported with the reason and without the password;
// one that never answers delays no other check.
func TestDoctorOfPostgres(t *testing.T) {
	t.Parallel()
	got := checkedPostgres(t, "127.0.0.1:1")
	if got[0].OK || !strings.Contains(got[0].Message, "check that it runs and that the gateway can reach it (") {
		t.Errorf("%+v", got[0])
	}
}

// checkedPostgres has doctor look at a database at addr, and at the clock, which must not be blamed for it.
func checkedPostgres(t *testing.T, addr string) []sdkapi.Check {
	t.Helper()
	c := &config{DataDir: t.TempDir(), DatabaseURL: secret("postgres://windie:hush-hush@" + addr + "/windie?sslmode=disable")}
	got := examine(t.Context(), []check{{"state", c.checkState}, {"clock", c.checkClock}})
	if strings.Contains(got[0].Message, "hush") {
		t.Errorf("the password is in %q", got[0].Message)
	}
	if !got[1].OK {
		t.Errorf("the clock is blamed too: %+v", got[1])
	}
	return got
}

// A model that loads slowly is no fault; another check that takes as long is one.
func TestCheckThatLoads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context) (string, error) {
			select {
			case <-time.After(2 * checkTimeout):
				return "fine", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		got := examine(t.Context(), []check{{embeddingsCheck, slow}, {"memory", slow}})
		if !got[0].OK || got[1].OK {
			t.Errorf("%+v", got)
		}
	})
}

// A check that minds no context does not hold up the others' results.
func TestCheckThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		defer close(end)
		hang := func(context.Context) (string, error) { <-end; return "", nil }
		got := examine(t.Context(), []check{{"one", hang}, {"two", hang}, {"three", func(context.Context) (string, error) { return "fine", nil }}})
		if got[0].OK || got[1].OK || !got[2].OK || !strings.Contains(got[1].Message, "hangs") {
			t.Errorf("%+v", got)
		}
	})
}

func TestEnoughRoom(t *testing.T) {
	t.Parallel()
	if err := enough("d", minFree); err != nil {
		t.Error(err)
	}
	if err := enough("d", minFree-1); err == nil || !strings.Contains(err.Error(), "free disk space") {
		t.Error(err)
	}
}

// A clock is wrong when it cannot be that time, or the others say another.
func TestClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		now   time.Time
		ahead time.Duration
		told  string // empty: it is right
	}{
		{now, maxAhead, ""},
		{now, -maxAhead, ""},
		{now, maxAhead + time.Second, "31s behind the clock of the database"},
		{now, -maxAhead - time.Second, "31s ahead of the clock of the database"},
		{time.Unix(0, 0), 0, "timedatectl"},
		{notAfter.Add(time.Second), 0, "timedatectl"},
	} {
		t.Run(fmt.Sprint(tt.now, " ", tt.told), func(t *testing.T) {
			_, err := judgeClock(tt.now, "the database", tt.ahead)
			if (err == nil) != (tt.told == "") || err != nil && !strings.Contains(err.Error(), tt.told) {
				t.Errorf("%v, %v: %v", tt.now, tt.ahead, err)
			}
		})
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusForbidden)
	}))
	defer server.Close()
	c := new(config)
	c.S3.Endpoint = server.URL
	if _, err := c.checkClock(t.Context()); err == nil || !strings.Contains(err.Error(), "ahead of the clock of the bucket's server") {
		t.Errorf("the bucket's clock is an hour behind: %v", err)
	}
}
