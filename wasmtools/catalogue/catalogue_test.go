package catalogue_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/wasmtools/catalogue"
	"github.com/windieos/windie/wasmtools/sign"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func digest(n int) string { return fmt.Sprintf("sha256:%064d", n) }

func entry(name, number string, n int) catalogue.Entry {
	return catalogue.Entry{Name: name, Number: number, Description: "Reads the " + name + ".", Version: catalogue.Version{At: name + "-" + number + ".tar", Digest: digest(n), Tools: []string{name + ".now"}}}
}

func mustMake(t *testing.T, before *catalogue.Index, yanked map[string]string, entries ...catalogue.Entry) *catalogue.Index {
	t.Helper()
	i, err := catalogue.Make(before, entries, yanked, now, 24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func key(t *testing.T) (file, public string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "key")
	public, err := sign.WriteKey(file, "")
	if err != nil {
		t.Fatal(err)
	}
	return file, public
}

func TestOpen(t *testing.T) {
	t.Parallel()
	file, public := key(t)
	_, other := key(t)
	signed := func(i *catalogue.Index) (raw, signature []byte) {
		raw, signature, err := i.Signed(file, "")
		if err != nil {
			t.Fatal(err)
		}
		return raw, signature
	}
	good := mustMake(t, nil, nil, entry("weather", "1.2.0", 1))
	raw, signature := signed(good)
	more := append(append([]byte{}, raw...), '}')
	private, err := sign.ReadKey(file, "")
	if err != nil {
		t.Fatal(err)
	}
	if i, err := catalogue.Open(raw, signature, public, now); err != nil || i.Serial != 1 || i.Plugins["weather"].Versions["1.2.0"].Digest != digest(1) {
		t.Fatalf("%+v, %v", i, err)
	}
	edited := func(edit func(*catalogue.Index)) *catalogue.Index {
		i := mustMake(t, nil, nil, entry("weather", "1.2.0", 1))
		edit(i)
		return i
	}
	wrong := func(name, key string, at time.Time, want string, raw, signature []byte) {
		t.Run(name, func(t *testing.T) {
			if _, err := catalogue.Open(raw, signature, key, at); err == nil || !strings.Contains(fault.From(err).Message, want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
	wrong("no key", "", now, "WINDIE_PLUGIN_CATALOGUE_KEY", raw, signature)
	wrong("another key", other, now, "cannot be trusted", raw, signature)
	wrong("another byte", public, now, "cannot be trusted", append([]byte(" "), raw...), signature)
	wrong("no signature", public, now, "cannot be trusted", raw, nil)
	wrong("something behind it", public, now, "is not valid JSON", more, sign.Detached(private, more, "more"))
	wrong("at its end", public, now.Add(24*time.Hour), "expired at 2026-03-02", raw, signature)
	wrong("long before", public, now.Add(-25*time.Hour), "is yet to come", raw, signature)
	wrong("too long", public, now, "of at most 8388608", make([]byte, catalogue.MaxIndexBytes+1), nil)
	for name, tt := range map[string]struct {
		edit func(*catalogue.Index)
		want string
	}{
		"a form of later": {func(i *catalogue.Index) { i.V = 2 }, "has the form 2"},
		"no number":       {func(i *catalogue.Index) { i.Serial = 0 }, "expected 1 or more"},
		"no digest":       {func(i *catalogue.Index) { i.Plugins["weather"].Versions["1.2.0"].Digest = "" }, "needs a number"},
		"no place":        {func(i *catalogue.Index) { i.Plugins["weather"].Versions["1.2.0"].At = "" }, "needs a number"},
		"a version's name": {func(i *catalogue.Index) {
			i.Plugins["weather"].Versions["../x"] = i.Plugins["weather"].Versions["1.2.0"]
		}, "needs a number"},
		"no versions": {func(i *catalogue.Index) { i.Plugins["weather"].Versions = nil }, "must have 1 to 500 versions"},
		"nothing":     {func(i *catalogue.Index) { i.Plugins["weather"] = nil }, "must have 1 to 500 versions"},
	} {
		raw, signature := signed(edited(tt.edit))
		wrong(name, public, now, tt.want, raw, signature)
	}
	if _, err := catalogue.Open(raw, signature, public, now.Add(24*time.Hour-time.Second)); err != nil {
		t.Errorf("just before its end: %v", err)
	}
}

// The numbers of plugins and versions are bounded.
func TestBounds(t *testing.T) {
	t.Parallel()
	file, public := key(t)
	for name, tt := range map[string]struct {
		plugins, versions int
		want              string
	}{
		"plugins":           {catalogue.MaxPlugins, 1, ""},
		"plugins too many":  {catalogue.MaxPlugins + 1, 1, "has 10001 plugins"},
		"versions":          {1, catalogue.MaxVersions, ""},
		"versions too many": {1, catalogue.MaxVersions + 1, "must have 1 to 500"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := &catalogue.Index{V: 1, Serial: 1, Issued: now, Expires: now.Add(time.Hour), Plugins: map[string]*catalogue.Plugin{}}
			for n := range tt.plugins {
				p := &catalogue.Plugin{Versions: map[string]*catalogue.Version{}}
				for v := range tt.versions {
					p.Versions[fmt.Sprintf("1.0.%d", v)] = &catalogue.Version{At: "x.tar", Digest: digest(1)}
				}
				i.Plugins[fmt.Sprintf("p%d", n)] = p
			}
			raw, signature, err := i.Signed(file, "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := catalogue.Open(raw, signature, public, now); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	later := entry("weather", "2.0.0", 3)
	later.MinGateway = "1.5.0"
	i := mustMake(t, nil, map[string]string{"weather@1.10.0": "it lost data", "clock@1.0.0": "wrong"},
		entry("weather", "1.2.0", 1), entry("weather", "1.10.0", 2), later, entry("clock", "1.0.0", 4))
	for name, tt := range map[string]struct{ name, version, gateway, want, wrong string }{
		"the newest":                       {"weather", "", "1.5.0", "2.0.0", ""},
		"for a gateway without a number":   {"weather", "", "dev", "2.0.0", ""},
		"for an older gateway":             {"weather", "", "1.4.9", "1.2.0", ""},
		"one that is named":                {"weather", "1.2.0", "1.5.0", "1.2.0", ""},
		"one that was taken back":          {"weather", "1.10.0", "1.5.0", "", "was taken back: it lost data"},
		"one that needs a newer gateway":   {"weather", "2.0.0", "1.4.9", "", "needs a gateway of version 1.5.0"},
		"one that is not there":            {"weather", "3.0.0", "1.5.0", "", "it has: 2.0.0, 1.10.0, 1.2.0"},
		"a plugin that is not there":       {"tides", "", "1.5.0", "", "has no plugin"},
		"a plugin whose all versions went": {"clock", "", "1.5.0", "", "was taken back: wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := i.Choose(tt.name, tt.version, tt.gateway)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(fault.From(err).Message, tt.wrong) {
					t.Errorf("%v, want %q", err, tt.wrong)
				}
				return
			}
			if err != nil || c.Number != tt.want {
				t.Errorf("%+v, %v; want %s", c, err, tt.want)
			}
		})
	}
	if got := i.Search("reads", "WEATHER"); len(got) != 1 || got[0] != "weather" {
		t.Errorf("found %q", got)
	}
	if got := i.Search(); len(got) != 2 {
		t.Errorf("all are %q", got)
	}
}

// A catalogue is continued: its number grows, and a version never changes.
func TestMake(t *testing.T) {
	t.Parallel()
	first := mustMake(t, nil, nil, entry("weather", "1.0.0", 1))
	raw, _ := json.Marshal(first)
	var before catalogue.Index
	if err := json.Unmarshal(raw, &before); err != nil {
		t.Fatal(err)
	}
	next := mustMake(t, &before, nil, entry("weather", "1.1.0", 2))
	if next.Serial != 2 || len(next.Plugins["weather"].Versions) != 2 {
		t.Errorf("%+v", next)
	}
	if _, err := catalogue.Make(next, []catalogue.Entry{entry("weather", "1.0.0", 9)}, nil, now, time.Hour); err == nil || !strings.Contains(err.Error(), "a version never changes") {
		t.Errorf("another digest: %v", err)
	}
	if _, err := catalogue.Make(next, []catalogue.Entry{entry("weather", "soon", 9)}, nil, now, time.Hour); err == nil || !strings.Contains(err.Error(), "pack --version") {
		t.Errorf("no number: %v", err)
	}
	if _, err := catalogue.Make(next, nil, map[string]string{"tides@1.0.0": ""}, now, time.Hour); err == nil || !strings.Contains(err.Error(), "is not in the catalogue") {
		t.Errorf("taken back: %v", err)
	}
}

// A version that was taken back stays so, when the catalogue is made anew of the same archives.
func TestMakeKeepsWhatWasTakenBack(t *testing.T) {
	t.Parallel()
	bad, good := entry("weather", "1.0.0", 1), entry("weather", "1.1.0", 2)
	i := mustMake(t, mustMake(t, nil, nil, bad, good), map[string]string{"weather@1.0.0": "it leaks"}, bad, good)
	for range 2 {
		i = mustMake(t, i, nil, bad, good)
	}
	if v := i.Plugins["weather"].Versions; v["1.0.0"].Yanked != "it leaks" || v["1.1.0"].Yanked != "" {
		t.Errorf("taken back are %q and %q", v["1.0.0"].Yanked, v["1.1.0"].Yanked)
	}
	i = mustMake(t, i, map[string]string{"weather@1.0.0": "it leaks, and lies"}, bad)
	if got := i.Plugins["weather"].Versions["1.0.0"].Yanked; got != "it leaks, and lies" {
		t.Errorf("with another reason it is %q", got)
	}
}
