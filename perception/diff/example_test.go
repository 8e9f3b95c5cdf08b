package diff_test

import (
	"context"
	"fmt"
	"image"
	"image/color"

	"github.com/disintegration/imaging"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/diff"
	"github.com/windieos/windie/perception/elements"
)

func ExampleDiff() {
	row := func(text string) perception.Row {
		return perception.NewRow([]perception.Word{{Text: text, Box: image.Rect(20, 20, 90, 34)}})
	}
	was := imaging.New(200, 100, color.White)
	is := imaging.Paste(was, imaging.New(70, 14, color.Black), image.Pt(20, 20))
	before := &elements.Screen{Scene: &perception.Scene{Rows: []perception.Row{row("Saving …")}}}
	after := &elements.Screen{Scene: &perception.Scene{Rows: []perception.Row{row("Saved")}}}
	changes, err := diff.Diff(context.Background(), before, after, was, is)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(changes.Regions)
	for _, c := range changes.Rows.Changed {
		fmt.Printf("%q is %q now\n", c.Before.Text, c.After.Text)
	}
	// Output:
	// [(20,20)-(90,34)]
	// "Saving …" is "Saved" now
}
