package perception

import (
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

// Scene is what is known of one screen. It does not change once made, so it
// may be shared between goroutines; nobody may write to it.
type Scene struct {
	Header
	SHA256    string // of the encoded image, in lower-case hex
	Languages string // as its Source names them
	Rows      []Row  // in reading order

	derived sync.Map // by type: see Derived
}

// Derived returns what derive makes of s, made when it is first asked for and
// kept with the scene. There is one for each type.
func Derived[T any](s *Scene, derive func(*Scene) T) T {
	once, _ := s.derived.LoadOrStore(reflect.TypeFor[T](), sync.OnceValue(func() any { return derive(s) }))
	return once.(func() any)().(T)
}

// Source is where a screen comes from.
type Source struct {
	SHA256    string                                // of what Read returns, in lower-case hex
	Read      func(context.Context) ([]byte, error) // the encoded image; not called for a screen already known
	Languages string                                // to read it in, as "eng+deu"; empty: the engine's own choice

	// Look, if not nil, is called with the pixels and rows of a screen that is
	// read for this source, while they are at hand, and not for one that is
	// known or that somebody else is just reading. It may keep neither.
	Look func(*image.NRGBA, []Row)
}

// sceneKey names a scene: one image, read in some languages. Those left to the
// engine and the same ones spelled out are two keys.
type sceneKey struct{ sha256, languages string }

func (s Source) key() sceneKey { return sceneKey{s.SHA256, s.Languages} }
func (s *Scene) key() sceneKey { return sceneKey{s.SHA256, s.Languages} }

// SourceOf is a screen whose encoded image is data.
func SourceOf(data []byte) Source {
	sum := sha256.Sum256(data)
	return Source{SHA256: hex.EncodeToString(sum[:]), Read: func(context.Context) ([]byte, error) { return data, nil }}
}

// Options bound what Scenes may use. Zero values take the default.
type Options struct {
	CacheBytes int64         // of scenes kept; default 64 MiB
	Parallel   int           // screens read at once; default GOMAXPROCS
	MaxWaiting int           // screens waiting for their turn before Overloaded; default 64
	Timeout    time.Duration // of reading one screen, waiting included; default 60 s
}

func (o Options) withDefaults() Options {
	if o.CacheBytes == 0 {
		o.CacheBytes = 64 << 20
	}
	if o.Parallel == 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	if o.MaxWaiting == 0 {
		o.MaxWaiting = 64
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	return o
}

// Scenes makes scenes with an engine and keeps the latest. Its methods may be
// called from several goroutines at once.
type Scenes struct {
	engine Engine
	opts   Options
	turns  *semaphore.Weighted

	mu      sync.Mutex
	cache   *cache
	flights map[sceneKey]*flight
	counts  counts
}

// flight is the making of one scene, shared by all who ask for it meanwhile.
type flight struct {
	done    chan struct{} // closed when scene and err are set
	cancel  context.CancelFunc
	waiting int // callers; the last to leave cancels the work
	scene   *Scene
	err     error
	unread  bool // err is of the source, and the callers' sources differ
}

// NewScenes returns an empty set of scenes that engine reads.
func NewScenes(engine Engine, opts Options) *Scenes {
	opts = opts.withDefaults()
	return &Scenes{
		engine:  engine,
		opts:    opts,
		turns:   semaphore.NewWeighted(int64(opts.Parallel)),
		cache:   newCache(opts.CacheBytes),
		flights: map[sceneKey]*flight{},
	}
}

// Scene returns what is known of the screen src, reading it first if need be.
// Callers asking for one screen at one time share the work, which ends early
// only when all of them have left. Failures are not kept. Why a source could
// not be read is told to its own caller alone: it may be somebody else's.
func (s *Scenes) Scene(ctx context.Context, src Source) (*Scene, error) {
	for {
		s.mu.Lock()
		if scene, ok := s.cache.get(src.key()); ok {
			s.counts.hits++
			s.mu.Unlock()
			return scene, nil
		}
		f, own, err := s.join(ctx, src)
		if err != nil {
			s.counts.outcome(err)
		}
		s.mu.Unlock()
		if err != nil {
			return nil, err
		}
		select {
		case <-f.done:
			if own || !f.unread {
				return f.scene, f.err
			}
		case <-ctx.Done():
			s.leave(src.key(), f)
			return nil, ctx.Err()
		}
	}
}

// WithPixels calls use with the decoded image of src, which use may not keep.
// It counts as reading a screen: it waits for a turn and is bounded in time.
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

// EngineName tells which engine reads.
func (s *Scenes) EngineName() string { return s.engine.Name() }

// join returns the flight for src, and whether it reads src itself: it is
// started if there is none. s.mu is held.
func (s *Scenes) join(ctx context.Context, src Source) (f *flight, own bool, err error) {
	if f, ok := s.flights[src.key()]; ok {
		f.waiting++
		s.counts.shared++
		return f, false, nil
	}
	if len(s.flights) >= s.opts.Parallel+s.opts.MaxWaiting {
		return nil, false, fault.New("perception.Scene", sdkapi.Overloaded,
			"%d screens are waiting to be read already; try again in a few seconds", s.opts.MaxWaiting)
	}
	// The work belongs to all who wait, so the first caller's end must not end it.
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Timeout)
	f = &flight{done: make(chan struct{}), cancel: cancel, waiting: 1}
	s.flights[src.key()] = f
	s.counts.misses++
	go s.fly(work, src, f)
	return f, true, nil
}

// leave takes one caller off f.
func (s *Scenes) leave(key sceneKey, f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		if s.flights[key] == f {
			delete(s.flights, key) // who comes now starts afresh
		}
	}
}

// fly makes the scene of src and tells all who wait.
func (s *Scenes) fly(ctx context.Context, src Source, f *flight) {
	defer f.cancel()
	read := src.Read
	src.Read = func(ctx context.Context) ([]byte, error) {
		data, err := read(ctx)
		f.unread = err != nil && ctx.Err() == nil
		return data, err
	}
	scene, err := s.make(ctx, src)
	s.mu.Lock()
	defer s.mu.Unlock()
	f.scene, f.err = scene, err
	s.counts.outcome(err)
	if err == nil {
		s.cache.add(scene)
	}
	if s.flights[src.key()] == f {
		delete(s.flights, src.key())
	}
	close(f.done)
}

func (s *Scenes) make(ctx context.Context, src Source) (scene *Scene, err error) {
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
		return nil, err
	}
	screen, header, err := Decode(data)
	if err != nil {
		return nil, err
	}
	rows, err := s.read(ctx, screen, src.Languages)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].ID = rowID(src.SHA256, rows[i])
	}
	if src.Look != nil {
		src.Look(screen, rows)
	}
	return &Scene{Header: header, SHA256: src.SHA256, Languages: src.Languages, Rows: rows}, nil
}

// rowID names a row by its image, box and text, so that the same row of the
// same image always has the same name.
func rowID(sha string, r Row) string { return candidateID("%s %v %s", sha, r.Box, r.Text) }

// candidateID makes a name of what is formatted.
func candidateID(format string, args ...any) string {
	return "ocr_" + hashid.Of(fmt.Sprintf(format, args...), 6)
}

// Center returns the pixel in the middle of box.
func Center(box image.Rectangle) image.Point {
	return box.Min.Add(box.Max).Div(2)
}
