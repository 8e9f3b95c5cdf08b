package elements

import (
	"context"
	"image"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/windieos/windie/perception"
)

// Screen is a scene and its elements. It never changes, so goroutines may share it.
type Screen struct {
	*perception.Scene
	// Elements has the elements of the screen. A container comes before its content.
	Elements []Element
}

// Screens finds and caches the elements of screens. Its methods are safe for concurrent use.
type Screens struct {
	scenes *perception.Scenes

	mu      sync.Mutex
	forgets int // number of calls of forget; Screen does not cache a result that a call may concern
	cache   *simplelru.LRU[perception.Key, *Screen]
}

// cachedScreens is the maximum number of cached screens. A dense one takes about 100 KB.
const cachedScreens = 32

// NewScreens returns Screens with an empty cache. scenes reads the screens. If scenes is nil,
// callers must not call Screen.
func NewScreens(scenes *perception.Scenes) *Screens {
	// fails only for a size below one
	cache, _ := simplelru.NewLRU[perception.Key, *Screen](cachedScreens, nil)
	s := &Screens{scenes: scenes, cache: cache}
	if scenes != nil { // without scenes there are no screens to forget
		scenes.OnForget(s.forget)
	}
	return s
}

// Screen returns the scene of src and its elements. It fails like perception.Scenes.Scene.
func (s *Screens) Screen(ctx context.Context, src perception.Source) (*Screen, error) {
	ctx, cancel := s.scenes.Begin(ctx)
	defer cancel()
	key := s.scenes.Key(src)
	s.mu.Lock()
	known, ok := s.cache.Get(key)
	forgets := s.forgets
	s.mu.Unlock()
	if ok {
		return known, nil
	}
	src.Working = WorkingBytes
	found, decoded := []Element(nil), false
	src.OnDecoded = func(ctx context.Context, img *image.NRGBA, rows []perception.Row) (err error) {
		found, err = Find(ctx, img, rows)
		decoded = err == nil
		return err
	}
	scene, err := s.scenes.Scene(ctx, src)
	if err != nil {
		return nil, err
	}
	if !decoded { // the scene was known already
		if err := s.scenes.WithPixels(ctx, WorkingBytes, func(ctx context.Context, list ...perception.Pixels) (err error) {
			if err = perception.Clean(ctx, list[0].NRGBA); err == nil {
				found, err = Find(ctx, list[0].NRGBA, scene.Rows)
			}
			return err
		}, src); err != nil {
			return nil, err
		}
	}
	screen := &Screen{Scene: scene, Elements: found}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.forgets == forgets {
		s.cache.Add(key, screen)
	}
	return screen, nil
}

// forget removes the screens from the cache whose keys accept returns true for.
func (s *Screens) forget(accept func(perception.Key) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgets++
	for _, key := range s.cache.Keys() {
		if accept(key) {
			s.cache.Remove(key)
		}
	}
}
