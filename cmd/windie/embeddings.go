package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/models/embeddings/remote"
	"github.com/windieos/windie/models/openai"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/ledger"
)

// Values of embeddings.backend.
const (
	localBackend  = "local"
	openaiBackend = "openai"
	remoteBackend = "remote-http"
)

// check returns the settings that the chosen backend needs and that are empty.
func (s embeddingSettings) check() []string {
	var p configError
	p.add(s.Backend == openaiBackend && (s.URL == "" || s.Model == ""), "embeddings.url and embeddings.model (WINDIE_EMBEDDINGS_URL, WINDIE_EMBEDDINGS_MODEL): are needed with embeddings.backend %s", openaiBackend)
	p.add(s.Backend == remoteBackend && (s.URL == "" || s.APIKey == ""), "embeddings.url and embeddings.api_key (WINDIE_EMBEDDINGS_URL, WINDIE_EMBEDDINGS_API_KEY): are needed with embeddings.backend %s", remoteBackend)
	return p.problems
}

// newEmbeddings returns the service that computes vectors. It records the cost of requests in book,
// unless that is nil. It opens nothing yet.
func (c *config) newEmbeddings(book *ledger.Ledger) (*embeddings.Service, error) {
	s := c.Embeddings
	switch s.Backend {
	case localBackend:
		return embeddings.Local(c.weightsDir()), nil
	case remoteBackend:
		model := cmp.Or(s.Model, embeddings.LocalModel)
		return embeddings.New(sdkapi.EmbedProviderName, model, func() (embeddings.Embedder, error) {
			return remote.NewClient(s.URL, string(s.APIKey), model), nil
		}), nil
	}
	price, err := c.priceOf(s.Model)
	if err != nil {
		return nil, err
	}
	return embeddings.New(openaiBackend, s.Model, func() (embeddings.Embedder, error) {
		e, err := openai.OpenEmbedder(openai.Config{BaseURL: s.URL, APIKey: models.NewSecret(string(s.APIKey))}, s.Model)
		if err != nil || book == nil {
			return e, err
		}
		return book.Embedder(e, price, ledger.PayerOf), nil
	}), nil
}

// weightsDir returns the folder of the in-process model's weights.
func (c *config) weightsDir() string {
	return filepath.Join(c.DataDir, "models", "all-MiniLM-L6-v2")
}

// embeddingsCheck is the name of the check that may load a model, which takes longer than others.
const embeddingsCheck = "embeddings"

// checkEmbeddings loads the local model, or sends a request to the embedding server. Missing local
// weights are no failure.
func (c *config) checkEmbeddings(ctx context.Context) (string, error) {
	if c.Embeddings.Backend != localBackend { // only the local backend loads a model here
		short, cancel := context.WithTimeout(ctx, checkTimeout)
		defer cancel()
		ctx = short
	}
	texts, err := c.newEmbeddings(nil)
	if err != nil {
		return "", err
	}
	if c.Embeddings.Backend == localBackend && !texts.Installed() {
		return "disabled (no weights), so memory is searched by words only; to download the weights: windie models fetch", nil
	}
	space, err := texts.Space(ctx)
	if err == nil {
		err = texts.Ready()
	}
	return fmt.Sprintf("embeds texts in the space %s", space.EmbeddingSpaceVersion), err
}

// embedCommand returns `windie embed`. The service starts even if the model is missing, and then
// refuses requests.
func embedCommand(load loader) *cobra.Command {
	at := ""
	cmd := &cobra.Command{
		Use:   "embed",
		Short: "Run the embedding service until it is stopped",
		Long: "Several gateways can share one embedding model: set embeddings.backend to remote-http on each\n" +
			"gateway. The service answers POST /embed and GET /health. A request to /embed must send\n" +
			"WINDIE_EMBEDDING_SERVICE_API_KEY in the header X-Windie-Embedding-Key.",
		Example: "  WINDIE_EMBEDDING_SERVICE_API_KEY=SECRET windie embed\n  windie embed --at 0.0.0.0:8766",
		Args:    cobra.NoArgs,
		RunE: load.run(func(cmd *cobra.Command, c *config, _ []string) error {
			log := newLog(cmd.ErrOrStderr(), c)
			texts, err := c.newEmbeddings(nil)
			if err != nil {
				return err
			}
			if c.Embeddings.ServiceKey == "" {
				log.Warn("WINDIE_EMBEDDING_SERVICE_API_KEY is not set: the service refuses all requests for vectors")
			}
			if err := texts.Ready(); err != nil {
				log.Warn("texts cannot be embedded yet", slog.Any("err", err))
			}
			return serveEmbed(cmd.Context(), at, remote.NewServer(texts, string(c.Embeddings.ServiceKey), log).Handler(), log)
		}),
	}
	cmd.Flags().StringVar(&at, "at", "127.0.0.1:8766", "`ADDRESS` and port to listen on")
	return cmd
}

// serveEmbed serves routes at an address until ctx ends, and then completes the open requests.
func serveEmbed(ctx context.Context, at string, routes http.Handler, log *slog.Logger) error {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", at)
	if err != nil {
		return fmt.Errorf("--at: %w", err)
	}
	server := &http.Server{Handler: routes, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute}
	log.Info("serving embeddings", slog.String("addr", ln.Addr().String()))
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ln) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	return server.Shutdown(within)
}
