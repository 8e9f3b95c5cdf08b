package reader

import (
	"context"
	"image"
	"strings"

	"github.com/windieos/windie/perception/textline"
)

// ReadGiven returns the text in each of the given boxes of a screen. Each box must contain exactly
// one line of text. The result has one text for each box; if a box is unreadable, its text is "".
// ReadGiven does not search for lines, filter the texts or use the cache. It fails if a network is
// missing. It returns the error of ctx soon after ctx ends.
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
