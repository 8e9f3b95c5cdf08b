package icons_test

import (
	"fmt"
	"image"
	"image/color"

	"github.com/windieos/windie/perception/elements/icons"
)

// A cross, drawn with two strokes, is named.
func Example() {
	mask := image.NewAlpha(image.Rect(0, 0, 16, 16))
	for i := 2; i < 14; i++ {
		for _, x := range []int{i, 15 - i} {
			mask.SetAlpha(x, i, color.Alpha{A: 255})
		}
	}
	fmt.Println(icons.Match(mask)[0].Name)
	fmt.Println(icons.Lookup("dismiss"))
	// Output:
	// close
	// [close]
}
