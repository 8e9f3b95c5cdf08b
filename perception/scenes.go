package perception

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"math"
	"reflect"
	"runtime"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/sdkapi"
)

// Scene is the content of one screen as an engine read it. It never changes, so goroutines may
// share it.
type Scene struct {
	Header
	SHA256         string // hash of the encoded image, in lower-case hex
	sdkapi.Reading        // the parameters of its Source
	Rows           []Row  // rows of text, in reading order

	user  string   // the owner, if each user has a cache; otherwise empty
	again bool     // whether this is a second reading
	memos sync.Map // values of Memo by their type
}

// Memo returns the value of type T that belongs to s. The first call computes the value with
// derive, and later calls return the same value. A scene stores one value of each type.
func Memo[T any](s *Scene, derive func(*Scene) T) T {
	once, _ := s.memos.LoadOrStore(reflect.TypeFor[T](), sync.OnceValue(func() any { return derive(s) }))
	return once.(func() any)().(T)
}

// Source provides the image of a screen, and says how to read the image.
type Source struct {
	SHA256 string // hash of the bytes that Read returns, in lower-case hex
	// Read returns the encoded image. It is not called if the scene is cached.
	Read func(context.Context) ([]byte, error)
	// Size is the number of bytes that Read will load. It is 0 if the image is already in memory.
	Size int64
	// User is the owner of the work. The work uses this user's share of cores and memory. User is
	// empty in local mode.
	User           string
	sdkapi.Reading // the zero value selects the engine's defaults

	// Again requests a second reading, which enlarges the screen first. It finds text that the
	// first reading missed or misread, and may miss text that the first reading found.
	Again bool
	// First has the rows of the first reading. Only a second reading uses it.
	First []Row

	// OnDecoded, if not nil, gets the pixels and rows when a screen is read for this source. It is
	// not called for a cached scene. It must not retain the pixels or the rows after it returns. If
	// it fails, the reading fails with its error.
	OnDecoded func(context.Context, *image.NRGBA, []Row) error

	// Working returns the maximum bytes of memory that OnDecoded needs for a screen of this size.
	// If Working is nil, OnDecoded needs little memory.
	Working func(size image.Point) int64
}

// Key identifies a scene: one image and one set of parameters. If each user has a separate cache,
// the key also contains the user. A request that omits a parameter and a request that states the
// parameter's default value have different keys.
type Key struct {
	// User is the owner, or "" if users share a cache.
	User string
	// SHA256 is the hash of the encoded image, in lower-case hex.
	SHA256 string
	sdkapi.Reading
	Again bool // whether this is a second reading
}

// Key returns the key of the scene that src describes.
func (s *Scenes) Key(src Source) Key {
	key := Key{SHA256: src.SHA256, Reading: src.Reading, Again: src.Again}
	if s.opts.Apart {
		key.User = src.User
	}
	return key
}

// Key returns the key under which Scenes caches the scene.
func (s *Scene) Key() Key { return Key{s.user, s.SHA256, s.Reading, s.again} }

// SourceOf returns a source with the encoded image data. The caller must not change data
// afterwards.
func SourceOf(data []byte) Source {
	sum := sha256.Sum256(data)
	return Source{SHA256: hex.EncodeToString(sum[:]), Read: func(context.Context) ([]byte, error) { return data, nil }}
}

// Options configures Scenes. If a field is zero, its default applies.
type Options struct {
	CacheBytes int64 // maximum bytes of cached scenes; default 64 MiB
	// Timeout is the time limit of a request about a screen, including the time that it waits;
	// default 60 s.
	Timeout time.Duration
	// Memory is the pool of memory for images and for the work on them, in bytes; default
	// unlimited.
	Memory *fair.Pool
	// Cores is the pool of CPU cores; default NewCores(GOMAXPROCS).
	Cores *fair.Pool
	// Apart gives each user a separate cache, so that response times do not reveal what other users
	// have read.
	Apart bool
}

// NewCores returns a pool of n cores for work on screens. One additional unit of the pool is
// reserved for small screens.
func NewCores(n int) *fair.Pool {
	return fair.New(fair.Options{Name: "cores for screens", Capacity: int64(n) + 1, Long: int64(n)})
}

// Scenes reads screens with an engine and caches the scenes. Its methods are safe for concurrent
// use.
type Scenes struct {
	engine Engine
	opts   Options
	files  *fair.Pool // bytes of encoded images that wait for memory and a core

	mu    sync.Mutex
	cache *cache
	loads map[Key]*load

	onForget []func(drop func(Key) bool)
	counts   counts
}

// load is the reading of one scene. All callers that want the scene meanwhile share it.
type load struct {
	done    chan struct{} // closed when scene and err are set
	cancel  context.CancelFunc
	waiting int // number of waiting callers; the last to leave cancels the work

	forgotten bool // Forget ran meanwhile, so the scene must not be cached
	scene     *Scene
	err       error
	// the load failed only for its first caller, by its source or its deadline; other callers try
	// their own
	ownFailure bool
}

// NewScenes returns Scenes with an empty cache. engine reads the screens.
func NewScenes(engine Engine, opts Options) *Scenes {
	opts.CacheBytes = cmp.Or(opts.CacheBytes, 64<<20)
	opts.Timeout = cmp.Or(opts.Timeout, time.Minute)
	if opts.Memory == nil {
		opts.Memory = fair.New(fair.Options{Name: "bytes of memory for screens", Capacity: math.MaxInt64 / 4, Long: math.MaxInt64 / 4})
	}
	if opts.Cores == nil {
		opts.Cores = NewCores(runtime.GOMAXPROCS(0))
	}
	return &Scenes{
		engine: engine, opts: opts, cache: newCache(opts.CacheBytes), loads: map[Key]*load{},
		files: fair.New(fair.Options{Name: "bytes of memory for files of images", Capacity: maxFiles, Long: longFiles}),
	}
}

// Scene returns the scene of src. If the scene is not cached, Scene reads the screen first.
// Concurrent callers for the same screen share this work. The end of one caller's context does not
// affect the others. The work is cancelled when the contexts of all these callers have ended. Scene
// does not cache failures. An error of src.Read is returned only to the caller that passed this
// src.
func (s *Scenes) Scene(ctx context.Context, src Source) (*Scene, error) {
	ctx, cancel := s.Begin(ctx)
	defer cancel()
	key := s.Key(src)
	for {
		s.mu.Lock()
		if scene, ok := s.cache.get(key); ok {
			s.counts.hits++
			s.mu.Unlock()
			return scene, nil
		}
		l, own := s.join(ctx, key, src)
		s.mu.Unlock()
		select {
		case <-l.done:
			if own || !l.ownFailure {
				return l.scene, l.err
			}
		case <-ctx.Done():
			s.leave(key, l)
			return nil, ctx.Err()
		}
	}
}

// Ready returns nil if the engine can read screens. Otherwise it returns the engine's error.
func (s *Scenes) Ready(ctx context.Context) error { return s.engine.Ready(ctx) }

// EngineName returns the name of the engine: the result of Engine.Name.
func (s *Scenes) EngineName() string { return s.engine.Name() }

// join returns the load for key. own reports whether this call started it. The caller must hold
// s.mu.
func (s *Scenes) join(ctx context.Context, key Key, src Source) (l *load, own bool) {
	if l, ok := s.loads[key]; ok {
		l.waiting++
		s.counts.shared++
		return l, false
	}
	// All waiting callers share the work, so the end of the first caller's ctx must not cancel it.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if deadline, ok := ctx.Deadline(); ok {
		work, cancel = context.WithDeadline(work, deadline)
	}
	l = &load{done: make(chan struct{}), cancel: cancel, waiting: 1}
	s.loads[key] = l
	s.counts.misses++
	go s.run(work, key, src, l)
	return l, true
}

// leave removes a caller that stops waiting for l. The last caller to leave cancels the reading.
func (s *Scenes) leave(key Key, l *load) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.waiting--; l.waiting == 0 {
		l.cancel()
		if s.loads[key] == l {
			delete(s.loads, key) // the next caller starts a new load
		}
	}
}

// run reads the scene of l, caches it unless it was forgotten meanwhile, and wakes all waiting callers.
func (s *Scenes) run(ctx context.Context, key Key, src Source, l *load) {
	defer l.cancel()
	scene, err := s.make(ctx, src, l)
	s.mu.Lock()
	defer s.mu.Unlock()
	l.scene, l.err = scene, err
	l.ownFailure = l.ownFailure || errors.Is(err, context.DeadlineExceeded)
	s.counts.outcome(err)
	if err == nil && !l.forgotten {
		scene.user = key.User
		s.cache.add(scene)
	}
	if s.loads[key] == l {
		delete(s.loads, key)
	}
	close(l.done)
}

// make decodes and reads the screen of src. It sets l.ownFailure if src.Read failed. A panic becomes an error.
func (s *Scenes) make(ctx context.Context, src Source, l *load) (scene *Scene, err error) {
	defer func() { // an unrecovered panic of a goroutine would end the process
		if r := recover(); r != nil {
			err = fmt.Errorf("reading a screen panicked: %v", r)
		}
	}()
	working := func(size image.Point) int64 {
		if src.Again {
			return enlargedBytes(size) + s.engineBytes(size.Mul(againMore).Div(againLess))
		}
		return max(s.engineBytes(size), src.workingBytes(size))
	}
	err = s.withPixels(ctx, []Source{src}, working, func(ctx context.Context, list ...Pixels) error {
		screen, err := cleaned(ctx, list[0].NRGBA)
		if err != nil {
			return err
		}
		if src.Again {
			screen = ScreenOf(enlarge(screen.NRGBA, src.First))
		}
		rows, err := s.read(s.withOwner(ctx, src.User), screen, src.Reading)
		if err != nil {
			return err
		}
		if src.Again {
			shrink(rows)
		}
		for i := range rows {
			rows[i].ID = rowID(src.SHA256, rows[i])
		}
		if src.OnDecoded != nil && !src.Again {
			screen.Before = nil
			collect(s.engineBytes(screen.Rect.Size()))
			err = src.OnDecoded(ctx, screen.NRGBA, rows)
		}
		scene = &Scene{Header: list[0].Header, SHA256: src.SHA256, Reading: src.Reading, Rows: rows, again: src.Again}
		return err
	})
	if failed, ok := errors.AsType[*unreadError](err); ok {
		l.ownFailure = ctx.Err() == nil
		return nil, failed.error
	}
	if err != nil {
		return nil, err
	}
	return scene, nil
}

// rowID returns an ID that depends only on the image, the box and the text.
func rowID(sha string, r Row) string { return candidateID("%s %v %s", sha, r.Box, r.Text) }

// candidateID returns an ID that depends only on the formatted text, for example "ocr_" and a short hash.
func candidateID(format string, args ...any) string {
	return "ocr_" + hashid.Of(fmt.Sprintf(format, args...), 6)
}
