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

// Limits of the memory for encoded images, in bytes.
const (
	maxFiles  = 3 * MaxImageBytes
	longFiles = 2 * MaxImageBytes // limit of large files together: a comparison loads two
	shortFile = 1 << 20
)

// longPixels is the minimum number of pixels of a screen whose reading counts as long work. One
// core reads a dense screen of this size in about 200 ms.
const longPixels = 2_500_000

type begunKey struct{}

// Begin returns a context with the time limit of Options for one request about screens. A nested
// call of Begin returns ctx unchanged.
func (s *Scenes) Begin(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Value(begunKey{}) != nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithValue(ctx, begunKey{}, true), s.opts.Timeout)
}

// Pixels is a decoded image and its header.
type Pixels struct {
	Header
	*image.NRGBA
}

// WithPixels waits for memory and a core, decodes images, and passes them to use. All sources must
// belong to the same user. use may change the images, but must not keep them after it returns.
// working returns the maximum memory that use needs for an image of the given size, in bytes,
// without the image's own pixels. If working is nil, use needs little memory.
func (s *Scenes) WithPixels(ctx context.Context, working func(size image.Point) int64, use func(context.Context, ...Pixels) error, sources ...Source) error {
	ctx, cancel := s.Begin(ctx)
	defer cancel()
	err := s.withPixels(ctx, sources, working, use)
	if failed, ok := errors.AsType[*unreadError](err); ok {
		return failed.error
	}
	return err
}

// unreadError wraps an error that Source.Read returned.
type unreadError struct{ error }

// Unwrap returns the error of Source.Read.
func (e *unreadError) Unwrap() error { return e.error }

// withPixels acquires resources in this order: memory for the files, whose headers state the sizes;
// memory for pixels and work; a core. A holder of a later resource never waits for an earlier one,
// so no deadlock can occur. withPixels gives back the memory for the files before it calls use, and
// the other resources when use has returned.
func (s *Scenes) withPixels(ctx context.Context, list []Source, working func(image.Point) int64, use func(context.Context, ...Pixels) error) error {
	user := list[0].User
	var size int64
	for _, src := range list {
		size += min(src.Size, MaxImageBytes)
	}
	fileShare, err := s.takeFiles(ctx, user, size)
	if err != nil {
		return err
	}
	defer fileShare.Give()
	files, need, length, err := readFiles(ctx, list, working)
	if err != nil {
		return err
	}
	if limit := s.opts.Memory.Most(); need > limit {
		return tooLarge(need, limit)
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
	fileShare.Give()
	return use(ctx, out...)
}

// collectBytes is the minimum amount of garbage, in bytes, for which collect runs the garbage
// collector.
const collectBytes = 32 << 20

// collect runs the garbage collector after work that needed at most need bytes, before other work
// takes them. Otherwise the heap could contain both at once. A run takes some milliseconds.
func collect(need int64) {
	if need >= collectBytes && garbage() >= collectBytes {
		runtime.GC()
	}
}

// garbage returns the approximate number of bytes allocated since the last collection: an upper
// bound of the garbage since then.
func garbage() int64 {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	return int64(heap[0].Value.Uint64()) - int64(heap[1].Value.Uint64())
}

type restKey struct{}

// Rest releases the core of a function that WithPixels runs. The function calls Rest with its ctx, for
// example before it waits for a remote service. It keeps its memory. If ctx has no core, Rest does
// nothing.
func Rest(ctx context.Context) {
	if giveBack, ok := ctx.Value(restKey{}).(func()); ok {
		giveBack()
	}
}

// takeFiles waits until size bytes are free for encoded files. For 0 bytes it returns nil.
func (s *Scenes) takeFiles(ctx context.Context, user string, size int64) (*fair.Share, error) {
	switch {
	case size == 0: // the files are already in memory
		return nil, nil
	case size > shortFile:
		return s.files.Take(ctx, user, size, fair.Long)
	}
	return s.files.Take(ctx, user, size, fair.Short)
}

// readFiles loads the encoded images. need is the bytes of memory for their pixels and the work on
// them. length is fair.Long if one of them is large.
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

// tooLarge returns the error for an image that needs more memory than the limit.
func tooLarge(need, limit int64) error {
	const mb = 1_000_000
	return fault.New("perception.Decode", sdkapi.PayloadTooLarge,
		"decoding this image needs %d MB, and one image may use at most %d MB; shrink it, or save it as PNG, which needs the least memory "+
			"(the operator can raise the limit by giving the gateway more memory)", (need+mb-1)/mb, limit/mb)
}

// workingBytes returns the bytes that OnDecoded needs.
func (s Source) workingBytes(size image.Point) int64 {
	if s.Working == nil {
		return 0
	}
	return s.Working(size)
}

// Measured is an optional interface of an Engine. WorkingBytes returns the maximum memory that Read
// needs for a screen of this size, in bytes, without the screen's own pixels.
type Measured interface{ WorkingBytes(size image.Point) int64 }

// engineBytes returns the bytes of memory that reading a screen of size needs, including its
// cleaning and the copy from before it.
func (s *Scenes) engineBytes(size image.Point) int64 {
	bytes := calm.WorkingBytes(size) + beforeBytes(size)
	if e, ok := ability[Measured](s.engine); ok {
		bytes += e.WorkingBytes(size)
	}
	return bytes
}

// ability returns e as a T. If e is not a T, it tries the engine that e wraps, and so on.
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

// withOwner returns ctx with user as the owner of cached lines, if users have separate caches.
func (s *Scenes) withOwner(ctx context.Context, user string) context.Context {
	if !s.opts.Apart {
		return ctx
	}
	return context.WithValue(ctx, ownerKey{}, user)
}

// Owner returns the user whose cached lines an engine may use. If all users share one cache, Owner
// returns "".
func Owner(ctx context.Context) string {
	user, _ := ctx.Value(ownerKey{}).(string)
	return user
}
