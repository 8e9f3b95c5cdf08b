package progress_test

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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

// Work that ends within a second draws nothing on a terminal.
func TestShortWork(t *testing.T) {
	t.Parallel()
	tty, drawn := testkit.Terminal(t)
	ctx, done := progress.Show(t.Context(), tty, "opening")
	progress.Report(ctx, "screens", 3, 12)
	done()
	if _, err := tty.WriteString("end"); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the end", func() (string, bool) { return drawn(), strings.Contains(drawn(), "end") })
	if drawn() != "end" {
		t.Errorf("drew %q", drawn())
	}
}

// Where there is no terminal, nothing is drawn however long work takes.
func TestFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		ctx, done := progress.Show(t.Context(), file, "opening")
		defer done()
		progress.Report(ctx, "screens", 3, 12)
		if progress.IsTaken(ctx) {
			t.Error("reports are taken for a file")
		}
		<-time.After(time.Minute)
		if info, err := file.Stat(); err != nil || info.Size() != 0 {
			t.Errorf("%v, %v", info, err)
		}
	})
}
