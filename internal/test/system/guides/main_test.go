//go:build system

package guides_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/internal/test/system/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }

// putProgram puts the program into a folder, as windie.
func putProgram(t *testing.T, bin string) {
	t.Helper()
	err := os.MkdirAll(bin, 0o700)
	if err == nil {
		err = os.Symlink(rig.Program(t), filepath.Join(bin, "windie"))
	}
	if err != nil {
		t.Fatal(err)
	}
}
