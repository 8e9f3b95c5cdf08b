package perception

import (
	"context"
	"errors"
	"fmt"
	"image"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// scripted is an engine whose reading a test controls.
type scripted struct {
	reads     atomic.Int32
	languages atomic.Value // asked for last
	read      func(context.Context) ([]Row, error)
}

func (*scripted) Name() string                { return "scripted" }
func (*scripted) Ready(context.Context) error { return nil }
func (e *scripted) Read(ctx context.Context, _ Screen, how sdkapi.Reading) ([]Row, error) {
	e.reads.Add(1)
	e.languages.Store(how.Languages)
	return e.read(ctx)
}

func takes(d time.Duration) *scripted {
	return &scripted{read: func(ctx context.Context) ([]Row, error) {
		select {
		case <-time.After(d):
			return []Row{{Text: "hello", Words: []Word{{Text: "hello"}}}}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
}

func source(t *testing.T, name string) Source {
	data := samples(t)["image/png"]
	return Source{SHA256: name, Read: func(context.Context) ([]byte, error) { return data, nil }}
}

func TestSceneIsReadOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := takes(time.Second)
		s := NewScenes(engine, Options{})
		got := make(chan *Scene, 10)
		for range 10 {
			go func() {
				scene, err := s.Scene(t.Context(), source(t, "a"))
				if err != nil {
					t.Error(err)
				}
				got <- scene
			}()
		}
		first := <-got
		for range 9 {
			if <-got != first {
				t.Error("two scenes of one screen")
			}
		}
		if again, err := s.Scene(t.Context(), source(t, "a")); again != first || err != nil {
			t.Errorf("later: %v, %v", again, err)
		}
		if n := engine.reads.Load(); n != 1 {
			t.Errorf("read %d times", n)
		}
		if first.Rows[0].ID == "" || first.Width != 16 || first.ContentType != "image/png" {
			t.Errorf("%+v", first)
		}
	})
}

// An image is read once for each choice of languages, at one time as well as
// later; its rows are named alike in all of them.
func TestSceneOfEachLanguage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := takes(time.Second)
		s := NewScenes(engine, Options{})
		ask := func(languages string) *Scene {
			src := source(t, "a")
			src.Languages = languages
			scene, err := s.Scene(t.Context(), src)
			if err != nil {
				t.Error(err)
			}
			return scene
		}
		meanwhile := make(chan *Scene)
		go func() { meanwhile <- ask("deu") }()
		own := ask("")
		german := <-meanwhile
		if own == german || own.Languages != "" || german.Languages != "deu" {
			t.Errorf("asked for German and for none: %+v, %+v", german, own)
		}
		if own.Rows[0].ID != german.Rows[0].ID {
			t.Errorf("a row is called %s, in German %s", own.Rows[0].ID, german.Rows[0].ID)
		}
		if ask("deu") != german || ask("") != own || engine.reads.Load() != 2 {
			t.Errorf("read %d times", engine.reads.Load())
		}
		if ask("eng+deu"); engine.languages.Load() != "eng+deu" {
			t.Errorf("read in %v", engine.languages.Load())
		}
	})
}

// One caller who leaves takes nothing from the others; the last one ends the
// work, and who comes then starts afresh.
func TestWorkEndsWithTheLastCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 2)
		engine := &scripted{read: func(ctx context.Context) ([]Row, error) {
			<-ctx.Done()
			ended <- ctx.Err()
			return nil, ctx.Err()
		}}
		s := NewScenes(engine, Options{Cores: NewCores(2)})
		ctx1, leave1 := context.WithCancel(t.Context())
		ctx2, leave2 := context.WithCancel(t.Context())
		left := make(chan error, 2)
		for _, ctx := range []context.Context{ctx1, ctx2} {
			go func() {
				_, err := s.Scene(ctx, source(t, "a"))
				left <- err
			}()
			synctest.Wait() // the first caller is the one whose request began the work
		}
		leave1()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("the first got %v", err)
		}
		synctest.Wait()
		if len(ended) != 0 {
			t.Fatal("the work ended with the first to leave")
		}
		leave2()
		<-left
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the work ended with %v", err)
		}
		engine.read = func(context.Context) ([]Row, error) { return nil, nil }
		if _, err := s.Scene(t.Context(), source(t, "a")); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

func TestSceneTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewScenes(takes(time.Hour), Options{Timeout: time.Second})
		start := time.Now()
		_, err := s.Scene(t.Context(), source(t, "a"))
		if fault.CodeOf(err) != sdkapi.Timeout || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestOverload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewScenes(takes(time.Second), Options{Cores: fair.New(fair.Options{Name: "cores", Capacity: 1, Long: 1, Waiting: 2})})
		for i := range 3 {
			go func() {
				if _, err := s.Scene(t.Context(), source(t, fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		if _, err := s.Scene(t.Context(), source(t, "one too many")); fault.CodeOf(err) != sdkapi.Overloaded {
			t.Errorf("got %v", err)
		}
		time.Sleep(5 * time.Second)
		if _, err := s.Scene(t.Context(), source(t, "later")); err != nil {
			t.Error(err)
		}
	})
}

func TestFailuresAreNotKept(t *testing.T) {
	t.Parallel()
	engine := &scripted{read: func(context.Context) ([]Row, error) { return nil, errors.New("away") }}
	s := NewScenes(engine, Options{})
	if _, err := s.Scene(t.Context(), source(t, "a")); err == nil {
		t.Fatal("no error")
	}
	engine.read = func(context.Context) ([]Row, error) { panic("at the disco") }
	if _, err := s.Scene(t.Context(), source(t, "a")); fault.CodeOf(err) != sdkapi.Internal {
		t.Errorf("a panic became %v", err)
	}
	engine.read = func(context.Context) ([]Row, error) { return nil, nil }
	if _, err := s.Scene(t.Context(), source(t, "a")); err != nil {
		t.Errorf("after it recovered: %v", err)
	}
}

// A packed scene comes back as it was.
// A source that cannot be read fails for its own caller. Others who wait for the
// same image have sources of their own, and do not learn why.
func TestUnreadSourceIsItsCallersOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := takes(time.Second)
		s := NewScenes(engine, Options{})
		secret := errors.New("there is no artifact of hers")
		broken := source(t, "a")
		broken.Read = func(context.Context) ([]byte, error) {
			time.Sleep(time.Second)
			return nil, secret
		}
		hers := make(chan error, 1)
		go func() {
			_, err := s.Scene(t.Context(), broken)
			hers <- err
		}()
		synctest.Wait()
		his := make(chan error, 3)
		for range cap(his) {
			go func() {
				_, err := s.Scene(t.Context(), source(t, "a"))
				his <- err
			}()
		}
		if err := <-hers; !errors.Is(err, secret) {
			t.Errorf("her own failure: %v", err)
		}
		for range cap(his) {
			if err := <-his; err != nil {
				t.Errorf("another caller: %v", err)
			}
		}
		if n := engine.reads.Load(); n != 1 {
			t.Errorf("read %d times", n)
		}
	})
}

func TestPackedScene(t *testing.T) {
	t.Parallel()
	word := func(text string, x int) Word {
		return Word{Text: text, Confidence: 0.98765, Box: image.Rect(x, -2, x+300, 70_000)}
	}
	s := &Scene{Header: Header{ContentType: "image/png", Width: 1440, Height: 900}, SHA256: "ab", Reading: sdkapi.Reading{Languages: "eng+deu"}}
	for _, r := range []Row{NewRow([]Word{word("Größe", 0), word("", 4)}), NewRow([]Word{word("x", 9)}), Unreadable(sdkapi.ScriptCJK, image.Rect(3, 4, 40, 16), 0.8)} {
		r.ID = rowID(s.SHA256, r)
		s.Rows = append(s.Rows, r)
	}
	for _, s.again = range []bool{false, true} {
		if back := unpack(s.Key(), s.pack()); !reflect.DeepEqual(back, s) {
			t.Errorf("%+v\nbecame\n%+v", s, back)
		}
	}
}

// Scenes that are not among the latest few are kept packed.
func TestScenesArePacked(t *testing.T) {
	t.Parallel()
	c := newCache(1 << 20)
	for i := range 3 * liveScenes {
		c.add(&Scene{SHA256: strconv.Itoa(i), Rows: []Row{NewRow([]Word{{Text: strconv.Itoa(i)}})}})
	}
	for i := range 3 * liveScenes {
		s, ok := c.get(Key{SHA256: strconv.Itoa(i)})
		if !ok || s.Rows[0].Text != strconv.Itoa(i) {
			t.Fatalf("scene %d: %v, %+v", i, ok, s)
		}
	}
	if c.live.Len() != liveScenes {
		t.Errorf("%d are live", c.live.Len())
	}
}

// What was used last is kept; what is kept does not pass the budget.
func TestRecent(t *testing.T) {
	t.Parallel()
	const room = 10 // entries
	r := NewRecent[int](room * (entryBytes + 1))
	for i := range 1000 {
		r.Put(i, "x")
		r.Put(i, "y") // again: must not count twice
		if _, ok := r.Get(0); !ok {
			t.Fatalf("what is asked for again and again was forgotten after %d others", i)
		}
		if n := len(r.young) + len(r.old); n > room {
			t.Fatalf("%d are kept", n)
		}
	}
	for _, i := range []int{997, 998, 999} {
		if v, ok := r.Get(i); !ok || v != "y" {
			t.Errorf("%d: %q, %v", i, v, ok)
		}
	}
	if _, ok := r.Get(500); ok {
		t.Error("500 is still kept")
	}
	r.Put(999, strings.Repeat("z", 10*entryBytes))
	if _, ok := r.Get(999); ok {
		t.Error("a value over the budget, or the one before it, is kept")
	}
	if _, ok := r.Get(998); !ok {
		t.Error("a value over the budget made room for itself")
	}
}

// The same row of the same image has the same name; all else has another.
func TestRowID(t *testing.T) {
	t.Parallel()
	row := Row{Text: "Save", Box: image.Rect(1, 2, 3, 4)}
	id := rowID("sha", row)
	if id != rowID("sha", row) {
		t.Error("it changes")
	}
	moved := row
	moved.Box = moved.Box.Add(image.Pt(1, 0))
	if id == rowID("other", row) || id == rowID("sha", moved) || id == rowID("sha", Row{Text: "Safe", Box: row.Box}) {
		t.Error("another row has the same")
	}
}

func BenchmarkSceneCached(b *testing.B) {
	s := NewScenes(takes(0), Options{})
	src := Source{SHA256: "a", Read: func(context.Context) ([]byte, error) { return samples(b)["image/png"], nil }}
	for b.Loop() {
		if _, err := s.Scene(b.Context(), src); err != nil {
			b.Fatal(err)
		}
	}
}

// An image that needs more memory than there is for one is refused, with the limit and what to do;
// others wait for each other, and give back what they took.
func TestMemory(t *testing.T) {
	t.Parallel()
	h, need, err := DecodedBytes(samples(t)["image/png"])
	if err != nil {
		t.Fatal(err)
	}
	need += NewScenes(takes(0), Options{}).engineBytes(image.Pt(h.Width, h.Height))
	synctest.Test(t, func(t *testing.T) {
		tight := NewScenes(takes(0), Options{Memory: fair.New(fair.Options{Name: "bytes", Capacity: need - 1, Long: need - 1})})
		_, err := tight.Scene(t.Context(), source(t, "a"))
		if f := fault.From(err); f.Code != sdkapi.PayloadTooLarge || !strings.Contains(f.Message, "shrink it") || !strings.Contains(f.Message, "at most 2 MB") {
			t.Errorf("%v", err)
		}
		memory := fair.New(fair.Options{Name: "bytes", Capacity: need, Long: need})
		s := NewScenes(takes(time.Second), Options{Memory: memory})
		began := time.Now()
		done := make(chan error, 3)
		for i := range cap(done) {
			go func() {
				_, err := s.Scene(t.Context(), source(t, fmt.Sprint(i)))
				done <- err
			}()
		}
		for range cap(done) {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took != 3*time.Second || memory.Stats().Taken != 0 {
			t.Errorf("three took %v, and %d bytes stay taken", took, memory.Stats().Taken)
		}
	})
}

// A question's time counts from its beginning, for all that it asks.
func TestTimeCountsFromTheQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewScenes(takes(600*time.Millisecond), Options{Timeout: time.Second})
		ctx, end := s.Begin(t.Context())
		defer end()
		began := time.Now()
		if _, err := s.Scene(ctx, source(t, "a")); err != nil {
			t.Fatal(err)
		}
		_, err := s.Scene(ctx, source(t, "b"))
		if took := time.Since(began); fault.CodeOf(err) != sdkapi.Timeout || took != time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}
