package reader

import (
	"context"
	"image"
	"strings"

	"github.com/windieos/windie/perception/textline"
)

// ReadGiven returns what stands in boxes of a screen that are known to hold one line each: the text of each, or "".
// Nothing is looked for, left out or cached.
func (e *Engine) ReadGiven(ctx context.Context, screen *image.NRGBA, boxes []image.Rectangle) ([]string, error) {
	networks, err := e.models.load(e.cfg.Languages)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(boxes))
	var at []int
	var patches []*textline.Patch
	for i, box := range boxes {
		if line, ok := textline.Given(screen, box); ok {
			at, patches = append(at, i), append(patches, line.Patch(screen))
		}
	}
	spellings, err := readPatches(ctx, networks, patches)
	if err != nil {
		return nil, err
	}
	for k, s := range spellings {
		var words []string
		for _, w := range s.text().words {
			words = append(words, w.text)
		}
		texts[at[k]] = strings.Join(words, " ")
	}
	return texts, nil
}
