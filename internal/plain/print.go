package plain

import (
	"encoding/json"
	"io"
	"os"

	"github.com/mattn/go-isatty"
)

// JSON writes v for people and programs: indented, with <, > and & as they are.
func JSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// IsTerminal reports whether people read what is written to w.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
