// Package testdata holds the dialogues of the API, for `cmd/conformance`.
package testdata

import (
	"embed"
	"fmt"
	"io/fs"
)

// Dialogues are all recorded dialogues.
//
//go:embed *.txtar
var Dialogues embed.FS

//go:embed files
var files embed.FS

// File returns a picture that dialogues send, by its name.
func File(name string) ([]byte, error) {
	content, err := fs.ReadFile(files, "files/"+name)
	if err != nil {
		return nil, fmt.Errorf("no sample file %q", name)
	}
	return content, nil
}
