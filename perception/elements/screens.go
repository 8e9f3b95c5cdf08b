package elements

import (
	"context"
	"image"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/windieos/windie/perception"
)

// Screen is a scene and its elements. It does not change once made, so it may
// be shared between goroutines; nobody may write to it.
type Screen struct {
	*perception.Scene
	Elements []Element // each after what it is in
}

// Screens finds the elements of screens, and keeps those of the latest. Its
// methods may be called from several goroutines at once.
type Screens struct {
	scenes *perception.Scenes

	mu   sync.Mutex
	kept *simplelru.LRU[[2]string, *Screen] // by image and languages
}

// keptScreens is how many screens are kept. A dense one takes some 100 KB
// besides its scene.
const keptScreens = 32

// NewScreens returns an empty set of screens that scenes reads.
func NewScreens(scenes *perception.Scenes) *Screens {
	kept, _ := simplelru.NewLRU[[2]string, *Screen](keptScreens, nil) // fails only for a size below one
	return &Screens{scenes: scenes, kept: kept}
}

// Screen returns what is on the screen src, with the errors of
// perception.Scenes.
func (s *Screens) Screen(ctx context.Context, src perception.Source) (*Screen, error) {
	key := [2]string{src.SHA256, src.Languages}
	s.mu.Lock()
	known, ok := s.kept.Get(key)
	s.mu.Unlock()
	if ok {
		return known, nil
	}
	found, looked := []Element(nil), false
	src.Look = func(img *image.NRGBA, rows []perception.Row) { found, looked = Find(img, rows), true }
	scene, err := s.scenes.Scene(ctx, src)
	if err != nil {
		return nil, err
	}
	if !looked { // the scene was known already
		if err := s.scenes.WithPixels(ctx, src, func(_ context.Context, img *image.NRGBA) error {
			found = Find(img, scene.Rows)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	screen := &Screen{Scene: scene, Elements: found}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.Add(key, screen)
	return screen, nil
}
