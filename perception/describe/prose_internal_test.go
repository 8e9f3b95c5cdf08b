package describe

import (
	"image"
	"testing"
)

// A table whose first row has no text is described without the row.
func TestTableWithoutText(t *testing.T) {
	t.Parallel()
	d := &describer{out: &Description{Regions: []Region{{Box: image.Rect(0, 0, 9, 9), Rows: 2, Columns: 3}}}}
	if got, want := d.tableSentence(0, ""), "A table of 2 rows and 3 columns."; got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}

// A single further part is in the singular.
func TestOneMorePart(t *testing.T) {
	t.Parallel()
	d := &describer{out: &Description{MoreRegions: 1}}
	if got, want := d.prose(), "An image, 0 x 0, on which nothing was found. There is 1 more part."; got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}
