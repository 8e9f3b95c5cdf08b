package embeddings_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/sdkapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a model that another program serves. It can be away, and silent.
type server struct {
	mu     sync.Mutex
	away   error
	silent bool
	asked  int
}

func (s *server) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	s.mu.Lock()
	s.asked++
	away, silent := s.away, s.silent
	s.mu.Unlock()
	if silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	vectors := make([][]float32, len(texts))
	for i := range texts {
		vectors[i] = []float32{1}
	}
	return vectors, away
}

func (s *server) is(away error, silent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away, s.silent = away, silent
}

// Check says what the last use showed, and asks where that is too old, once for all who ask meanwhile.
func TestCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &server{}
		texts := embeddings.New("test", "ones", func() (embeddings.Embedder, error) { return model, nil })
		check := func(what string, code sdkapi.Code, asked int) {
			t.Helper()
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					if err := texts.Check(t.Context()); fault.CodeOf(err) != code {
						t.Errorf("%s: %v", what, err)
					}
				})
			}
			all.Wait()
			if model.asked != asked {
				t.Errorf("%s: the model was asked %d times, expected %d", what, model.asked, asked)
			}
		}
		use := func() { _, _ = texts.Embed(t.Context(), []string{"a"}) } // what it fails with, the checks show
		check("never used", "", 1)
		check("just asked", "", 1)
		gone := fault.New("test", sdkapi.ModelUnavailable, "it is gone")
		model.is(gone, false)
		check("gone, and nobody knows yet", "", 1)
		use()
		check("gone in a use", sdkapi.ModelUnavailable, 2)
		time.Sleep(11 * time.Second)
		check("still gone", sdkapi.ModelUnavailable, 3)
		model.is(nil, false)
		use()
		check("there again", "", 4)
		model.is(fault.New("test", sdkapi.ModelError, "a wrong text"), false)
		use()
		check("a wrong text", "", 5)
		time.Sleep(11 * time.Second)
		check("it refuses everything", sdkapi.ModelError, 6)
		time.Sleep(11 * time.Second)
		model.is(nil, true)
		check("silent", sdkapi.ModelUnavailable, 7)
	})
}
