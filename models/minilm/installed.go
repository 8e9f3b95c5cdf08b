package minilm

import (
	"os"
	"path/filepath"
)

// Installed reports whether files of the model are in a folder, without a look into them.
func Installed(dir string) bool {
	for _, name := range []string{weightsFile, vocabularyFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}
