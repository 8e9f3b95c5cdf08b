package tesseract

import (
	"context"
	"strings"

	"github.com/windieos/windie/perception"
)

// installed lists the languages for which the program has data.
func (e *Engine) installed(ctx context.Context) ([]string, error) {
	out, err := e.run(ctx, nil, e.withData("--list-langs")...)
	if err != nil {
		return nil, unavailable("tesseract failed to list its languages; check WINDIE_TESSDATA").Because(err)
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		// The first line is a heading, which has spaces.
		if name := strings.TrimSpace(line); name != "" && !strings.Contains(name, " ") && perception.IsLanguage(name) {
			list = append(list, name)
		}
	}
	return list, nil
}

// check returns a ValidationError for the first of languages that is not installed, or nil.
func (e *Engine) check(ctx context.Context, languages string) error {
	list, err := e.installed(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	return perception.CheckLanguages("tesseract", languages, list, "")
}
