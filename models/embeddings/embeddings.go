// Package embeddings provides the gateway's model that converts texts to vectors. Texts with
// similar meanings have vectors that are close to each other.
//
//	local := embeddings.Local("models/all-MiniLM-L6-v2")
//	vectors, err := local.Embed(ctx, []string{"How do I reset my password?"})
//
// All vectors of a model are in one space, which Space describes. Vectors of different spaces
// cannot be compared.
package embeddings

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/minilm"
	"github.com/windieos/windie/sdkapi"
)

// Embedder converts texts to vectors of equal length. The vectors are in the order of the texts. An
// Embedder is safe for concurrent use.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Service is a model that is opened at its first use. Make one with New or Local. Its methods are
// safe for concurrent use.
type Service struct {
	provider, model string
	open            func() (Embedder, error)
	installed       func() bool

	mu        sync.Mutex
	opened    Embedder
	dimension int       // length of a vector; 0 before the first one
	used      time.Time // time of the last use that showed whether the model works; zero: never
	failed    error     // error of that use; nil if it succeeded

	checking chan struct{} // full while a Check runs
}

// Times of Check for a model that another program serves.
const (
	checkHolds = 10 * time.Second // how long the result of the last use is valid
	checkTime  = 10 * time.Second // time limit of a check
)

var _ Embedder = (*Service)(nil)

// Names of the model in the process.
const (
	LocalProvider = "local-sentence-transformer"
	LocalModel    = "sentence-transformers/all-MiniLM-L6-v2"
)

// New returns the service of a provider's model. The service calls open at its first use. If open
// fails, the next request calls open again.
func New(provider, model string, open func() (Embedder, error)) *Service {
	return &Service{provider: provider, model: model, open: open, installed: func() bool { return true }, checking: make(chan struct{}, 1)}
}

// Local returns the model that runs in this process. The service reads its weights from dir at the
// first use.
func Local(dir string) *Service {
	s := New(LocalProvider, LocalModel, func() (Embedder, error) {
		m, err := minilm.Open(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fault.New("embeddings.Local", sdkapi.ModelUnavailable,
				"the weights of %s are missing in %s; download them with windie models fetch, or choose another backend with WINDIE_EMBEDDINGS_BACKEND", LocalModel, dir).Because(err)
		case err != nil:
			return nil, fault.New("embeddings.Local", sdkapi.ModelUnavailable, "invalid weights of %s: %s", LocalModel, err).Because(err)
		}
		return m, nil
	})
	s.dimension = minilm.Width
	s.installed = func() bool { return minilm.Installed(dir) }
	return s
}

// Computes reports whether this process computes the vectors, on its own cores.
func (s *Service) Computes() bool { return s.provider == LocalProvider }

// Installed reports whether the model's files exist on this machine. It does not check the content
// of the files. For a model without files it returns true.
func (s *Service) Installed() bool { return s.installed() }

// Name returns the names of the provider and the model, with a colon between them.
func (s *Service) Name() string { return s.provider + ":" + s.model }

// Ready opens the model. If it cannot open the model, it fails with MODEL_UNAVAILABLE, and the
// message explains the fix.
func (s *Service) Ready() error {
	_, err := s.embedder()
	return err
}

// embedder returns the model, and opens it at the first use. Other callers wait while it opens.
// After a failure, the next call tries again.
func (s *Service) embedder() (Embedder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened != nil {
		return s.opened, nil
	}
	var err error
	s.opened, err = s.open()
	return s.opened, err
}

// Embed implements Embedder. If it cannot open the model, it fails like Ready. Otherwise it fails
// with the error of the model's provider.
func (s *Service) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e, err := s.embedder()
	if err != nil {
		return nil, err
	}
	vectors, err := e.Embed(ctx, texts)
	s.shown(err)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fault.New("embeddings.Embed", sdkapi.ModelError, "the embedding model returned %d vectors for %d texts; check its server", len(vectors), len(texts))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range vectors {
		if s.dimension == 0 {
			s.dimension = len(v)
		}
		if len(v) != s.dimension || len(v) == 0 {
			return nil, fault.New("embeddings.Embed", sdkapi.ModelError, "the embedding model returned a vector of %d numbers, but its earlier vectors have %d numbers; if its server now has another model, restart the gateway", len(v), s.dimension)
		}
	}
	return vectors, nil
}

// shown stores the result of a use if it shows whether the model works. It ignores errors that the
// texts or a leaving caller may have caused.
func (s *Service) shown(err error) {
	if code := fault.CodeOf(err); err != nil && code != sdkapi.ModelUnavailable && code != sdkapi.ModelRateLimited {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used, s.failed = time.Now(), err
}

// recent returns the result of the last use. If that use was longer than checkHolds ago, known is
// false.
func (s *Service) recent() (err error, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed, !s.used.IsZero() && time.Since(s.used) < checkHolds
}

// Check reports whether texts can be embedded now, and fails like Embed. If the last use was less
// than ten seconds ago, Check returns the result of this use; otherwise it embeds one word.
// Concurrent callers share one check. For a model in this process, Check only opens the model.
func (s *Service) Check(ctx context.Context) error {
	if err := s.Ready(); err != nil || s.Computes() {
		return err
	}
	select {
	case s.checking <- struct{}{}:
		defer func() { <-s.checking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err, known := s.recent(); known {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	_, err := s.Embed(asking, []string{"tea"})
	if asking.Err() != nil && ctx.Err() == nil {
		err = fault.New("embeddings.Check", sdkapi.ModelUnavailable, "the embedding model has not responded for %v; check that its server runs", checkTime).Because(err)
	}
	if err != nil && ctx.Err() == nil {
		s.mu.Lock()
		s.used, s.failed = time.Now(), err
		s.mu.Unlock()
	}
	return err
}

// Space identifies the space that the model's vectors belong to. The length of the vectors is part
// of its identity. If no vector was computed yet, Space computes a vector to learn the length.
func (s *Service) Space(ctx context.Context) (sdkapi.EmbeddingSpace, error) {
	s.mu.Lock()
	dimension := s.dimension
	s.mu.Unlock()
	if dimension == 0 {
		vectors, err := s.Embed(ctx, []string{"tea"})
		if err != nil {
			return sdkapi.EmbeddingSpace{}, err
		}
		dimension = len(vectors[0])
	}
	return SpaceOf(s.provider, s.model, dimension), nil
}

// SpaceOf returns the identity of the space that a model's vectors belong to.
func SpaceOf(provider, model string, dimension int) sdkapi.EmbeddingSpace {
	return sdkapi.EmbeddingSpace{
		ProviderID: provider, ModelID: model, ModelName: model, Dimension: dimension,
		EmbeddingSpaceVersion: fmt.Sprintf("%s:%s:%d", provider, model, dimension),
	}
}
