//go:build system

package reader_test

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// TestFramesReadAsIfAlone checks that earlier frames do not change a reading: an engine that has
// read many frames and a new engine must return the same rows.
func TestFramesReadAsIfAlone(t *testing.T) {
	t.Parallel()
	testkit.Network(t)
	all := screens(t)
	r := rand.New(rand.NewPCG(11, 12))
	remembers, forgets := engine(t), engine(t)
	rows := 0
	for _, name := range []string{"table", "chat", "editor-dark", "dialog"} {
		frame := testkit.Canvas(560, 360, color.White)
		draw.Draw(frame, frame.Rect, all[name], image.Pt(r.IntN(200), r.IntN(100)), draw.Src)
		for range 4 * len(changes) {
			change := changes[r.IntN(len(changes))]
			change.make(frame, r)
			got := read(t, remembers, slice(frame))
			want := read(t, forgets, slice(frame))
			forgets.Forget("")
			rows += len(want)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, after %s: %s", name, change.name, firstUnlike(got, want))
			}
		}
	}
	if rows < 500 {
		t.Errorf("only %d rows were compared", rows)
	}
}
