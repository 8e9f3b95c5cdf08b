package perception

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"reflect"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/sdkapi"
)

// Scene is what is known of one screen. It never changes and may be shared between goroutines.
type Scene struct {
	Header
	SHA256         string // of the encoded image, in lower-case hex
	sdkapi.Reading        // as its Source asks for
	Rows           []Row  // in reading order

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
	sdkapi.Reading                                       // its zero value is the engine's own choice

	// OnDecoded, if not nil, is called with the pixels and rows of a screen that is read for this
	// source, unless it is cached. It may keep neither.
	OnDecoded func(*image.NRGBA, []Row)
}

// Key names a scene: one image, read in one way. Options left to the engine, and
// the same ones spelled out, are two keys.
type Key struct {
	SHA256 string
	sdkapi.Reading
}

// Key names the scene of a source.
func (s Source) Key() Key { return Key{s.SHA256, s.Reading} }

// Key names a scene, as its Source does.
func (s *Scene) Key() Key { return Key{s.SHA256, s.Reading} }

// SourceOf returns a screen whose encoded image is data.
func SourceOf(data []byte) Source {
	sum := sha256.Sum256(data)
	return Source{SHA256: hex.EncodeToString(sum[:]), Read: func(context.Context) ([]byte, error) { return data, nil }}
}

// Options bound what Scenes may use. Zero values take the default.
type Options struct {
	CacheBytes int64         // of scenes kept; default 64 MiB
	Parallel   int           // screens read at once; default GOMAXPROCS
	MaxWaiting int           // screens that wait for a turn before Overloaded; default 64
	Timeout    time.Duration // of reading one screen, waiting included; default 60 s
}

// Scenes makes and caches scenes with an engine. Its methods are safe for concurrent use.
type Scenes struct {
	engine Engine
	opts   Options
	turns  *semaphore.Weighted

	mu     sync.Mutex
	cache  *cache
	loads  map[Key]*load
	counts counts
}

// load is the making of one scene, shared by all who ask for it meanwhile.
type load struct {
	done    chan struct{} // closed when scene and err are set
	cancel  context.CancelFunc
	waiting int // callers; the last to leave cancels the work
	scene   *Scene
	err     error
	unread  bool // the source could not be read, and the callers' sources differ
}

// NewScenes returns an empty set of scenes that engine reads.
func NewScenes(engine Engine, opts Options) *Scenes {
	opts.CacheBytes = cmp.Or(opts.CacheBytes, 64<<20)
	opts.Parallel = cmp.Or(opts.Parallel, runtime.GOMAXPROCS(0))
	opts.MaxWaiting = cmp.Or(opts.MaxWaiting, 64)
	opts.Timeout = cmp.Or(opts.Timeout, time.Minute)
	return &Scenes{
		engine: engine, opts: opts, turns: semaphore.NewWeighted(int64(opts.Parallel)),
		cache: newCache(opts.CacheBytes), loads: map[Key]*load{},
	}
}

// Scene returns what is known of the screen src, and reads it first if need be. Callers for one
// screen share the work, which ends early only when all have left. Failures are not cached. A
// source's error goes to its own caller alone.
func (s *Scenes) Scene(ctx context.Context, src Source) (*Scene, error) {
	for {
		s.mu.Lock()
		if scene, ok := s.cache.get(src.Key()); ok {
			s.counts.hits++
			s.mu.Unlock()
			return scene, nil
		}
		l, own, err := s.join(ctx, src)
		if err != nil {
			s.counts.outcome(err)
		}
		s.mu.Unlock()
		if err != nil {
			return nil, err
		}
		select {
		case <-l.done:
			if own || !l.unread {
				return l.scene, l.err
			}
		case <-ctx.Done():
			s.leave(src.Key(), l)
			return nil, ctx.Err()
		}
	}
}

// WithPixels calls use with the decoded image of src, which use may not keep.
// Like reading a screen, this waits for a turn and is bounded in time.
func (s *Scenes) WithPixels(ctx context.Context, src Source, use func(context.Context, *image.NRGBA) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	if err := s.turns.Acquire(ctx, 1); err != nil {
		return err
	}
	defer s.turns.Release(1)
	data, err := src.Read(ctx)
	if err != nil {
		return err
	}
	screen, _, err := Decode(data)
	if err != nil {
		return err
	}
	return use(ctx, screen)
}

// Ready reports whether screens can be read.
func (s *Scenes) Ready(ctx context.Context) error { return s.engine.Ready(ctx) }

// EngineName names the engine, as Engine.Name does.
func (s *Scenes) EngineName() string { return s.engine.Name() }

// join returns the load for src, and whether it is its own. s.mu is held.
func (s *Scenes) join(ctx context.Context, src Source) (l *load, own bool, err error) {
	if l, ok := s.loads[src.Key()]; ok {
		l.waiting++
		s.counts.shared++
		return l, false, nil
	}
	if len(s.loads) >= s.opts.Parallel+s.opts.MaxWaiting {
		return nil, false, fault.New("perception.Scene", sdkapi.Overloaded,
			"%d screens are waiting to be read already; try again in a few seconds", s.opts.MaxWaiting)
	}
	// The work belongs to all who wait, so the first caller's end must not end it.
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Timeout)
	l = &load{done: make(chan struct{}), cancel: cancel, waiting: 1}
	s.loads[src.Key()] = l
	s.counts.misses++
	go s.run(work, src, l)
	return l, true, nil
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

func (s *Scenes) run(ctx context.Context, src Source, l *load) {
	defer l.cancel()
	scene, err := s.make(ctx, src, l)
	s.mu.Lock()
	defer s.mu.Unlock()
	l.scene, l.err = scene, err
	s.counts.outcome(err)
	if err == nil {
		s.cache.add(scene)
	}
	if s.loads[src.Key()] == l {
		delete(s.loads, src.Key())
	}
	close(l.done)
}

func (s *Scenes) make(ctx context.Context, src Source, l *load) (scene *Scene, err error) {
	defer func() { // a goroutine's panic would end the process
		if r := recover(); r != nil {
			err = fmt.Errorf("reading a screen panicked: %v", r)
		}
	}()
	if err := s.turns.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer s.turns.Release(1)
	data, err := src.Read(ctx)
	if err != nil {
		l.unread = ctx.Err() == nil
		return nil, err
	}
	screen, header, err := Decode(data)
	if err != nil {
		return nil, err
	}
	rows, err := s.read(ctx, screen, src.Reading)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].ID = rowID(src.SHA256, rows[i])
	}
	if src.OnDecoded != nil {
		src.OnDecoded(screen, rows)
	}
	return &Scene{Header: header, SHA256: src.SHA256, Reading: src.Reading, Rows: rows}, nil
}

// rowID names a row by its image, box and text, so that its name never changes.
func rowID(sha string, r Row) string { return candidateID("%s %v %s", sha, r.Box, r.Text) }

func candidateID(format string, args ...any) string {
	return "ocr_" + hashid.Of(fmt.Sprintf(format, args...), 6)
}
