package perception

import (
	"image"
	"sync"
	"testing"
)

func TestPart(t *testing.T) {
	t.Parallel()
	row := Row{ID: "ocr_1", Text: "Add to cart", Box: image.Rect(0, 0, 60, 10), Words: []Word{
		{"Add", 0.9, image.Rect(0, 0, 20, 10)}, {"to", 0.8, image.Rect(25, 2, 35, 10)}, {"cart", 0.6, image.Rect(40, 1, 60, 10)},
	}}
	part := row.Part(1, 3)
	if part.Text != "to cart" || part.Box != image.Rect(25, 1, 60, 10) || part.Confidence < 0.699 || part.Confidence > 0.701 {
		t.Errorf("%+v", part)
	}
	if whole := row.Part(0, 3); whole.ID != row.ID || whole.Box != row.Box {
		t.Errorf("the whole is %+v", whole)
	}
	scene := &Scene{Rows: []Row{{ID: "ocr_0"}, row}}
	seen := map[string]bool{"ocr_0": true}
	for from := range 3 {
		for to := from + 1; to <= 3; to++ {
			p := row.Part(from, to)
			if seen[p.ID] {
				t.Errorf("two parts are called %s", p.ID)
			}
			seen[p.ID] = true
			if found, index, ok := scene.Find(p.ID); !ok || index != 1 || found.Text != p.Text {
				t.Errorf("%s is found as %+v", p.Text, found)
			}
		}
	}
	if _, _, ok := scene.Find("ocr_none"); ok {
		t.Error("found what is not there")
	}
}

func TestMemoIsMadeOnce(t *testing.T) {
	t.Parallel()
	scene, made := new(Scene), 0
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if got := Memo(scene, func(*Scene) int { made++; return 7 }); got != 7 {
				t.Errorf("got %d", got)
			}
		})
	}
	wg.Wait()
	if made != 1 || Memo(scene, func(*Scene) string { return "other" }) != "other" {
		t.Errorf("made %d times", made)
	}
}
