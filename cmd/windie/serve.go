package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/digest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/dirstore"
	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/artifacts/s3store"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/memlimit"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/internal/tracing"
	"github.com/windieos/windie/models/providers"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/perception/tesseract"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
)

// serveCommand returns `windie serve`. It logs unknown variables as warnings and starts all the
// same.
func serveCommand(load loader, environ []string) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Run the gateway until it is stopped",
		Long: "The gateway serves HTTP, WebSocket and MCP at one address, and the console at /console/. Ctrl-C or\n" +
			"SIGTERM stops it: it accepts no new requests, and finishes requests in progress.",
		Example:     "  windie serve\n  windie serve --listen 127.0.0.1:9000 --data-dir ./data",
		Annotations: map[string]string{commonAnnotation: "config listen data-dir mode public-url trusted-network allowed-origins models-default models-catalogue log-level"},
		Args:        cobra.NoArgs,
		RunE: load.run(func(cmd *cobra.Command, c *config, _ []string) error {
			log := newLog(cmd.ErrOrStderr(), c)
			for _, said := range unknownVariables(environ) {
				log.Warn(said)
			}
			return serve(cmd.Context(), cmd, c, environ, log)
		}),
	}
}

// serve runs a gateway until ctx ends and the requests in progress have finished. It opens the data
// before the address, so that only one gateway of a data folder listens.
func serve(ctx context.Context, cmd *cobra.Command, c *config, environ []string, log *slog.Logger) error {
	served := false
	err := assemble(ctx, c, environ, log, asMain, func(p parts) error {
		ln, err := listen(ctx, c)
		if err != nil {
			return err
		}
		log.Info("serving", slog.String("addr", ln.Addr().String()), slog.String("version", version), slog.String("ocr", p.scenes.EngineName()))
		p.models.Announce(log)
		c.announceBudget(log, p.models)
		if err := p.scenes.Ready(ctx); err != nil {
			log.Warn("the text reader is not ready; screens cannot be read yet", slog.Any("err", err))
		}
		url := "http://" + reachable(ln.Addr().(*net.TCPAddr))
		greet(cmd, url, c.Mode)
		greetPerson(ctx, cmd, c, p.ids, url, log)
		running := context.WithoutCancel(ctx) // turns continue while the server drains
		defer background.Start(running, p.sessions.Run)()
		defer background.Start(running, p.brought.Run)()
		defer background.Start(running, p.kept.clean)()
		served = true
		return p.server.Serve(ctx, ln)
	})
	if served {
		log.Info("stopped")
	}
	return err
}

// parts are the parts of a gateway, for code that runs beside it.
type parts struct {
	server   *gateway.Server
	app      gateway.App
	scenes   *perception.Scenes
	sessions *session.Sessions
	brought  *brought
	kept     *state
	models   *providers.Source
	ids      *identity.Identity
}

// assemble creates all parts, calls use, and closes the parts when use has returned. It does not
// close them when ctx ends, because turns may continue then.
func assemble(ctx context.Context, c *config, environ []string, log *slog.Logger, as role, use func(parts) error) error {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	if as == asMain {
		if err := c.makeDirs(); err != nil {
			return err
		}
		leave, err := c.occupy(ctx)
		if err != nil {
			return err
		}
		defer leave()
	}
	kept, err := openState(ctx, c, log, as)
	if err != nil {
		return err
	}
	defer kept.close()
	key, err := c.approvalKey(log)
	if err != nil {
		return err
	}
	visible := c.visible(kept.artifacts)
	tracer, err := openTracer(ctx, c, log)
	if err != nil {
		return err
	}
	defer tracer.Close()
	shared := c.boundMemory()
	defer background.Start(running, memlimit.Release)()
	scenes := newScenes(c, tracer, shared)
	finder, tools, err := newTools(running, c, visible, kept, scenes)
	if err != nil {
		return err
	}
	brought, err := openBrought(c, tools, shared, visible, kept, log)
	if err != nil {
		return err
	}
	defer brought.Close()
	sessions, language, err := newSessions(c, environ, kept, screens.NewScreenReader(visible, finder), tools, tracer, log)
	if err != nil {
		return err
	}
	defer sessions.Close()
	ids := identity.Open(kept.db)
	defer background.Start(running, ids.Run)()
	app := c.hosting(gateway.App{
		Audit: kept.audit, Ledger: kept.ledger, Memory: kept.memory, Prompts: kept.prompts, Retention: kept.retention, Runs: kept.runs,
		Journal: kept.journal, Once: kept.once, Responses: kept.responses, Identity: ids, OAuth: c.oauth(kept.db, ids), Sessions: sessions,
		Models: language, Embeddings: kept.texts, Digests: digest.New(language.ChooseWriter), Voice: c.voice(ctx, log), Transcriber: c.Transcription.open(),
		Tools: tools, Plugins: brought.plugins, MCPServers: brought.servers, Connections: brought.connections,
		Store: visible, Scenes: scenes, Finder: finder,
		Pools: shared.byName(), Arriving: arriving(),
		State: watched{kept.db, kept.memory}, Damage: kept.damage, Kept: kept.kept, Forget: kept.forgetter(running, scenes, log),
		Settings: c.settingsInForce(), ApprovalKey: key, Version: version, Tracer: tracer, Log: log,
	})
	server := doors.New(app)
	return use(parts{server, app, scenes, sessions, brought, kept, language, ids})
}

// visible returns the artifacts for requests: in hosted mode each user's own.
func (c *config) visible(all *owned.Store) artifacts.Store {
	if c.Mode == hostedMode {
		return all
	}
	return all.For("")
}

// newTools returns a finder for screens, and the gateway's tools, for use until ctx ends.
func newTools(ctx context.Context, c *config, store artifacts.Store, kept *state, scenes *perception.Scenes) (*query.Finder, *agent.Registry, error) {
	finder, err := c.newFinder(scenes, kept.ledger)
	if err != nil {
		return nil, nil, err
	}
	tools := agent.NewRegistry()
	for _, tool := range slices.Concat(screens.BuiltinTools(store, finder), kept.memory.Tools()) {
		if err := tools.Register(tool); err != nil {
			return nil, nil, err
		}
	}
	return finder, tools, c.addSearch(ctx, tools)
}

// listen opens the listen address of the settings. Server.Serve closes the listener.
func listen(ctx context.Context, c *config) (net.Listener, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another address with WINDIE_LISTEN", c.Listen, err)
	}
	return ln, nil
}

// greet prints the gateway's address and the first commands.
func greet(cmd *cobra.Command, url, mode string) {
	try := "-F file=@examples/click-target/screen.png " + url + sdkapi.ArtifactsPath
	if mode == hostedMode {
		try = `--json '{"operating_system":"Linux"}' ` + url + sdkapi.InstallRegisterPath
	}
	fmt.Fprintf(cmd.OutOrStdout(), `
Windie is ready at %[1]s (its routes: %[1]s/docs). Try:

  curl %[2]s

`, url, try)
}

// greetPerson prints the console's address. In a terminal the link has a code that signs a browser
// in. Elsewhere it has none, because the output may go to a log.
func greetPerson(ctx context.Context, cmd *cobra.Command, c *config, ids *identity.Identity, url string, log *slog.Logger) {
	at := url + c.PathPrefix
	out := cmd.OutOrStdout()
	if c.Mode == hostedMode || !plain.IsTerminal(out) {
		fmt.Fprintf(out, "The console is at %s/console/ (`windie console` prints a link that signs you in).\n\n", at)
		return
	}
	link, err := c.consoleLink(ctx, ids, at)
	if err != nil {
		log.Warn("cannot create a link to the console", slog.Any("err", err))
		return
	}
	fmt.Fprintf(out, "The console, for one browser within %v: %s\n\n", identity.CodeAge, link)
}

// reachable returns an address at which this machine reaches a listener.
func reachable(a *net.TCPAddr) string {
	if a.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", a.Port)
	}
	return a.String()
}

// openStore opens the store of the settings. On an error it returns a nil interface: a nil pointer
// in an interface is not nil.
func openStore(ctx context.Context, c *config) (artifacts.Store, error) {
	if err := c.makeDirs(); err != nil {
		return nil, err
	}
	if c.S3.Endpoint == "" {
		folder, err := dirstore.Open(filepath.Join(c.DataDir, "artifacts"))
		if err != nil {
			return nil, err
		}
		return folder, nil
	}
	bucket, err := s3store.Open(ctx, c.s3())
	if err != nil {
		return nil, err
	}
	return bucket, nil
}

// s3 returns the settings of S3. Fields have the same names as in c.S3.
func (c *config) s3() s3store.Config {
	return s3store.Config{
		Endpoint:     c.S3.Endpoint,
		Bucket:       c.S3.Bucket,
		Prefix:       c.S3.Prefix,
		AccessKey:    c.S3.AccessKey,
		SecretKey:    string(c.S3.SecretKey),
		CreateBucket: true,
		SpoolDir:     c.tempDir(),
	}
}

// checkS3 adds the problems of the S3 settings to p.
func (c *config) checkS3(p *configError) {
	if c.S3.Endpoint == "" {
		unused := c.S3.Bucket != "" || c.S3.AccessKey != "" || c.S3.SecretKey != ""
		p.add(unused, "s3.endpoint (WINDIE_S3_ENDPOINT): is needed with s3.bucket and the keys; name the server, such as https://s3.example.com")
		return
	}
	for _, wrong := range c.s3().Check() {
		field, _ := reflect.TypeOf(c.S3).FieldByName(wrong.Field)
		p.add(true, "s3.%s (%s): %s", field.Tag.Get("key"), field.Tag.Get("env"), wrong.Text)
	}
}

// engines has a constructor for each value of ocr.engine. A constructor does nothing outside of the
// process.
var engines = map[string]func(*config) perception.Engine{
	"windie":    newReader,
	"tesseract": newTesseract,
}

// newReader returns the engine windie.
func newReader(c *config) perception.Engine { return reader.New(readerOf(c)) }

// readerOf returns the configuration of the built-in reader. Its cache gets 1/linesShare of the
// cache memory.
func readerOf(c *config) reader.Config {
	return reader.Config{
		Languages:  c.OCR.Languages,
		DataDir:    c.OCR.Tessdata,
		CacheBytes: max(1, c.cacheBytes()/linesShare), // 0 would mean the default
	}
}

// newTesseract returns the engine tesseract, which starts the program for each picture.
func newTesseract(c *config) perception.Engine {
	return tesseract.New(tesseract.Config{
		Languages: c.OCR.Languages,
		DataDir:   c.OCR.Tessdata,
	})
}

// linesShare is the divisor of the cache memory: lines get one part of linesShare. Cached lines help
// only with the next frames. Whole screens get the other parts, because clients request them again
// much later.
const linesShare = 16

// newScenes returns the reader of screens, limited by the pools of a gateway. The zero pools mean no
// limits, for a command that reads one picture. t may be nil.
func newScenes(c *config, t *tracing.Tracer, p pools) *perception.Scenes {
	cache := c.cacheBytes()
	return perception.NewScenes(gateway.Traced(engines[c.OCR.Engine](c), t), perception.Options{
		CacheBytes: cache - cache/linesShare, Memory: p.memory, Cores: p.cores, Apart: c.Mode == hostedMode,
	})
}
