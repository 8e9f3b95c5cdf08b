package elements

import (
	"context"
	"image"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/windieos/windie/perception"
)

// Screen is a scene and its elements. It never changes and may be shared between goroutines.
type Screen struct {
	*perception.Scene
	Elements []Element // each after what it is in
}

// Screens finds and caches the elements of screens. Its methods are safe for concurrent use.
type Screens struct {
	scenes *perception.Scenes

	mu    sync.Mutex
	cache *simplelru.LRU[perception.Key, *Screen]
}

// cachedScreens is how many screens are cached. A dense one takes some 100 KB.
const cachedScreens = 32

// NewScreens returns an empty set of screens that scenes reads.
func NewScreens(scenes *perception.Scenes) *Screens {
	cache, _ := simplelru.NewLRU[perception.Key, *Screen](cachedScreens, nil) // fails only for a size below one
	return &Screens{scenes: scenes, cache: cache}
}

// Screen returns what is on the screen src, with the errors of perception.Scenes.
func (s *Screens) Screen(ctx context.Context, src perception.Source) (*Screen, error) {
	s.mu.Lock()
	known, ok := s.cache.Get(src.Key())
	s.mu.Unlock()
	if ok {
		return known, nil
	}
	found, decoded := []Element(nil), false
	src.OnDecoded = func(img *image.NRGBA, rows []perception.Row) { found, decoded = Find(img, rows), true }
	scene, err := s.scenes.Scene(ctx, src)
	if err != nil {
		return nil, err
	}
	if !decoded { // the scene was known already
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
	s.cache.Add(src.Key(), screen)
	return screen, nil
}
