package elements

import (
	"context"
	"image"

	"github.com/windieos/windie/perception"
)

// ByRules returns the elements of a drawing as the rules judge them. The models that judge what can be
// acted on know real screens, which a drawing is not.
func ByRules(ctx context.Context, img *image.NRGBA, rows []perception.Row) ([]Element, error) {
	f, err := find(ctx, img, rows)
	if err != nil || f == nil {
		return nil, err
	}
	f.captionAll()
	return f.list, nil
}
