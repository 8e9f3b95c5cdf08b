package minilm

import (
	"os"
	"path/filepath"
)

// Installed reports whether the model's files exist in a folder. It does not check the content of
// the files.
func Installed(dir string) bool {
	for _, name := range []string{weightsFile, vocabularyFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}
