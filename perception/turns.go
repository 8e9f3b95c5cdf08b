package perception

import (
	"context"
	"errors"
	"image"
	"runtime"
	"runtime/metrics"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception/calm"
	"github.com/windieos/windie/sdkapi"
)

// Bounds of the bytes of encoded images that have been read and wait for their turn.
const (
	maxFiles  = 3 * MaxImageBytes
	longFiles = 2 * MaxImageBytes // two that are compared may be larger than a short one
	shortFile = 1 << 20
)

// longPixels is from how many pixels on a screen is long work: dense ones of this size are read in about
// 200 ms by one core.
const longPixels = 2_500_000

type begunKey struct{}

// Begin returns ctx for all that one question about screens needs, with the time limit of Options.
// The first call counts: later ones, as in Scene, change nothing.
func (s *Scenes) Begin(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Value(begunKey{}) != nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithValue(ctx, begunKey{}, true), s.opts.Timeout)
}

// Pixels are a decoded image and its header.
type Pixels struct {
	Header
	*image.NRGBA
}

// WithPixels calls use with the decoded images of the sources, which are of one user. use may change
// them and may not keep them. Like reading a screen, this waits for its turn. working returns the
// most memory that use takes besides the pixels of one; nil for little.
func (s *Scenes) WithPixels(ctx context.Context, working func(size image.Point) int64, use func(context.Context, ...Pixels) error, of ...Source) error {
	ctx, cancel := s.Begin(ctx)
	defer cancel()
	err := s.withPixels(ctx, of, working, use)
	if failed, ok := errors.AsType[*unreadError](err); ok {
		return failed.error
	}
	return err
}

// unreadError is a source's own error.
type unreadError struct{ error }

func (e *unreadError) Unwrap() error { return e.error }

// withPixels takes what the images need, in this order: memory for the files, which come first as
// they say how large the images are; memory for pixels and for work on them; a core. Whoever has
// a later one never waits for an earlier one. All of them go back when use has returned.
func (s *Scenes) withPixels(ctx context.Context, list []Source, working func(image.Point) int64, use func(context.Context, ...Pixels) error) error {
	user := list[0].User
	var size int64
	for _, src := range list {
		size += min(src.Size, MaxImageBytes)
	}
	held, err := s.takeFiles(ctx, user, size)
	if err != nil {
		return err
	}
	defer held.Give()
	files, need, length, err := readFiles(ctx, list, working)
	if err != nil {
		return err
	}
	if most := s.opts.Memory.Most(); need > most {
		return tooLarge(need, most)
	}
	memory, err := s.opts.Memory.Take(ctx, user, need, fair.Short)
	if err != nil {
		return err
	}
	out := make([]Pixels, len(list))
	defer func() {
		clear(out)
		collect(need)
		memory.Give()
	}()
	core, err := s.opts.Cores.Take(ctx, user, 1, length)
	if err != nil {
		return err
	}
	defer core.Give()
	ctx = context.WithValue(fair.WithShare(ctx, core), restKey{}, core.Give)
	for i := range files {
		if out[i].NRGBA, out[i].Header, err = Decode(ctx, files[i]); err != nil {
			return err
		}
		files[i] = nil
	}
	held.Give()
	return use(ctx, out...)
}

// collectBytes is from how much garbage on work collects it itself.
const collectBytes = 32 << 20

// collect collects garbage after work that took at most need bytes, before somebody else takes them: or the
// heap would hold them twice. It takes some milliseconds, and less garbage is left to the runtime.
func collect(need int64) {
	if need >= collectBytes && garbage() >= collectBytes {
		runtime.GC()
	}
}

// garbage returns how many bytes were allocated since the last collection, about: what is garbage at most, besides
// what that one kept.
func garbage() int64 {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	return int64(heap[0].Value.Uint64()) - int64(heap[1].Value.Uint64())
}

type restKey struct{}

// Rest gives back the core that ctx's work has, before it waits for somebody outside. The memory stays.
func Rest(ctx context.Context) {
	if giveBack, ok := ctx.Value(restKey{}).(func()); ok {
		giveBack()
	}
}

// takeFiles waits until size bytes of files may be read.
func (s *Scenes) takeFiles(ctx context.Context, user string, size int64) (*fair.Share, error) {
	switch {
	case size == 0: // they are in memory
		return nil, nil
	case size > shortFile:
		return s.files.Take(ctx, user, size, fair.Long)
	}
	return s.files.Take(ctx, user, size, fair.Short)
}

// readFiles reads the encoded images, and returns how many bytes they and work on them take, and
// how long that is.
func readFiles(ctx context.Context, list []Source, working func(image.Point) int64) (files [][]byte, need int64, length fair.Length, err error) {
	files = make([][]byte, len(list))
	for i, src := range list {
		if files[i], err = src.Read(ctx); err != nil {
			return nil, 0, length, &unreadError{err}
		}
		h, cost, err := DecodedBytes(files[i])
		if err != nil {
			return nil, 0, length, err
		}
		need += cost
		if working != nil {
			need += working(image.Pt(h.Width, h.Height))
		}
		if h.Width*h.Height >= longPixels {
			length = fair.Long
		}
	}
	return files, need, length, nil
}

// tooLarge is the error for an image that can never have its turn.
func tooLarge(need, most int64) error {
	const mb = 1_000_000
	return fault.New("perception.Decode", sdkapi.PayloadTooLarge,
		"decoding this image takes %d MB, and there are %d MB for one image; shrink it, or save it as a PNG, which takes least "+
			"(who runs the gateway gives it more memory)", (need+mb-1)/mb, most/mb)
}

// working returns what OnDecoded takes.
func (s Source) working(size image.Point) int64 {
	if s.Working == nil {
		return 0
	}
	return s.Working(size)
}

// A Measured engine says how much memory reading a screen takes, besides its pixels.
type Measured interface{ WorkingBytes(size image.Point) int64 }

// engineBytes returns what the engine takes for a screen, and what cleaning it takes before, with the screen as it was.
func (s *Scenes) engineBytes(size image.Point) int64 {
	bytes := calm.WorkingBytes(size) + beforeBytes(size)
	if e, ok := ability[Measured](s.engine); ok {
		bytes += e.WorkingBytes(size)
	}
	return bytes
}

// ability returns the T that an engine is, or one that it wraps.
func ability[T any](e Engine) (has T, ok bool) {
	for {
		if has, ok = e.(T); ok {
			return has, true
		}
		wrapper, wraps := e.(interface{ Unwrap() Engine })
		if !wraps {
			return has, false
		}
		e = wrapper.Unwrap()
	}
}

type ownerKey struct{}

// withOwner returns ctx for reading a screen of user.
func (s *Scenes) withOwner(ctx context.Context, user string) context.Context {
	if !s.opts.Apart {
		return ctx
	}
	return context.WithValue(ctx, ownerKey{}, user)
}

// Owner returns whose cache an engine may use for what it reads: the user's own, or everybody's,
// which is empty.
func Owner(ctx context.Context) string {
	user, _ := ctx.Value(ownerKey{}).(string)
	return user
}
