package doorstest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/windieos/windie/agent"
	agentdesktop "github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/desktop"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
)

// conversation returns the gateway for a dialogue over WebSockets. Its model is the commander, unless the dialogue has
// a part "model" with the replies.
func conversation(t *testing.T, file string) gateway.App {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var model models.Model = commander.Model{}
	for _, part := range archive.Files {
		if part.Name == "model" {
			model = modelstest.NewScript(repliesOf(t, part.Data)...)
		}
	}
	var log journal.Journal = journaltest.NewMemory()
	switch filepath.Base(file) {
	case "ws-expired.txtar", "toolhost-expired.txtar":
		log = Hasty{log}
	case "ws-resync.txtar", "v1-resync.txtar", "toolhost-resync.txtar":
		log = forgetful{log}
	}
	hosted := strings.HasSuffix(file, "-hosted.txtar")
	cfg := Conversing(t, gatewaytest.Store(t, hosted), model, log)
	cfg.AllowedOrigins = []string{"https://app.example"}
	if hosted {
		cfg.Hosted, cfg.Identity = true, gatewaytest.Identity(t)
	}
	return cfg
}

// Conversing returns the configuration of a gateway for conversations with a model. Its services close when the test
// ends.
func Conversing(t *testing.T, store artifacts.Store, model models.Model, log journal.Journal) gateway.App {
	t.Helper()
	scenes := gatewaytest.Scenes(t)
	tools := agent.NewRegistry()
	for _, tool := range screens.BuiltinTools(store, query.New(scenes, nil)) {
		if err := tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	screenReader := screens.NewScreenReader(store, query.New(scenes, nil))
	all := session.New(session.Config{
		Journal: log, Tools: tools, Image: screenReader.Image, Keep: screenReader.Keep, Prepare: agentdesktop.Prepare(screenReader), UserPolicy: desktop.UserPolicy(log), System: "You are a helpful assistant.",
		Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return model, models.Request{Model: "commander"}, nil
		},
	})
	t.Cleanup(func() {
		all.Close()
		_ = log.Close()
	})
	return gateway.App{Models: new(twoModels), Store: store, Scenes: scenes, Tools: tools, Journal: journal.Count(log), Sessions: all}
}

// OneModel is the catalog of a gateway whose only model is the test model commander. It stores no keys.
type OneModel struct{}

func (OneModel) List(context.Context, string, ...string) sdkapi.ModelList {
	return sdkapi.ModelList{Local: []sdkapi.Model{{ID: "commander", Provider: "commander", DisplayName: "Commander"}}, Online: []sdkapi.Model{}, Vision: []sdkapi.Model{}}
}

// Choose returns the model commander for every id.
func (OneModel) Choose(context.Context, string, string) (models.Model, models.Request, error) {
	return commander.Model{}, models.Request{Model: "commander"}, nil
}

func (OneModel) Figures() []models.ModelFigures { return nil }

func (OneModel) Default() string { return "commander" }

func (OneModel) Keep(user, provider, key string) {}

func (OneModel) Keeps(string, string) bool { return false }

func (OneModel) Providers() []string { return nil }

// twoModels is the catalog of a gateway with a second model, for users who have a key of OpenAI.
type twoModels struct {
	OneModel
	keys models.Keyring
}

// List returns the first model. It adds the second model if the user has a key of OpenAI, or if openai is one of the
// given providers.
func (m *twoModels) List(ctx context.Context, user string, with ...string) sdkapi.ModelList {
	list := m.OneModel.List(ctx, user)
	if m.Keeps(user, "openai") || slices.Contains(with, "openai") {
		list.Online = []sdkapi.Model{{ID: "gpt-5.4@@gpt-5-4-none-thinking", Provider: "openai", DisplayName: "GPT-5.4 None", DefaultModelID: "gpt-5.4@@gpt-5-4-none-thinking"}}
	}
	return list
}

func (m *twoModels) Keep(user, provider, key string) {
	m.keys.Set(user, provider, models.NewSecret(key))
}

func (m *twoModels) Keeps(user, provider string) bool { return m.keys.Get(user, provider).Known() }

func (m *twoModels) Providers() []string { return []string{"openai"} }

// repliesOf parses the replies of a model, a sequence of JSON objects.
func repliesOf(t *testing.T, text []byte) []modelstest.Reply {
	t.Helper()
	var replies []modelstest.Reply
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var r struct {
			Thoughts, Text []string
			Calls          []models.Call
			Usage          models.Usage
			End            models.EndReason
			Fails          string      // the error's text, sent after the reply
			Code           sdkapi.Code // the error's code; empty means MODEL_UNAVAILABLE
			Stalls         bool        // likewise sent after the reply: the stream then hangs
		}
		err := d.Decode(&r)
		if errors.Is(err, io.EOF) {
			return replies
		}
		if err != nil {
			t.Fatal(err)
		}
		reply := modelstest.Reply{Thoughts: r.Thoughts, Text: r.Text, Calls: r.Calls, Usage: r.Usage, End: r.End, Hold: r.Stalls}
		if r.Fails != "" {
			reply.Err = fault.New("model", cmp.Or(r.Code, sdkapi.ModelUnavailable), "%s", r.Fails)
		}
		replies = append(replies, reply)
	}
}

// Hasty is a journal whose decisions expire after 500 ms.
type Hasty struct{ journal.Journal }

// Open stores the decision with an expiry in 500 ms.
func (h Hasty) Open(ctx context.Context, d journal.Decision) (journal.Decision, error) {
	d.Expires = time.Now().Add(500 * time.Millisecond)
	return h.Journal.Open(ctx, d)
}

// forgetful is a journal that trims a session to a snapshot whenever a turn starts, so that the events of earlier turns
// are missing.
type forgetful struct{ journal.Journal }

// AppendAs appends events to a stream. If the first event starts a turn, it then trims the stream to a snapshot. The
// list of events must not be empty.
func (f forgetful) AppendAs(ctx context.Context, lease journal.Lease, stream string, events ...journal.Event) (int64, error) {
	if events[0].Kind != session.KindTurnStarted {
		return f.Journal.AppendAs(ctx, lease, stream, events...)
	}
	before, err := f.Read(ctx, stream, 0, journal.MaxEvents)
	if err != nil {
		return 0, err
	}
	var state session.State
	for _, e := range before {
		if err := state.Apply(e); err != nil {
			return 0, err
		}
	}
	snapshot, err := json.Marshal(state)
	if err != nil {
		return 0, err
	}
	last, err := f.Journal.AppendAs(ctx, lease, stream, events...)
	if err != nil {
		return 0, err
	}
	return last, f.Trim(ctx, stream, last, snapshot)
}

// MessageTypes returns the message types in sdkapi/ws.go. A type that clients send begins with "> ", and a type that
// the gateway sends begins with "< ".
func MessageTypes(t *testing.T) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(testkit.RepoRoot(t), "sdkapi", "ws.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, decl := range f.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST || !strings.HasPrefix(group.Doc.Text(), "What ") {
			continue
		}
		mark := "< "
		if strings.HasPrefix(group.Doc.Text(), "What a client") {
			mark = "> "
		}
		for _, spec := range group.Specs {
			value, ok := spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit)
			if !ok || value.Kind != token.STRING {
				continue
			}
			kind, err := strconv.Unquote(value.Value)
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, mark+kind)
		}
	}
	if len(kinds) < 30 {
		t.Fatalf("found only %q", kinds)
	}
	return kinds
}
