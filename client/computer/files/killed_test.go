//go:build system

package files_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/windieos/windie/client/computer/files"
)

// A program that is killed in any piece of a large write leaves the old file or the new one, and can go on.
func TestKilled(t *testing.T) {
	t.Parallel()
	text, oldOnes, newOnes := content(), 0, 0
	for round := range 4 * pieces {
		dir := t.TempDir()
		put(t, dir, "file", "old")
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), writerEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if lines.Text() == fmt.Sprint("piece ", round%pieces) {
				timer := time.NewTimer(time.Duration(rand.IntN(16)) * time.Millisecond)
				<-timer.C
				_ = cmd.Process.Kill()
				break
			}
		}
		_ = cmd.Wait()
		got, err := os.ReadFile(filepath.Join(dir, "file"))
		switch {
		case err == nil && string(got) == "old":
			oldOnes++
		case err == nil && string(got) == text:
			newOnes++
			continue
		default:
			t.Fatalf("killed in piece %d: %d bytes, %v", round%pieces, len(got), err)
		}
		m := open(t, dir, files.Rules{})
		for i, done := 0, false; i < pieces && !done; i++ { // those that have come are known
			if done, err = sendPiece(m.View, text, i); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(filepath.Join(dir, "file")); string(got) != text || err != nil {
			t.Fatalf("gone on after piece %d: %d bytes, %v", round%pieces, len(got), err)
		}
	}
	t.Logf("killed %d times: %d old files, %d new ones", 4*pieces, oldOnes, newOnes)
}
