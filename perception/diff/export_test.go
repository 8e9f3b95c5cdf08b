package diff

import "image"

// Of compares the pixels of two screens alone, with the same error. It takes
// some milliseconds for 1440 x 900 pixels.
func Of(was, is *image.NRGBA) (*Pixels, error) {
	g, err := compare(was, is)
	if err != nil {
		return nil, err
	}
	p := g.pixels()
	return &p, nil
}
