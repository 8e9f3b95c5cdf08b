package tesseract

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// noLanguages are data files that the program lists, and that hold no
// language: for a page's orientation, and for formulas.
var noLanguages = []string{"osd", "equ"}

// installed lists the languages whose data is there. It asks the program each
// time, so that one may be added while the gateway runs.
func (e *Engine) installed(ctx context.Context) ([]string, error) {
	out, err := e.run(ctx, nil, e.withData("--list-langs")...)
	if err != nil {
		return nil, unavailable("tesseract cannot list its languages; check WINDIE_TESSDATA").Because(err)
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		// The first line is a heading, which has spaces.
		if name := strings.TrimSpace(line); name != "" && !strings.Contains(name, " ") && !slices.Contains(noLanguages, name) {
			list = append(list, name)
		}
	}
	return list, nil
}

// check reports the first of languages that a caller cannot have.
func (e *Engine) check(ctx context.Context, languages string) error {
	list, err := e.installed(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	for _, lang := range strings.Split(languages, "+") {
		if !slices.Contains(list, lang) {
			return fault.New("tesseract", sdkapi.ValidationError, "the text reader has no language %q, only %s: %s",
				lang, strings.Join(list, ", "), howToAdd(lang))
		}
	}
	return nil
}

// howToAdd says where the data of a language comes from. Debian's packages
// are named after it, with dashes.
func howToAdd(lang string) string {
	return fmt.Sprintf("install the package tesseract-ocr-%s, or put %s.traineddata where WINDIE_TESSDATA points",
		strings.ToLower(strings.ReplaceAll(lang, "_", "-")), lang)
}
