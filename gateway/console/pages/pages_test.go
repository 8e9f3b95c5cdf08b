package pages_test

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway/console/pages"
	"github.com/windieos/windie/internal/test/testkit"
)

// maxConsole is the size of the whole console, by gzip, at most.
const maxConsole = 250 << 10

// What is in vendor is what npm has, by the sums in vendor.json, and nothing else lies there.
func TestVendorIsAsPublished(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("vendor/vendor.json")
	if err != nil {
		t.Fatal(err)
	}
	var packages []struct {
		Package, Version, Licence, SHA512 string
		Files                             map[string]struct{ From, SHA512 string }
	}
	if err := json.Unmarshal(raw, &packages); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{"vendor.json": true}
	for _, p := range packages {
		licensed := false
		for name, file := range p.Files {
			content, err := os.ReadFile(filepath.Join("vendor", name))
			sum := sha512.Sum512(content)
			if got := base64.StdEncoding.EncodeToString(sum[:]); err != nil || got != file.SHA512 {
				t.Errorf("vendor/%s of %s %s has the sum %s, %v; expected %s", name, p.Package, p.Version, got, err, file.SHA512)
			}
			listed[name] = true
			licensed = licensed || strings.HasSuffix(name, ".LICENSE")
		}
		if !licensed {
			t.Errorf("%s comes without its licence", p.Package)
		}
	}
	entries, err := os.ReadDir("vendor")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !listed[e.Name()] {
			t.Errorf("vendor/%s stands in no package of vendor.json", e.Name())
		}
	}
}

// What is in sdk is the TypeScript client as it is now, and nothing else lies there.
func TestClientIsCurrent(t *testing.T) {
	t.Parallel()
	root := testkit.RepoRoot(t)
	raw, err := os.ReadFile("sdk/sums.json")
	if err != nil {
		t.Fatal(err)
	}
	var modules map[string]struct {
		From   string
		Source string `json:"source_sha512"`
		SHA512 string
	}
	if err := json.Unmarshal(raw, &modules); err != nil {
		t.Fatal(err)
	}
	sumOf := func(name string) string {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		sum := sha512.Sum512(content)
		return base64.StdEncoding.EncodeToString(sum[:])
	}
	for name, m := range modules {
		if sumOf(filepath.Join("sdk", name)) != m.SHA512 || sumOf(filepath.Join(root, m.From)) != m.Source {
			t.Errorf("sdk/%s is not %s as it is now: run scripts/console-sdk.sh", name, m.From)
		}
	}
	entries, err := os.ReadDir("sdk")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, listed := modules[e.Name()]; !listed && e.Name() != "sums.json" {
			t.Errorf("sdk/%s stands in no line of sums.json", e.Name())
		}
	}
}

func TestConsoleIsSmall(t *testing.T) {
	t.Parallel()
	page := pages.Load()
	total := len(page.Index.Packed)
	for _, f := range page.Files {
		total += len(f.Packed)
	}
	t.Logf("the console has %d bytes by gzip, in %d files", total, len(page.Files)+1)
	if total > maxConsole {
		t.Errorf("the console has %d bytes by gzip; expected at most %d", total, maxConsole)
	}
}

var (
	imported  = regexp.MustCompile(`(?:from ?|import ?)["']([^"']+)["']`)
	reference = regexp.MustCompile(`(?:src|href)="([^"#]+)"`)
	unsafe    = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|\beval\(|new Function|DOMParser|createContextualFragment|srcdoc`)
	abroad    = regexp.MustCompile(`["'(](?:https?:)?//[\w.]+`)
)

// All that the page names is there, by relative paths, and nothing is asked of other hosts.
func TestConsoleIsWhole(t *testing.T) {
	t.Parallel()
	page := pages.Load()
	for _, found := range reference.FindAllStringSubmatch(string(page.Index.Plain), -1) {
		name, below := strings.CutPrefix(found[1], page.Version+"/")
		if _, there := page.Files[name]; !below || !there {
			t.Errorf("the page names %s, which is not there", found[1])
		}
	}
	for name, f := range page.Files {
		if !strings.HasSuffix(name, ".js") {
			continue
		}
		for _, found := range imported.FindAllStringSubmatch(string(f.Plain), -1) {
			to := filepath.Join(filepath.Dir(name), found[1])
			if _, there := page.Files[to]; !strings.HasPrefix(found[1], ".") || !there {
				t.Errorf("%s imports %q, which is not there", name, found[1])
			}
		}
	}
}

// Content of others is only ever text: no file of ours has a way to make it more.
func TestConsoleMakesNoMarkup(t *testing.T) {
	t.Parallel()
	for name, f := range pages.Load().Files {
		if strings.HasPrefix(name, "vendor/") {
			continue
		}
		if found := unsafe.FindString(string(f.Plain)); found != "" {
			t.Errorf("%s uses %s", name, found)
		}
		for _, found := range abroad.FindAllString(string(f.Plain), -1) {
			own := name == "sdk/http.js" && strings.HasSuffix(found, "//127.0.0.1") // where a client asks that names no gateway
			if !own && !strings.Contains(found, "www.w3.org") {                     // a name of XML, which nothing fetches
				t.Errorf("%s names another host: %s", name, found)
			}
		}
	}
	if index := string(pages.Load().Index.Plain); regexp.MustCompile(`<script>|<style|\son\w+=|\sstyle=`).MatchString(index) {
		t.Errorf("the page has code or styles of its own:\n%s", index)
	}
}

// The compiler of TypeScript checks each of our files.
func TestConsoleIsChecked(t *testing.T) {
	t.Parallel()
	for name, f := range pages.Load().Files {
		if strings.HasSuffix(name, ".js") && strings.HasPrefix(name, "app/") && !strings.HasPrefix(string(f.Plain), "// @ts-check\n") {
			t.Errorf("%s does not begin with // @ts-check", name)
		}
	}
}
