//go:build system

package wasmtools_test

import (
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/author"
	"github.com/windieos/windie/wasmtools/shelf"
	"github.com/windieos/windie/wasmtools/source"
)

// Hostile guests arrive by references: from a registry.

// arrivals counts hostile guests that came by references, over all tests of a run.
var arrivals struct {
	all       atomic.Int64
	refused   atomic.Int64 // at admission
	contained atomic.Int64 // that were admitted, attacked, and did no harm
}

// wantArrivals is how many must come; by default 200 when all tests run.
var wantArrivals = flag.Int64("arrivals", 0, "how many hostile guests must arrive by reference, each to be refused or contained")

// contained counts a guest that did no harm.
func contained() { arrivals.contained.Add(1) }

// countArrivals prints what became of the hostile guests, and returns the exit code of the tests: not 0 if too few
// guests came, or one was neither refused nor contained.
func countArrivals(code int) int {
	all, refused, contained := arrivals.all.Load(), arrivals.refused.Load(), arrivals.contained.Load()
	if all == 0 {
		return code
	}
	fmt.Printf("%d hostile guests arrived by reference: %d were refused, %d contained\n", all, refused, contained)
	most := *wantArrivals
	if most == 0 && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" {
		most = 200
	}
	if code == 0 && most > 0 && (all < most || all != refused+contained) {
		fmt.Printf("FAIL: at least %d must arrive, and each must be refused or contained\n", most)
		return 1
	}
	return code
}

// road is a registry, and what fetches from it.
type road struct {
	fetcher *source.Fetcher
	host    string // of the registry
	guests  atomic.Int64
}

func newRoad(t testing.TB) *road {
	t.Helper()
	r := &road{}
	quiet := log.New(io.Discard, "", 0)
	server := httptest.NewUnstartedServer(registry.New(registry.Logger(quiet)))
	server.Config.ErrorLog = quiet
	server.StartTLS()
	t.Cleanup(server.Close)
	r.host = strings.TrimPrefix(server.URL, "https://")
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	r.fetcher = source.New(source.Config{Roots: roots, Private: []string{r.host}})
	t.Cleanup(r.fetcher.Close)
	return r
}

// publish puts a module where a reference finds it, and returns the reference.
func (r *road) publish(t testing.TB, module []byte) source.Reference {
	t.Helper()
	ref, err := source.Parse(fmt.Sprintf("oci://%s/guests/%d:1", r.host, r.guests.Add(1)))
	if err == nil {
		_, err = r.fetcher.Push(t.Context(), &source.Package{Module: module}, ref)
	}
	if err != nil {
		t.Fatal(err)
	}
	arrivals.all.Add(1)
	return ref
}

// arrive sends a module by a reference, and returns the plugin with a grant for where it came from.
func (r *road) arrive(t testing.TB, module []byte, grant wasmtools.Grant) (wasmtools.Source, wasmtools.Grant) {
	t.Helper()
	ref := r.publish(t, module)
	p, err := r.fetcher.Fetch(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	src := wasmtools.Source{Name: "hostile", Module: p.Module, Origin: ref.Source()}
	grant.Source = src.Origin
	return src, grant
}

// TestHostileOpeningByReference adds the modules that attack before they are called, by references: none is
// installed, and the operator reads why.
func TestHostileOpeningByReference(t *testing.T) {
	t.Parallel()
	r := newRoad(t)
	for _, tt := range openings() {
		t.Run(tt.name, func(t *testing.T) {
			ref, dir := r.publish(t, tt.module), t.TempDir()
			if tt.grant.Limits.WallMS == 0 && tt.says == "wall_ms" {
				tt.grant.Limits.WallMS = attackWall.Milliseconds() // another reason has the usual time
			}
			tt.grant.Source = ref.Source()
			grants, err := json.Marshal(wasmtools.Grants{"hostile": tt.grant})
			file := filepath.Join(dir, "grants.json")
			if err == nil {
				err = os.WriteFile(file, grants, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			workshop := author.NewWorkshop(wasmtools.Config{CacheDir: filepath.Join(dir, "compiled")}, nil)
			defer workshop.Close()
			s := shelf.New(shelf.Config{Dir: filepath.Join(dir, "plugins"), Grants: file, Fetcher: r.fetcher, Workshop: workshop})
			_, err = s.Plan(t.Context(), shelf.Request{Reference: ref.String(), As: "hostile"})
			if f := fault.From(err); err == nil || f.Code != sdkapi.ValidationError && f.Code != sdkapi.PayloadTooLarge {
				t.Errorf("it was taken, or nobody says why not: %v", err)
			} else if says := f.Message; !strings.Contains(says, tt.says) && f.Code == sdkapi.ValidationError {
				t.Errorf("%q wanted, got %v", tt.says, err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "plugins", "*")); len(left) > 0 {
				t.Errorf("the folder of plugins has %v", left)
			}
			if !t.Failed() {
				arrivals.refused.Add(1)
			}
		})
	}
}
