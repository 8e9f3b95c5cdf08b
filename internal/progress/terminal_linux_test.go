//go:build system

package progress_test

import (
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/internal/test/testkit"
)

// On a terminal a line says how far the work is, after a second, and is gone when the work is done.
func TestTerminal(t *testing.T) {
	t.Parallel()
	tty, drawn := testkit.Terminal(t)
	began := time.Now()
	ctx, done := progress.Show(t.Context(), tty, "opening")
	if !progress.IsTaken(ctx) || progress.IsTaken(t.Context()) {
		t.Error("IsTaken does not say where steps are reported to")
	}
	for _, step := range []struct {
		report func()
		shows  []string
	}{
		{func() {}, []string{"opening"}},
		{func() { progress.Report(ctx, "screens", 3, 12) }, []string{"screens", "25%", "3/12"}},
		{func() { progress.Report(ctx, "screens", 6, 12) }, []string{"50%", "6/12"}},
		{func() { progress.Report(ctx, "screens", 99, 12) }, nil}, // more than there should be
		{func() { progress.Bytes(ctx, "files", 5_000_000, 20_000_000) }, []string{"files", "25%", "5.0/20 MB"}},
		{func() { progress.Report(ctx, "rows", 7, 0) }, []string{"rows, 7"}},
		{func() { progress.Bytes(ctx, "fetching", 1_500_000, 0) }, []string{"fetching, 1.5 MB"}},
	} {
		step.report()
		for _, text := range step.shows {
			testkit.Eventually(t, text, func() (string, bool) { return drawn(), strings.Contains(drawn(), text) })
		}
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("a line stood there after %v", took)
	}
	done()
	done()
	testkit.Eventually(t, "the line is gone", func() (string, bool) {
		return drawn(), strings.HasSuffix(drawn(), "\r") && !strings.Contains(drawn(), "\n")
	})
}
