package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

// loadWith loads the settings from flags, an environment and a YAML file.
func loadWith(t *testing.T, flags, environ []string, yaml string) (*config, error) {
	t.Helper()
	root := &cobra.Command{Use: "windie", Run: func(*cobra.Command, []string) {}}
	if yaml != "" {
		file := filepath.Join(t.TempDir(), "windie.yaml")
		if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		environ = append(environ, "WINDIE_CONFIG="+file)
	}
	load := addConfigFlags(root, append(environ, "HOME=/home/me"))
	if err := root.ParseFlags(flags); err != nil {
		t.Fatal(err)
	}
	return load()
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := loadWith(t, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:8765" || c.DataDir != "/home/me/.local/share/windie" || c.MaxArtifactBytes != 25<<20 ||
		c.DrainTimeout != 30*time.Second || c.OCR.Languages != "eng" || c.OCR.Engine != "windie" {
		t.Errorf("%+v", c)
	}
}

// Flags win over the environment, that over the file, and that over defaults.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	yaml := "listen: 127.0.0.1:1\nmax_artifact_bytes: 1\nallowed_origins: [https://a.example]\ndrain_timeout: 5s\nocr:\n  languages: deu\n"
	c, err := loadWith(t, []string{"--listen", "127.0.0.1:3", "--allowed-origins", "https://b.example, https://c.example"},
		[]string{"WINDIE_LISTEN=127.0.0.1:2", "WINDIE_MAX_ARTIFACT_BYTES=2", "WINDIE_OCR_LANGUAGES="}, yaml)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%v %v %v %v %v", c.Listen, c.MaxArtifactBytes, c.AllowedOrigins, c.OCR.Languages, c.DrainTimeout)
	if want := "127.0.0.1:3 2 [https://b.example https://c.example] deu 5s"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOlderNames(t *testing.T) {
	t.Parallel()
	c, err := loadWith(t, nil, []string{"API_PORT=3000", "API_CORS_ORIGIN=https://a.example"}, "")
	if err != nil || c.Listen != "127.0.0.1:3000" || len(c.AllowedOrigins) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = loadWith(t, nil, []string{"API_PORT=3000", "WINDIE_LISTEN=127.0.0.1:4000"}, "")
	if err != nil || c.Listen != "127.0.0.1:4000" {
		t.Errorf("%+v, %v", c, err)
	}
}

// All problems are reported at once, each by the setting's names.
func TestProblems(t *testing.T) {
	t.Parallel()
	_, err := loadWith(t, []string{"--agent-wall-time", "soon"}, []string{
		"WINDIE_LISTEN=0.0.0.0:8765", "WINDIE_ALLOWED_ORIGINS=app.example", "WINDIE_PUBLIC_URL=windie", "WINDIE_S3_BUCKET=b",
		"WINDIE_LOG_LEVEL=loud", "WINDIE_MAX_ARTIFACT_BYTES=0", "WINDIE_OCR_LANGUAGES=eng deu", "WINDIE_OCR_ENGINE=abacus",
		"WINDIE_ARTIFACT_TTL=59s", "WINDIE_VISION_URL=vision",
	}, "lisen: x\nocr:\n  langage: eng\n")
	var problems *configError
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	text := err.Error()
	for _, want := range []string{
		"lisen in the config file", "ocr.langage in the config file", "agent.wall_time (WINDIE_AGENT_WALL_TIME)", "WINDIE_TRUSTED_NETWORK=true",
		"allowed_origins (WINDIE_ALLOWED_ORIGINS)", "public_url (WINDIE_PUBLIC_URL)", "s3.endpoint (WINDIE_S3_ENDPOINT)",
		"log.level (WINDIE_LOG_LEVEL)", "max_artifact_bytes", "ocr.languages (WINDIE_OCR_LANGUAGES)",
		`ocr.engine (WINDIE_OCR_ENGINE): "abacus" is not one of: `, "artifact_ttl (WINDIE_ARTIFACT_TTL): must be 0, which is forever, or at least 1m",
		`vision.url (WINDIE_VISION_URL): "vision" is not a URL`, "one is of no use without the other",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not among\n%s", want, text)
		}
	}
	if len(problems.problems) != 14 {
		t.Errorf("%d problems:\n%s", len(problems.problems), text)
	}
}

func TestListenAddresses(t *testing.T) {
	t.Parallel()
	for listen, fine := range map[string]bool{
		"127.0.0.1:0": true, "localhost:8765": true, "[::1]:80": true, "127.9.9.9:http": true,
		"0.0.0.0:8765": false, ":8765": false, "192.168.1.4:8765": false, "example.com:80": false, "8765": false, "127.0.0.1:99999": false,
	} {
		t.Run(listen, func(t *testing.T) {
			if _, err := loadWith(t, []string{"--listen", listen}, nil, ""); (err == nil) != fine {
				t.Errorf("%s: %v", listen, err)
			}
		})
	}
	if _, err := loadWith(t, nil, []string{"WINDIE_LISTEN=0.0.0.0:8765", "WINDIE_TRUSTED_NETWORK=true"}, ""); err != nil {
		t.Error(err)
	}
}

// A hosted gateway may listen anywhere, and has limits by default.
func TestHostedSettings(t *testing.T) {
	t.Parallel()
	local, err := loadWith(t, nil, []string{"WINDIE_LIMITS_USER_REQUESTS=7"}, "")
	if err != nil || local.Mode != localMode || fmt.Sprint(local.Limits) != "{7 0}" || local.Budget != (budgetSettings{}) {
		t.Errorf("%+v, %v", local, err)
	}
	hosted, err := loadWith(t, []string{"--budget-tokens-day", "0"},
		[]string{"WINDIE_LISTEN=0.0.0.0:8765", "WINDIE_LIMITS_USER_REQUESTS=7"}, "mode: hosted\nlimits:\n  address_requests: 8\n  user_requests: 9\n")
	if err != nil || fmt.Sprint(hosted.Limits) != "{7 8}" || hosted.Budget != (budgetSettings{}) {
		t.Errorf("%+v, %v", hosted, err)
	}
	if c, err := loadWith(t, []string{"--mode", "hosted"}, nil, "mode: local\n"); err != nil || c.Limits.UserRequests != 600 || c.Budget != (budgetSettings{TokensDay: 5_000_000}) {
		t.Errorf("%+v, %v", c, err)
	}
	c, err := loadWith(t, nil, []string{"WINDIE_TRUSTED_PROXIES=10.0.0.0/8, 192.0.2.7,fd00::/8"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.hosting(gateway.App{}); got.Hosted || fmt.Sprint(got.TrustedProxies) != "[10.0.0.0/8 192.0.2.7/32 fd00::/8]" {
		t.Errorf("%+v", got)
	}
	_, err = loadWith(t, nil, []string{"WINDIE_MODE=public", "WINDIE_TRUSTED_PROXIES=proxy.example", "WINDIE_LIMITS_USER_REQUESTS=-1", "WINDIE_LIMITS_ADDRESS_REQUESTS=many", "WINDIE_BUDGET_TOKENS_DAY=-1", "WINDIE_BUDGET_MONEY_DAY=NaN"}, "")
	for _, want := range []string{"mode (WINDIE_MODE): \"public\"", "trusted_proxies (WINDIE_TRUSTED_PROXIES): \"proxy.example\"",
		"limits.user_requests (WINDIE_LIMITS_USER_REQUESTS): must be", "limits.address_requests (WINDIE_LIMITS_ADDRESS_REQUESTS)", "budget.tokens_day (WINDIE_BUDGET_TOKENS_DAY): must be", "budget.money_day (WINDIE_BUDGET_MONEY_DAY): must be"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}

// The settings of the web search are checked before anything starts; no problem
// shows the key.
func TestSearchSettings(t *testing.T) {
	t.Parallel()
	const hush = "WINDIE_SEARCH_API_KEY=hush-hush"
	for _, tt := range []struct {
		environ  []string
		problems []string
	}{
		{nil, nil},
		{[]string{"WINDIE_SEARCH_PROVIDER=searxng", "WINDIE_SEARCH_URL=http://searxng:8080"}, nil},
		{[]string{"WINDIE_SEARCH_PROVIDER=searxng", "WINDIE_SEARCH_URL=http://search.example.com"}, nil}, // shows no key
		{[]string{"WINDIE_SEARCH_PROVIDER=brave", hush}, nil},
		{[]string{"WINDIE_SEARCH_PROVIDER=brave", hush, "WINDIE_SEARCH_URL=http://10.0.0.7:8080"}, nil},
		{[]string{"WINDIE_SEARCH_PROVIDER=brave", hush, "WINDIE_SEARCH_URL=http://proxy/brave"}, nil},
		{[]string{"WINDIE_SEARCH_PROVIDER=brave", hush, "WINDIE_SEARCH_URL=http://api.search.brave.com"}, []string{"search.url (WINDIE_SEARCH_URL): must be https"}},
		{[]string{"WINDIE_SEARCH_PROVIDER=brave", "WINDIE_SEARCH_URL=brave"}, []string{"search.url (WINDIE_SEARCH_URL): expected a URL", "search.api_key (WINDIE_SEARCH_API_KEY): expected a key"}},
		{[]string{"WINDIE_SEARCH_PROVIDER=searxng"}, []string{"search.url (WINDIE_SEARCH_URL): expected a URL"}},
		{[]string{"WINDIE_SEARCH_PROVIDER=altavista"}, []string{`search.provider (WINDIE_SEARCH_PROVIDER): expected one of [brave searxng], not "altavista"`}},
		{[]string{hush}, []string{"search.provider (WINDIE_SEARCH_PROVIDER): required with"}},
	} {
		t.Run(fmt.Sprint(tt.environ), func(t *testing.T) {
			c, err := loadWith(t, nil, tt.environ, "")
			var wrong *configError
			if errors.As(err, &wrong) != (tt.problems != nil) || err != nil && len(wrong.problems) != len(tt.problems) {
				t.Errorf("%q: %v", tt.environ, err)
			}
			for _, want := range tt.problems {
				if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
					t.Errorf("%q: %q is not in %v", tt.environ, want, err)
				}
			}
			if err == nil {
				var printed bytes.Buffer
				printConfig(&printed, c)
				if text := printed.String(); strings.Contains(text, "hush") || !strings.Contains(text, "WINDIE_SEARCH_PROVIDER") {
					t.Errorf("it prints %s", text)
				}
			}
		})
	}
}

// What `windie config` prints is a file that gives the same settings, and
// holds no secret.
func TestPrintedConfigIsAConfigFile(t *testing.T) {
	t.Parallel()
	c, err := loadWith(t, nil, []string{
		"WINDIE_S3_ENDPOINT=http://s3:7070", "WINDIE_S3_BUCKET=artifacts", "WINDIE_S3_ACCESS_KEY=key", "WINDIE_S3_SECRET_KEY=hush-hush", "WINDIE_ALLOWED_ORIGINS=https://a.example",
		"WINDIE_S3_PREFIX=a: \"b\" #c",
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	printConfig(&printed, c)
	if strings.Contains(printed.String(), "hush") {
		t.Errorf("a secret is printed:\n%s", &printed)
	}
	again, err := loadWith(t, nil, []string{"WINDIE_S3_SECRET_KEY=hush-hush"}, printed.String())
	if err != nil {
		t.Fatal(err)
	}
	c.sources, again.sources = nil, nil // a file now, that wrote all of them
	if fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", c) {
		t.Errorf("got  %+v\nwant %+v", again, c)
	}
}

func TestSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	s := struct{ Key secret }{"hush"}
	if text := fmt.Sprintf("%v %+v %#v %s %q", s, s, s, s.Key, s.Key); strings.Contains(text, "hush") {
		t.Error(text)
	}
}

func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	got := unknownVariables([]string{"WINDIE_LISTEN=x", "WINDIE_LISTENS=x", "HOME=/", "WINDIE_CONFIG=x"})
	if fmt.Sprint(got) != "[WINDIE_LISTENS is not a setting; did you mean WINDIE_LISTEN?]" {
		t.Errorf("got %v", got)
	}
}

// Pages of desktop programs come from no server, and can be allowed all the same.
func TestAllowedOrigins(t *testing.T) {
	t.Parallel()
	for origins, fine := range map[string]bool{
		"file://": true, "null": true, "https://a.example,null": true, "file:///home/ada": false, "a.example": false, "*": false,
	} {
		t.Run(origins, func(t *testing.T) {
			if _, err := loadWith(t, nil, []string{"WINDIE_ALLOWED_ORIGINS=" + origins}, ""); (err == nil) != fine {
				t.Errorf("%s: %v", origins, err)
			}
		})
	}
}

// Each setting says where it comes from; the last one who gives it wins. Secrets and passwords are not among the values.
func TestSettingsInForce(t *testing.T) {
	t.Parallel()
	c, err := loadWith(t, []string{"--drain-timeout", "7s"}, []string{"WINDIE_DRAIN_TIMEOUT=8s", "WINDIE_OCR_LANGUAGES=deu", "WINDIE_RUNS_API_KEY=swordfish-of-runs", "WINDIE_VISION_MODEL=m", "WINDIE_VISION_URL=http://ada:swordfish@c:4318"},
		"drain_timeout: 9s\nmax_artifact_bytes: 5\nocr:\n  languages: fra\nallowed_origins: [http://a.example, http://b.example]\n")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]sdkapi.Setting{}
	for _, s := range c.settingsInForce() {
		got[s.Key] = s
		if strings.Contains(s.Value, "swordfish") {
			t.Errorf("%s shows %s", s.Key, s.Value)
		}
	}
	for key, want := range map[string]struct {
		value  string
		source sdkapi.SettingSource
	}{
		"drain_timeout": {"7s", sdkapi.SettingByFlag}, "ocr.languages": {"deu", sdkapi.SettingByEnvironment}, "max_artifact_bytes": {"5", sdkapi.SettingByFile}, "ocr.engine": {"windie", sdkapi.SettingByDefault},
		"allowed_origins": {"http://a.example,http://b.example", sdkapi.SettingByFile}, "runs.api_key": {"", sdkapi.SettingByEnvironment}, "vision.url": {"http://ada:xxxxx@c:4318", sdkapi.SettingByEnvironment},
	} {
		t.Run(key, func(t *testing.T) {
			if s := got[key]; s.Value != want.value || s.Source != want.source || !s.Set || s.Secret != (key == "runs.api_key") {
				t.Errorf("%+v; want %+v", s, want)
			}
		})
	}
}
