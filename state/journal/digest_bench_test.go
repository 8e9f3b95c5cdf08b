package journal_test

import (
	"strings"
	"testing"

	"github.com/windieos/windie/state/journal"
)

// BenchmarkDigest measures the digest of short and long arguments.
func BenchmarkDigest(b *testing.B) {
	for name, n := range map[string]int{"100B": 1, "10KB": 1100} {
		raw := []byte(`{"city":"Rome","days":3,"note":"` + strings.Repeat("a window ", n) + `seat"}`)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := journal.Digest("test.echo", raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
