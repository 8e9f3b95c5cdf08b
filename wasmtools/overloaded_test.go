package wasmtools_test

import (
	"testing"
	"time"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// A plugin that gets no memory or no core has no defect: opening it fails with OVERLOADED. One that needs more memory
// than there is has a defect.
func TestOpeningOnABusyMachine(t *testing.T) {
	t.Parallel()
	all := func(wait time.Duration) *fair.Pool {
		pool := fair.New(fair.Options{Name: "units", Capacity: 16 * onePage, Long: 16 * onePage, Wait: wait})
		if _, err := pool.Take(t.Context(), "reading", 16*onePage, fair.Long); err != nil {
			t.Fatal(err)
		}
		return pool
	}
	for name, tt := range map[string]struct {
		cfg  wasmtools.Config
		wall int64
		code sdkapi.Code
		told string
	}{
		"no memory":             {wasmtools.Config{Memory: all(time.Millisecond)}, 0, sdkapi.Overloaded, "try again later"},
		"no memory in its time": {wasmtools.Config{Memory: all(time.Hour)}, 20, sdkapi.Overloaded, "waited too long for memory"},
		"no core":               {wasmtools.Config{Cores: all(time.Millisecond)}, 0, sdkapi.Overloaded, ""},
		"no core in its time":   {wasmtools.Config{Cores: all(time.Hour)}, 20, sdkapi.Overloaded, "waited too long for memory or a core"},
		"never so much memory":  {wasmtools.Config{Memory: fair.New(fair.Options{Name: "bytes", Capacity: 1})}, 0, sdkapi.ValidationError, "bytes of memory to start, and the limit for one plugin is 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			grant := wasmtools.Grant{}
			if tt.wall > 0 {
				grant.Limits = wasmtools.Limits{WallMS: tt.wall}
			}
			p, err := newEngine(t, tt.cfg).Open(t.Context(), wasmtools.Source{Name: "echo", Module: w.Echo()}, grant)
			if err == nil {
				p.Close()
			}
			wantCode(t, err, tt.code, tt.told)
		})
	}
}
