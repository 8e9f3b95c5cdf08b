package describe_test

import (
	"fmt"
	"image"

	"github.com/windieos/windie/perception/describe"
	"github.com/windieos/windie/perception/elements"
)

func ExampleDescribe() {
	p := newPage(white)
	p.add(elements.Panel, image.Rect(0, 0, 1000, 60), "", blue)
	p.add(elements.SearchBox, image.Rect(200, 10, 600, 50), "Search", white)
	p.icon(900, 14, "bell")
	p.icon(940, 14, "settings")
	p.add(elements.Button, image.Rect(300, 300, 400, 340), "Delete", red)
	d := describe.Describe(p.Screen)
	fmt.Println(d.Prose)
	for _, c := range d.Controls {
		fmt.Println(c.Role, c.Label, c.Icon, c.Point)
	}
	// Output:
	// A light page, 1000 x 700, mostly white. At the top a bar with the search box "Search" and 2 icon buttons: bell and settings. The main part has the button "Delete" (red).
	// search box Search  (400,30)
	// icon button  bell (916,30)
	// icon button  settings (956,30)
	// button Delete  (350,320)
}
