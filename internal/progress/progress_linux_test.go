package progress_test

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/internal/test/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
