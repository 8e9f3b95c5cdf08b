//go:build !system

package wasmtools_test

import (
	"strings"
	"testing"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
)

// otherWall is the wall_ms of attacks that another limit is to end: far away, also on a machine that is busy.
const otherWall = 30_000

// clockTells says that tests may judge by how long something takes.
const clockTells = false

// TestHostileOpening gives modules that attack before they are called, but for those that time alone ends.
func TestHostileOpening(t *testing.T) {
	t.Parallel()
	for _, tt := range openings() {
		if tt.says == "wall_ms" {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := refused(t, wasmtools.Source{Module: tt.module}, tt.grant)
			if err.Code != sdkapi.ValidationError || !strings.Contains(err.Message, tt.says) {
				t.Errorf("%q wanted, got %v", tt.says, err)
			}
		})
	}
}

// survive runs attacks, but for those that time alone ends.
func survive(t *testing.T, attacks []attack) {
	t.Helper()
	for _, a := range attacks {
		if a.code == sdkapi.Timeout {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			a = a.withDefaults()
			p := openSource(t, a.cfg, a.grant, wasmtools.Source{Name: "hostile", Module: attacker(a.kind, a.pages, -1, a.imports, a.body)})
			mustAnswer(t, p)
			_, result, err := call(t.Context(), t, p, "attack", a.input)
			if u := result.Usage; u.PeakMemory > a.grant.Limits.MemoryBytes || u.WallTime <= 0 {
				t.Errorf("usage %+v", u)
			}
			mustAnswer(t, p)
			wantCode(t, err, a.code, a.says)
		})
	}
}

// road hands hostile guests over as they are. With the tag system they arrive by references.
type road struct{}

func newRoad(testing.TB) *road { return &road{} }

func (*road) arrive(_ testing.TB, module []byte, grant wasmtools.Grant) (wasmtools.Source, wasmtools.Grant) {
	return wasmtools.Source{Name: "hostile", Module: module}, grant
}

func contained() {}

func countArrivals(code int) int { return code }
