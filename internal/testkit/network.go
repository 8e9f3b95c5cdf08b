package testkit

import (
	"path/filepath"
	"testing"
)

// Network returns the file that this machine reads English with, or skips the
// test.
func Network(t testing.TB) string {
	t.Helper()
	for _, folder := range []string{"/usr/share/tesseract-ocr/*/tessdata", "/usr/share/tessdata", "/usr/share/tesseract/tessdata", "/usr/local/share/tessdata", "/opt/homebrew/share/tessdata"} {
		if found, _ := filepath.Glob(filepath.Join(folder, "eng.traineddata")); len(found) > 0 { // the pattern is a good one
			return found[len(found)-1]
		}
	}
	Skip(t, "eng.traineddata", "make deps")
	return ""
}
