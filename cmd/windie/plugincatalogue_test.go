package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// publisher makes a catalogue in a folder that a web server offers.
type publisher struct {
	writer
	folder, key, public, at string
}

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	a, _ := newSharer(t)
	p := &publisher{writer: a, folder: filepath.Join(a.dir, "site"), key: filepath.Join(a.dir, "key")}
	if err := os.Mkdir(p.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	p.public = strings.TrimSpace(p.plugin(0, nil, "key", "new", p.key))
	server := httptest.NewServer(http.FileServer(http.Dir(p.folder)))
	t.Cleanup(server.Close)
	p.at = server.URL + "/index.json"
	p.environ = append(p.environ, "WINDIE_PLUGIN_CATALOGUE="+p.at, "WINDIE_PLUGIN_CATALOGUE_KEY="+p.public, "WINDIE_PLUGIN_PRIVATE_HOSTS="+server.URL, "DOCKER_CONFIG="+a.dir)
	return p
}

// publish adds a version of sample to the folder, and makes the catalogue again.
func (p *publisher) publish(manifest, number string, flags ...string) {
	p.t.Helper()
	p.put("sample.json", manifest)
	p.plugin(0, nil, "pack", filepath.Join(p.dir, "sample.js"), "--sign", p.key, "--out", filepath.Join(p.folder, "sample-"+number+".tar"))
	p.index(flags...)
}

func (p *publisher) index(flags ...string) {
	p.t.Helper()
	p.plugin(0, []string{"has the number"}, append([]string{"index", p.folder, "--sign", p.key}, flags...)...)
}

// saved is the catalogue as it is now; restore puts it back.
func (p *publisher) saved() (restore func()) {
	p.t.Helper()
	files := map[string][]byte{}
	for _, name := range []string{"index.json", "index.json.minisig"} {
		raw, err := os.ReadFile(filepath.Join(p.folder, name))
		if err != nil {
			p.t.Fatal(err)
		}
		files[name] = raw
	}
	return func() {
		for name, raw := range files {
			p.put("site/"+name, string(raw))
		}
	}
}

// A plugin of a catalogue is found, installed, and updated as the catalogue says.
func TestPluginCatalogue(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.publish(`{"name":"sample","version":"1.0.0","description":"Says things again."}`, "1.0.0")
	p.plugin(0, []string{"sample", "1.0.0", "Says things again."}, "search", "say")
	p.plugin(exitFailed, nil, "search", "weather")
	p.plugin(0, []string{p.public, "tools sample.count"}, "info", "sample")
	p.plugin(exitFailed, []string{"has no plugin"}, "info", "weather")
	p.plugin(0, []string{"signed by the key " + p.public + ", which is trusted for it", "pinned to sha256:"}, "install", "sample")
	p.plugin(0, []string{"nothing changed"}, "update")
	p.publish(`{"name":"sample","version":"1.1.0","permissions":{"env":["LANG"]}}`, "1.1.0")
	p.plugin(exitFailed, []string{"version: 1.1.0, was 1.0.0", "give --accept too"}, "update", "--yes")
	p.plugin(0, []string{"pinned to"}, "update", "--yes", "--accept")
	p.index("--yank", "sample@1.1.0=it says too much")
	p.plugin(exitFailed, []string{"it says too much"}, "install", "sample@1.1.0")
	p.index() // as from a timer
	p.plugin(exitFailed, []string{"it says too much"}, "install", "sample@1.1.0")
	p.plugin(exitFailed, []string{"the version 1.0.0 is older than 1.1.0", "give --accept too"}, "update", "--yes")
	p.plugin(0, []string{"1.1.0, taken back: it says too much"}, "info", "sample")
	p.plugin(0, []string{"pinned to"}, "install", "sample@1.0.0", "--as", "second")
	var rows pluginRows
	if err := json.Unmarshal([]byte(p.plugin(0, nil, "list", "--json")), &rows); err != nil || len(rows.Plugins) != 2 || rows.Plugins[0].Source != "catalogue:"+p.at+"#sample" {
		t.Errorf("the list is %+v, %v", rows, err)
	}
}

// What list says puts a plugin back is a command that brings the very version that was there, also where its
// source has another by now.
func TestPluginListSaysHowToPutBack(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.publish(`{"name":"sample","version":"1.0.0"}`, "1.0.0")
	p.plugin(0, nil, "install", "sample", "--as", "second")
	p.publish(`{"name":"sample","version":"1.1.0"}`, "1.1.0")
	own := p.put("own/third.js", sample)
	p.plugin(0, nil, "add", own)
	p.put("own/third.js", strings.Replace(sample, "a <word>", "another <word>", 1))
	for _, name := range []string{"second", "third"} {
		t.Run(name, func(t *testing.T) {
			p := *p
			p.t = t
			at := filepath.Join(p.dir, "data", "plugins", name, name)
			p.putsBack(name, "its file is gone", at+".js", nil)
			p.putsBack(name, "are not those that came from", at+".js", []byte("changed"))
			p.putsBack(name, ".source that cannot be read", at+".source", []byte("{"))
		})
	}
	p.plugin(exitFailed, []string{`no plugin "other" came by a reference`}, "restore", "other")
}

// putsBack spoils a file of a plugin, by other content or, if content is nil, by its removal, and does what list says of it.
func (p *publisher) putsBack(name, problem, file string, content []byte) {
	p.t.Helper()
	was, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	if content == nil {
		err = os.Remove(file)
	} else {
		err = os.WriteFile(file, content, 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	_, command, _ := strings.Cut(p.plugin(0, []string{problem}, "list"), "put it back with: windie plugin ")
	command, _, _ = strings.Cut(command, "\n")
	p.plugin(0, []string{"pinned to sha256:"}, strings.Fields(command)...)
	if out := p.plugin(0, nil, "list"); strings.Contains(out, "put it back") {
		p.t.Errorf("%s is not put back:\n%s", name, out)
	}
	if is, err := os.ReadFile(file); err != nil || !bytes.Equal(is, was) {
		p.t.Errorf("%s of %s is put back as %.200s, %v", filepath.Base(file), name, is, err)
	}
}

// A plugin of a catalogue is judged by the rules for where it is fetched and by those for the catalogue.
func TestPluginCataloguePolicy(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.publish(`{"name":"sample","version":"1.0.0"}`, "1.0.0")
	other := strings.TrimSpace(p.plugin(0, nil, "key", "new", p.key+"2"))
	rule := func(source, key string) string {
		return fmt.Sprintf(`{"source":%q,"signature":"required","keys":[%q]}`, source, key)
	}
	policy := func(rules ...string) {
		p.put("data/plugin-trust.json", `{"sources":[`+strings.Join(rules, ",")+`]}`)
	}
	own := "catalogue:" + p.at + "#*"
	for _, rules := range [][]string{{rule("http://*", other)}, {rule(own, other)}, {rule(own, p.public), rule("http://*", other)}} {
		policy(rules...)
		p.plugin(exitFailed, []string{"is none of those that the policy lists for", "put it there if you trust it"}, "install", "sample")
	}
	policy(rule(own, p.public), rule("http://*", p.public))
	p.plugin(0, []string{"which is trusted for it"}, "install", "sample")
	policy(rule("http://*", other))
	p.plugin(exitFailed, []string{"is none of those that the policy lists for"}, "update")
}

// update --key is for plugins of a catalogue too.
func TestPluginCatalogueKey(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.publish(`{"name":"sample","version":"1.0.0"}`, "1.0.0")
	p.plugin(0, nil, "install", "sample")
	other := strings.TrimSpace(p.plugin(0, nil, "key", "new", p.key+"2"))
	p.plugin(0, []string{"nothing changed"}, "update", "sample", "--key", " "+p.public)
	p.plugin(exitFailed, []string{"the catalogue says that sample is signed by " + p.public, "leave --key out"}, "update", "sample", "--key", other)
	p.plugin(exitFailed, []string{"is no public key of minisign"}, "update", "sample", "--key", "RWQ")
	p.put("sample.json", `{"name":"bare","version":"1.0.0"}`)
	p.plugin(0, nil, "pack", filepath.Join(p.dir, "sample.js"), "--out", filepath.Join(p.folder, "bare.tar"))
	p.index()
	p.plugin(0, []string{"nobody signed it"}, "install", "bare")
	p.plugin(exitFailed, []string{"the catalogue says that bare is signed by nobody", "leave --key out"}, "update", "bare", "--key", other)
}

// Catalogues that are old, changed, of another key or of another plugin install nothing.
func TestPluginCatalogueAttacks(t *testing.T) {
	t.Parallel()
	const first, second = `{"name":"sample","version":"1.0.0"}`, `{"name":"sample","version":"1.1.0"}`
	for name, tt := range map[string]struct {
		attack func(p *publisher)
		want   string
		advice string
	}{
		"a catalogue of before": {func(p *publisher) {
			old := p.saved()
			p.publish(second, "1.1.0")
			p.plugin(0, nil, "search")
			old()
		}, "has the number 1, and had 2 before", "ask whoever publishes it"},
		"another of the same number": {func(p *publisher) {
			p.plugin(0, nil, "search")
			_ = os.Remove(filepath.Join(p.folder, "index.json"))
			p.index("--days", "31") // number 1 again
		}, "has the number 1, and had 1 before", "ask whoever publishes it"},
		"a changed catalogue": {func(p *publisher) {
			raw, _ := os.ReadFile(filepath.Join(p.folder, "index.json"))
			p.put("site/index.json", strings.Replace(string(raw), "sample-1.0.0.tar", "sample-6.6.6.tar", 1))
		}, "the catalogue cannot be trusted", "do not use it"},
		"the catalogue of another key": {func(p *publisher) {
			p.key += "2"
			p.plugin(0, nil, "key", "new", p.key)
			p.index()
		}, "the catalogue cannot be trusted", "do not use it"},
		"no signature": {func(p *publisher) { _ = os.Remove(filepath.Join(p.folder, "index.json.minisig")) }, "or no signature beside it", "check WINDIE_PLUGIN_CATALOGUE"},
		"another archive under a version's name": {func(p *publisher) {
			p.put("sample.json", second)
			p.plugin(0, nil, "pack", filepath.Join(p.dir, "sample.js"), "--sign", p.key, "--out", filepath.Join(p.folder, "sample-1.0.0.tar"))
		}, "not the one that it is pinned to", "if the change is meant"},
		"an archive that is gone": {func(p *publisher) { _ = os.Remove(filepath.Join(p.folder, "sample-1.0.0.tar")) }, "there is nothing at", "check the reference"},
		"a huge catalogue": {func(p *publisher) {
			p.put("site/index.json", strings.Repeat(" ", 8<<20+1))
		}, "and may have 8388608", "publish a smaller one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPublisher(t)
			p.publish(first, "1.0.0")
			tt.attack(p)
			p.plugin(exitFailed, []string{tt.want, tt.advice}, "install", "sample")
			p.plugin(0, []string{"no plugin came by a reference"}, "list")
			if _, err := os.Stat(filepath.Join(p.dir, "data", "plugins", "sample")); err == nil {
				t.Error("it was installed")
			}
		})
	}
}
