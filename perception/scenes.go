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

// Scene is what is known of one screen. It never changes and may be shared between goroutines.
type Scene struct {
	Header
	SHA256         string // of the encoded image, in lower-case hex
	sdkapi.Reading        // as its Source asks for
	Rows           []Row  // in reading order

	user  string   // whose it is, where users have caches of their own
	again bool     // whether it is a second look
	memos sync.Map // by type: see Memo
}

// Memo returns the T that derive makes of s at first use. A scene keeps one of each type.
func Memo[T any](s *Scene, derive func(*Scene) T) T {
	once, _ := s.memos.LoadOrStore(reflect.TypeFor[T](), sync.OnceValue(func() any { return derive(s) }))
	return once.(func() any)().(T)
}

// Source is where a screen comes from, and how to read it.
type Source struct {
	SHA256         string                                // of what Read returns, in lower-case hex
	Read           func(context.Context) ([]byte, error) // the encoded image; not called for a screen already known
	Size           int64                                 // of what Read returns, in bytes; 0 if that is in memory already
	User           string                                // whose turn it takes; empty in local mode
	sdkapi.Reading                                       // its zero value is the engine's own choice

	// Again has the screen read once more in another way, and First is what the first look found. A second look finds what
	// the first one missed or took for something else, and may miss what that found.
	Again bool
	First []Row

	// OnDecoded, if not nil, is called with the pixels and rows of a screen that is read for this
	// source, unless it is cached. It may keep neither. Its error is that of the reading.
	OnDecoded func(context.Context, *image.NRGBA, []Row) error

	// Working returns the most memory that OnDecoded takes, in bytes; nil for little.
	Working func(size image.Point) int64
}

// Key names a scene: one image, read in one way, for one user where users have caches of their own.
// Options left to the engine, and the same ones spelled out, are two keys.
type Key struct {
	User   string
	SHA256 string
	sdkapi.Reading
	Again bool // whether it is a second look
}

// Key names the scene of a source.
func (s *Scenes) Key(src Source) Key {
	key := Key{SHA256: src.SHA256, Reading: src.Reading, Again: src.Again}
	if s.opts.Apart {
		key.User = src.User
	}
	return key
}

// Key names a scene, as its Source does.
func (s *Scene) Key() Key { return Key{s.user, s.SHA256, s.Reading, s.again} }

// SourceOf returns a screen whose encoded image is data.
func SourceOf(data []byte) Source {
	sum := sha256.Sum256(data)
	return Source{SHA256: hex.EncodeToString(sum[:]), Read: func(context.Context) ([]byte, error) { return data, nil }}
}

// Options bound what Scenes may use. Zero values take the default.
type Options struct {
	CacheBytes int64         // of scenes kept; default 64 MiB
	Timeout    time.Duration // of a question about a screen, waiting included; default 60 s
	Memory     *fair.Pool    // bytes that images and work on them take; default: any number
	Cores      *fair.Pool    // processors; default NewCores(GOMAXPROCS)
	Apart      bool          // each user has a cache of their own, so that no time shows what others have read
}

// NewCores returns a pool of n processors for screens. Large screens leave one turn to small ones.
func NewCores(n int) *fair.Pool {
	return fair.New(fair.Options{Name: "cores for screens", Capacity: int64(n) + 1, Long: int64(n)})
}

// Scenes makes and caches scenes with an engine. Its methods are safe for concurrent use.
type Scenes struct {
	engine Engine
	opts   Options
	files  *fair.Pool // bytes of encoded images that are read for their turn

	mu    sync.Mutex
	cache *cache
	loads map[Key]*load

	onForget []func(drop func(Key) bool)
	counts   counts
}

// load is the making of one scene, shared by all who ask for it meanwhile.
type load struct {
	done    chan struct{} // closed when scene and err are set
	cancel  context.CancelFunc
	waiting int // callers; the last to leave cancels the work

	forgotten bool // meanwhile; the scene is not to be kept
	scene     *Scene
	err       error
	unread    bool // the source could not be read or its time ended, and the callers' sources differ
}

// NewScenes returns an empty set of scenes that engine reads.
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

// Scene returns what is known of the screen src, and reads it first if need be. Callers for one
// screen share the work, which ends early only when all have left. Failures are not cached. A
// source's error goes to its own caller alone.
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
			if own || !l.unread {
				return l.scene, l.err
			}
		case <-ctx.Done():
			s.leave(key, l)
			return nil, ctx.Err()
		}
	}
}

// Ready reports whether screens can be read.
func (s *Scenes) Ready(ctx context.Context) error { return s.engine.Ready(ctx) }

// EngineName names the engine, as Engine.Name does.
func (s *Scenes) EngineName() string { return s.engine.Name() }

// join returns the load for src, and whether it is its own. s.mu is held.
func (s *Scenes) join(ctx context.Context, key Key, src Source) (l *load, own bool) {
	if l, ok := s.loads[key]; ok {
		l.waiting++
		s.counts.shared++
		return l, false
	}
	// The work belongs to all who wait, so the first caller's end must not end it.
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

func (s *Scenes) leave(key Key, l *load) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.waiting--; l.waiting == 0 {
		l.cancel()
		if s.loads[key] == l {
			delete(s.loads, key) // the next caller starts anew
		}
	}
}

func (s *Scenes) run(ctx context.Context, key Key, src Source, l *load) {
	defer l.cancel()
	scene, err := s.make(ctx, src, l)
	s.mu.Lock()
	defer s.mu.Unlock()
	l.scene, l.err = scene, err
	l.unread = l.unread || errors.Is(err, context.DeadlineExceeded)
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

func (s *Scenes) make(ctx context.Context, src Source, l *load) (scene *Scene, err error) {
	defer func() { // a goroutine's panic would end the process
		if r := recover(); r != nil {
			err = fmt.Errorf("reading a screen panicked: %v", r)
		}
	}()
	working := func(size image.Point) int64 {
		if src.Again {
			return larger(size) + s.engineBytes(size.Mul(againMore).Div(againLess))
		}
		return max(s.engineBytes(size), src.working(size))
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
		l.unread = ctx.Err() == nil
		return nil, failed.error
	}
	if err != nil {
		return nil, err
	}
	return scene, nil
}

// rowID names a row by its image, box and text, so that its name never changes.
func rowID(sha string, r Row) string { return candidateID("%s %v %s", sha, r.Box, r.Text) }

func candidateID(format string, args ...any) string {
	return "ocr_" + hashid.Of(fmt.Sprintf(format, args...), 6)
}
