// Package embeddings is the one model of a gateway that turns texts into vectors, of which those of similar
// meaning are near.
//
//	local := embeddings.Local("models/all-MiniLM-L6-v2")
//	vectors, err := local.Embed(ctx, []string{"How do I reset my password?"})
//
// Its vectors are of a space, which Space names: vectors of different spaces cannot be compared.
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

// Embedder turns texts into vectors, all of one length, in their order. It is safe for concurrent use.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Service is a model that is opened when it is first needed. Its methods are safe for concurrent use.
type Service struct {
	provider, model string
	open            func() (Embedder, error)
	installed       func() bool

	mu        sync.Mutex
	opened    Embedder
	dimension int       // 0 as long as nothing was embedded
	used      time.Time // when the model last showed whether it works; zero for never
	failed    error     // what it failed with then; nil if it worked

	checking chan struct{} // full while Check asks
}

// How Check asks a model that another program serves.
const (
	checkHolds = 10 * time.Second // how long what the model last showed is believed
	checkTime  = 10 * time.Second // that asking may take
)

var _ Embedder = (*Service)(nil)

// What the model in the process is named.
const (
	LocalProvider = "local-sentence-transformer"
	LocalModel    = "sentence-transformers/all-MiniLM-L6-v2"
)

// New returns the service of a provider's model, which open opens. Where open fails it is asked again by the
// next request.
func New(provider, model string, open func() (Embedder, error)) *Service {
	return &Service{provider: provider, model: model, open: open, installed: func() bool { return true }, checking: make(chan struct{}, 1)}
}

// Local returns the model in the process, whose weights are read from dir when they are first needed.
func Local(dir string) *Service {
	s := New(LocalProvider, LocalModel, func() (Embedder, error) {
		m, err := minilm.Open(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fault.New("embeddings.Local", sdkapi.ModelUnavailable,
				"the weights of %s are not in %s: get them with windie models fetch, or choose another backend with WINDIE_EMBEDDINGS_BACKEND", LocalModel, dir).Because(err)
		case err != nil:
			return nil, fault.New("embeddings.Local", sdkapi.ModelUnavailable, "the weights of %s cannot be used: %s", LocalModel, err).Because(err)
		}
		return m, nil
	})
	s.dimension = minilm.Width
	s.installed = func() bool { return minilm.Installed(dir) }
	return s
}

// Computes reports whether the vectors are made in this process, and so take its cores.
func (s *Service) Computes() bool { return s.provider == LocalProvider }

// Installed reports whether what the model needs on this machine is there, without a look into it.
func (s *Service) Installed() bool { return s.installed() }

// Name names the model and its provider.
func (s *Service) Name() string { return s.provider + ":" + s.model }

// Ready opens the model. It fails with MODEL_UNAVAILABLE and what to do.
func (s *Service) Ready() error {
	_, err := s.embedder()
	return err
}

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

// Embed implements Embedder. It fails as Ready does, and as the model's provider does.
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
		return nil, fault.New("embeddings.Embed", sdkapi.ModelError, "the embedding model gave %d vectors for %d texts", len(vectors), len(texts))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range vectors {
		if s.dimension == 0 {
			s.dimension = len(v)
		}
		if len(v) != s.dimension || len(v) == 0 {
			return nil, fault.New("embeddings.Embed", sdkapi.ModelError, "the embedding model gave a vector of %d numbers, and others of %d: restart the gateway if its server has another model now", len(v), s.dimension)
		}
	}
	return vectors, nil
}

// shown keeps what a use of the model ended with, if that says whether the model works: not what
// may lie in the texts, or that the caller has left.
func (s *Service) shown(err error) {
	if code := fault.CodeOf(err); err != nil && code != sdkapi.ModelUnavailable && code != sdkapi.ModelRateLimited {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used, s.failed = time.Now(), err
}

// recent returns what the model last showed, if that was less than checkHolds ago.
func (s *Service) recent() (err error, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed, !s.used.IsZero() && time.Since(s.used) < checkHolds
}

// Check reports whether texts can be embedded now: it fails as Embed would. What the last use showed
// is believed for ten seconds; then it embeds a word, once for all who ask meanwhile. A model in
// this process needs no such proof: it works if it can be opened.
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
		err = fault.New("embeddings.Check", sdkapi.ModelUnavailable, "the embedding model has not answered for %v: see whether its server runs", checkTime).Because(err)
	}
	if err != nil && ctx.Err() == nil {
		s.mu.Lock()
		s.used, s.failed = time.Now(), err
		s.mu.Unlock()
	}
	return err
}

// Space names what vectors can be compared. If no vector was made yet, and only making one shows how long they
// are, it makes one.
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

// SpaceOf returns the space of a model's vectors.
func SpaceOf(provider, model string, dimension int) sdkapi.EmbeddingSpace {
	return sdkapi.EmbeddingSpace{
		ProviderID: provider, ModelID: model, ModelName: model, Dimension: dimension,
		EmbeddingSpaceVersion: fmt.Sprintf("%s:%s:%d", provider, model, dimension),
	}
}
