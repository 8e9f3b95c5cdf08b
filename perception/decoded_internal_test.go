//go:build system

package perception

import (
	"runtime"
	"strings"
	"testing"
)

// What is known of an image before it is decoded is as much as decoding takes, and not much more.
// Everything that is allocated counts, as nobody knows when it is collected.
func TestDecodedBytes(t *testing.T) {
	for name, data := range costly(t) {
		t.Run(name, func(t *testing.T) {
			h, cost, err := DecodedBytes(data)
			if err != nil || h.Width != 1500 {
				t.Fatal(h, err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, _, err := Decode(t.Context(), data); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			took := int64(after.TotalAlloc - before.TotalAlloc)
			t.Logf("%.2f of %.2f bytes a pixel", float64(took)/1500/1100, float64(cost)/1500/1100)
			most := took * 3 / 2
			if strings.HasPrefix(name, "webp-lossless") || strings.HasPrefix(name, "webp-lossy-alpha") { // which transforms there are shows on the way
				most = took * 5 / 2
			}
			if took > cost || cost > most {
				t.Errorf("decoding takes %d bytes, and %d were expected", took, cost)
			}
		})
	}
}
