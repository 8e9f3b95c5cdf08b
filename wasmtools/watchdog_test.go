package wasmtools_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// slowHost takes its time for random numbers, and nothing can stop it, as on a machine that stands still.
type slowHost struct {
	abi.Host
	time time.Duration
}

func (h slowHost) Random(p []byte) error {
	time.Sleep(h.time)
	return h.Host.Random(p)
}

// An answer that is there after wall_ms is dropped, also where the watchdog has not looked since: it does so
// after 5 and 10 ms here.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		takes time.Duration
		late  bool
	}{
		"in time":           {6 * time.Millisecond, false},
		"a little before":   {7*time.Millisecond - 1, false},
		"just late":         {7 * time.Millisecond, true},
		"late":              {8 * time.Millisecond, true},
		"long after a look": {time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := newHandmade(abi.Bulk, 1, 1, wasi("random_get")...)
				g.Fn("describe", "", "", g.try("output_write", w.I32(atTools), w.I32(len(description))))
				g.Fn("call", "", "", g.try("output_write", w.I32(atAnswer), w.I32(len(goodAnswer))), g.try("random_get", w.I32(atScratch), w.I32(8)))
				wrap := func(_ agent.Call, host abi.Host) abi.Host { return slowHost{host, tt.takes} }
				p, err := newEngine(t, wasmtools.Wrapped(wasmtools.Config{}, wrap)).Open(t.Context(), wasmtools.Source{Name: "slow", Module: g.Bytes()}, wasmtools.Grant{Limits: wasmtools.Limits{WallMS: 7}})
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				result, err := p.Call(t.Context(), "good", agent.Call{})
				if !tt.late {
					if err != nil || len(result.Content) != 1 || result.Content[0].Text != "good" {
						t.Errorf("%+v, %v", result, err)
					}
					return
				}
				wantCode(t, err, sdkapi.Timeout, "which is wall_ms (7 milliseconds)")
				if len(result.Content) > 0 || result.Usage.WallTime != tt.takes {
					t.Errorf("beside the error it has %+v", result)
				}
			})
		})
	}
}
