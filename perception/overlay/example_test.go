package overlay_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"

	"github.com/disintegration/imaging"

	"github.com/windieos/windie/perception/overlay"
)

func Example() {
	screen := imaging.New(400, 300, color.White)
	marks := []overlay.Mark{
		{Box: image.Rect(40, 60, 160, 90), Label: "1"},
		{Box: image.Rect(220, 60, 340, 90), Label: "2 · Add to cart"},
	}
	marked, err := overlay.Draw(context.Background(), screen, marks, overlay.Options{Labels: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := overlay.Encode(context.Background(), &file, marked); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(marked.Bounds().Size(), marked.NRGBAAt(37, 75), file.Len() > 0)
	// Output: (400,300) {216 31 128 255} true
}
