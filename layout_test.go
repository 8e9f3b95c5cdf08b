package windie_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/windieos/windie/"

// mayImport is the project's map. A key names a folder and all below it that
// has no key of its own; its value lists what of ours shipped code there may
// import. A value ending in "/..." also covers what lies below.
var mayImport = map[string][]string{
	"sdkapi":                             {}, // the wire vocabulary stands alone
	"internal/fault":                     {"sdkapi"},
	"internal/test/testkit":              {"sdkapi", "internal/fault"},
	"internal/test/run":                  {}, // runs go test, and says what came of it
	"internal/test/system/rig":           {"sdk", "sdkapi", "internal/test/testkit", "models/modelstest"},
	"internal/test/pgtest":               {"sdkapi", "internal/fault", "internal/test/testkit"},
	"internal/test/databasetest":         {"state/database", "internal/test/pgtest"},
	"internal/test/dialogue":             {"sdkapi", "internal/fault", "internal/test/recorded"},
	"internal/test/recorded":             {}, // JSON that came, and JSON that should have
	"internal/test/gatewaytest":          {"sdkapi", "internal/fault", "internal/test/testkit", "state/database", "state/once", "state/responses", "state/identity", "agent/audit", "state/journal/sqljournal", "agent/tools/memory", "state/runs", "gateway", "gateway/doors", "artifacts", "artifacts/...", "perception", "perception/...", "state/identity/oauth"},
	"artifacts":                          {"sdkapi", "internal/fault"},
	"artifacts/":                         {"sdkapi", "internal/fault", "internal/linked", "internal/newfile", "artifacts"}, // each store
	"artifacts/owned":                    {"sdkapi", "internal/fault", "internal/background", "state/database", "internal/progress", "internal/trouble", "artifacts"},
	"artifacts/scrub":                    {"sdkapi", "internal/fault", "internal/background", "state/database", "internal/trouble", "artifacts"},
	"artifacts/storetest":                {"sdkapi", "internal/fault", "artifacts", "internal/test/testkit"},
	"perception":                         {"sdkapi", "internal/fair", "internal/fault", "internal/hashid", "internal/meter", "perception/geo", "perception/calm"},
	"perception/":                        {"sdkapi", "internal/fair", "internal/fault", "perception", "perception/geo"}, // each engine
	"perception/convnet":                 {"internal/fair", "perception/layers", "perception/lstm", "perception/ngram"},
	"perception/layers":                  {"perception/lstm"},
	"perception/unet":                    {"internal/fair", "perception/layers"},
	"perception/textmap":                 {"perception/unet"},
	"perception/textline":                {"internal/fair", "perception/geo", "perception/textmap"},
	"perception/ngram":                   {}, // numbers alone
	"perception/lstm/cutfile":            {"perception/lstm"},
	"perception/geo":                     {}, // boxes alone
	"perception/calm":                    {"internal/fair"},
	"perception/elements/icons":          {}, // shapes alone
	"perception/locate":                  {"sdkapi", "internal/fair", "internal/fault", "perception", "perception/geo", "perception/match", "perception/elements", "perception/elements/icons"},
	"perception/choice":                  {"internal/plain", "perception/geo", "perception/elements"},
	"perception/trees":                   {}, // numbers alone
	"perception/elements":                {"sdkapi", "internal/fair", "internal/fault", "perception", "perception/geo", "perception/trees", "perception/elements/icons"},
	"perception/elements/train":          {"sdkapi", "perception", "perception/geo", "perception/trees", "perception/elements", "perception/reader"},
	"perception/describe":                {"perception", "perception/geo", "perception/elements", "perception/elements/icons"},
	"perception/diff":                    {"sdkapi", "internal/fair", "internal/fault", "perception", "perception/geo", "perception/elements", "perception/elements/icons"},
	"perception/vlm":                     {"sdkapi", "internal/fault", "internal/plain", "models", "models/openai"},
	"perception/evaluate":                {"sdkapi", "internal/progress", "perception", "perception/geo", "perception/elements", "perception/locate", "perception/match", "perception/overlay"},
	"perception/query":                   {"sdkapi", "internal/fair", "internal/fault", "internal/hashid", "internal/plain", "artifacts", "perception", "perception/geo", "perception/match", "perception/choice", "perception/elements", "perception/locate", "perception/describe", "perception/diff", "perception/overlay", "perception/vlm"},
	"perception/reader":                  {"sdkapi", "internal/fair", "internal/fault", "perception", "perception/geo", "perception/textline", "perception/textmap", "perception/lstm", "perception/convnet", "perception/ngram"},
	"agent":                              {"sdkapi", "internal/fault", "internal/plain"},
	"agent/session":                      {"sdkapi", "internal/fault", "internal/hashid", "internal/meter", "internal/plain", "internal/progress", "internal/ratelimit", "internal/trouble", "agent", "state/journal", "models", "internal/background"},
	"agent/envelope":                     {"sdkapi", "internal/fault", "agent/session"},
	"agent/conversation":                 {"sdkapi", "internal/fault", "internal/hashid", "state/journal"},
	"agent/promptlist":                   {"sdkapi", "internal/fault", "internal/plain", "state/database", "agent/session"},
	"agent/digest":                       {"sdkapi", "internal/fault", "models"},
	"agent/desktop":                      {"sdkapi", "internal/fault", "agent", "agent/session"},
	"agent/tools/websearch":              {"sdkapi", "internal/fault", "internal/egress", "internal/plain", "agent"},
	"agent/agenttest":                    {"sdkapi", "internal/fault", "agent", "agent/session", "state/journal", "state/journal/journaltest", "models", "models/modelstest"},
	"agent/audit":                        {"sdkapi", "internal/fault", "state/database", "agent", "agent/session", "state/journal", "internal/background", "internal/batch"},
	"state/ledger":                       {"sdkapi", "internal/fault", "state/database", "models", "internal/background"},
	"agent/tools/memory":                 {"sdkapi", "internal/fault", "state/ledger", "internal/hashid", "state/database", "internal/filelock", "internal/linked", "artifacts", "agent", "internal/background"},
	"models":                             {"sdkapi", "internal/fault", "internal/hashid", "internal/meter", "internal/plain", "internal/background"},
	"models/":                            {"sdkapi", "internal/fault", "models"}, // each provider, and what tests them
	"models/commander":                   {"sdkapi", "internal/fault", "models", "models/commander/sentence"},
	"models/commander/sentence":          {}, // words and names alone
	"models/commander/sentence/training": {"models/commander/sentence"},
	"models/minilm":                      {"internal/fair"}, // a network alone
	"models/embeddings":                  {"sdkapi", "internal/fault", "models/minilm"},
	"models/embeddings/remote":           {"sdkapi", "internal/fault", "models/embeddings"},
	"models/providers":                   {"sdkapi", "internal/fault", "models", "models/..."},
	"internal/background":                {},                    // work beside a caller's own
	"state/backup":                       {"internal/progress"}, // files in one archive
	"state/carry":                        {"sdkapi", "internal/fault", "state/database", "artifacts"},
	"internal/batch":                     {}, // values for one writer
	"internal/egress":                    {"sdkapi", "internal/fault"},
	"state/database":                     {"sdkapi", "internal/fault", "internal/background", "internal/filelock", "internal/linked"},
	"internal/fair":                      {"sdkapi", "internal/fault"}, // what there is a bounded amount of, among users
	"internal/filelock":                  {"internal/newfile", "internal/background"},
	"internal/linked":                    {},                 // files that are where they were
	"internal/newfile":                   {},                 // files that are whole
	"internal/plain":                     {"internal/fault"}, // text for people
	"internal/progress":                  {"internal/plain"},
	"internal/memlimit":                  {}, // the process's memory
	"internal/meter":                     {}, // counts for code that knows no metrics library
	"internal/hashid":                    {}, // short names
	"state/responses":                    {"sdkapi", "internal/fault", "state/database"},
	"state/once":                         {"sdkapi", "internal/fault", "state/database", "internal/background"},
	"internal/figures":                   {}, // what /metrics says
	"internal/redact":                    {}, // texts without secrets
	"internal/ratelimit":                 {"sdkapi", "internal/fault"},
	"internal/tracing":                   {},
	"internal/trouble":                   {},                        // failures of a store
	"internal/tracing/":                  {"internal/test/testkit"}, // what tests it
	"state/runs":                         {"sdkapi", "internal/fault", "internal/background", "state/database", "state/journal", "state/journal/sqljournal"},
	"models/speech":                      {"models/speech/pcm"}, // text to sound
	"models/speech/pcm":                  {},
	"models/speech/transcription":        {"sdkapi", "internal/fault", "internal/background", "models/speech/pcm"},                                                                                                                                                                    // sound to text
	"client/computer":                    {"agent", "client/computer/access", "client/computer/browser", "client/computer/delegate", "client/computer/eyes", "client/computer/files", "client/computer/git", "client/computer/process", "client/computer/screen", "perception/query"}, // joins its parts
	"client/computer/access":             {},                                                                                                                                                                                                                                          // a protocol alone
	"client/computer/browser":            {"internal/egress", "agent", "internal/plain"},
	"client/computer/delegate":           {"sdkapi", "agent", "client/computer/process"},
	"client/computer/desktop":            {"agent", "client/computer", "client/computer/process", "client/computer/x11"},
	"client/computer/eyes":               {"models/commander/sentence", "sdkapi", "internal/fault", "agent", "client/computer/access", "client/computer/screen", "client/computer/x11", "perception", "perception/elements", "perception/geo", "perception/overlay", "perception/query", "internal/background"},
	"client/computer/files":              {"agent", "internal/plain", "internal/hashid"},
	"client/computer/git":                {"agent", "client/computer/process"},
	"client/computer/process":            {"agent"},
	"client/computer/screen":             {"agent", "client/computer/x11"},
	"client/computer/x11":                {"internal/background"},                                                           // a protocol alone
	"client/terminal":                    {"sdk", "sdkapi", "agent", "internal/fault", "internal/plain", "internal/hashid"}, // a conversation for people
	"client/worker":                      {"sdk", "sdkapi", "internal/background", "agent"},
	"state/values":                       {"sdkapi", "internal/fault", "state/database"},
	"state/retention":                    {"sdkapi", "internal/fault", "internal/background", "state/database"},
	"state/identity/openid":              {"sdkapi", "internal/fault", "internal/hashid"}, // people whom an OpenID provider knows
	"state/identity/openid/openidtest":   {"state/identity/openid"},
	"state/identity/oauth":               {"sdkapi", "internal/fault", "internal/egress", "internal/hashid", "internal/ratelimit", "state/database", "state/identity"}, // MCP clients of users
	"state/identity/upstream":            {"sdkapi", "internal/fault", "internal/background", "internal/egress", "internal/hashid", "state/database"},                  // users at MCP servers of others
	"state/identity":                     {"sdkapi", "internal/fault", "internal/batch", "state/database", "internal/hashid"},
	"state/journal":                      {"sdkapi", "internal/fault", "internal/meter"},
	"state/journal/sqljournal":           {"sdkapi", "internal/fault", "internal/background", "internal/batch", "state/database", "state/journal"},
	"state/journal/journaltest":          {"sdkapi", "internal/fault", "state/journal", "internal/test/testkit"},
	"wasmtools":                          {"sdkapi", "internal/fair", "internal/fault", "internal/egress", "internal/filelock", "internal/newfile", "internal/plain", "agent", "wasmtools/...", "internal/background"},
	"wasmtools/":                         {"sdkapi", "internal/fault"},
	"wasmtools/author":                   {"internal/fault", "internal/newfile", "internal/plain", "internal/progress", "agent", "wasmtools", "wasmtools/...", "sdk/plugin"}, // for people who write plugins
	"wasmtools/source":                   {"sdkapi", "internal/fault", "internal/egress", "internal/progress"},
	"wasmtools/sign":                     {"sdkapi", "internal/fault", "internal/egress"},
	"wasmtools/shelf":                    {"sdkapi", "internal/fault", "internal/newfile", "agent", "wasmtools", "wasmtools/author", "wasmtools/sign", "wasmtools/source"}, // plugins of others
	"wasmtools/abi":                      {"sdkapi", "internal/fault", "wasmtools/fuel"},
	"wasmtools/command":                  {"sdkapi", "internal/fault", "wasmtools/abi"}, // programs as tools
	"wasmtools/fuel":                     {},                                            // a pass over bytes
	"agent/tools/mcptools":               {"sdkapi", "internal/fault", "internal/hashid", "internal/egress", "internal/newfile", "agent", "state/identity/upstream"},
	"gateway":                            {"sdkapi", "internal/fair", "internal/fault", "internal/background", "state/once", "internal/plain", "internal/tracing", "state/identity", "artifacts", "agent", "agent/session", "state/journal", "perception", "perception/query", "gateway/metrics", "gateway/peer", "gateway/quota", "gateway/sockets", "gateway/sse", "gateway/strictbody", "agent/audit", "agent/conversation", "agent/digest", "agent/promptlist", "agent/tools/mcptools", "agent/tools/memory", "models", "models/embeddings", "models/speech", "models/speech/transcription", "state/identity/openid", "state/ledger", "state/responses", "state/retention", "state/runs", "wasmtools", "state/identity/oauth", "state/identity/upstream"}, // the core, which knows no protocol
	"gateway/approvals":                  {"sdkapi", "internal/fault", "internal/plain", "agent", "agent/session", "agent/audit", "state/journal"},
	"gateway/metrics":                    {"sdkapi", "internal/background", "agent/session", "models", "state/ledger", "internal/fair", "internal/fault", "internal/meter", "internal/tracing", "agent", "agent/audit", "state/journal", "perception", "perception/query", "wasmtools"},
	"gateway/peer":                       {"sdkapi", "internal/fault", "state/identity"}, // connections alone
	"gateway/quota":                      {"sdkapi", "internal/fair", "internal/fault", "internal/ratelimit", "perception"},
	"gateway/sockets":                    {"sdkapi", "internal/fault", "internal/plain"},
	"gateway/sse":                        {}, // streams alone
	"gateway/strictbody":                 {"sdkapi", "internal/fault", "internal/plain"},
	"gateway/turns":                      {"sdkapi", "internal/fault", "state/once", "agent", "agent/desktop", "agent/session", "agent/tools/websearch", "state/journal", "gateway", "gateway/approvals", "gateway/sse"},                                                                                                                                                                                                                                                                                                                                                                                                             // what protocols with turns share
	"gateway/":                           {"sdkapi", "internal/fair", "internal/fault", "internal/background", "internal/hashid", "internal/plain", "internal/ratelimit", "agent", "agent/...", "artifacts", "agent/audit", "state/journal", "state/ledger", "agent/tools/memory", "models", "perception", "perception/query", "state/responses", "state/runs", "models/speech", "models/speech/pcm", "models/speech/transcription", "wasmtools", "gateway", "gateway/approvals", "gateway/peer", "gateway/sockets", "gateway/sse", "gateway/strictbody", "gateway/turns", "gateway/metrics", "models/embeddings", "state/identity"}, // each protocol, which knows no other
	"gateway/doors":                      {"gateway", "gateway/..."},                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 // joins them
	"gateway/doors/doorstest":            {"..."},
	"gateway/operators":                  {"sdkapi", "internal/fault", "state/identity", "state/ledger", "agent/tools/mcptools", "gateway", "state/retention"},
	"gateway/oauth":                      {"sdkapi", "internal/fault", "internal/ratelimit", "state/identity", "state/identity/oauth", "gateway", "gateway/peer", "gateway/strictbody"},
	"gateway/connections":                {"sdkapi", "internal/fault", "state/identity", "state/identity/upstream", "agent/tools/mcptools", "gateway", "gateway/peer", "gateway/strictbody"},
	"gateway/mcp":                        {"sdkapi", "internal/fault", "internal/background", "internal/plain", "state/identity", "state/identity/oauth", "state/identity/upstream", "agent", "agent/session", "artifacts", "state/journal", "perception", "gateway", "gateway/approvals", "gateway/peer", "gateway/sse", "gateway/strictbody"},
	"gateway/console":                    {"sdkapi", "internal/fault", "internal/plain", "internal/ratelimit", "state/identity", "state/identity/openid", "gateway/console/pages", "gateway", "gateway/peer", "gateway/strictbody"},
	"gateway/console/pages":              {},                                                     // pages for browsers
	"internal/test/conformance":          {"sdkapi", "internal/fault", "internal/test/recorded"}, // holds clients to the dialogues
	"internal/test/conformance/stage":    {"sdkapi", "internal/fault", "state/database", "state/once", "agent", "agent/conversation", "agent/desktop", "agent/promptlist", "agent/session", "artifacts/dirstore", "gateway", "gateway/desktop", "gateway/doors", "gateway/screens", "state/journal", "state/journal/sqljournal", "agent/tools/memory", "models", "perception", "perception/query"},
	"sdk":                                {"sdkapi"},
	"sdk/driver":                         {"sdk", "sdkapi"},                                           // the Go client's part in cmd/conformance
	"sdk/plugin":                         {},                                                          // kits, which know the gateway by its imports alone
	"sdk/typescript":                     {},                                                          // the client for TypeScript, which holds no Go
	"sdk/python":                         {},                                                          // the client for Python, likewise
	"perception/training":                {"perception", "perception/textline", "perception/textmap"}, // what cuts lines for it
	"examples":                           {"sdk", "sdkapi"},
	"examples/plugins":                   {"sdk/plugin/..."},
	"cmd":                                {"..."},
}

// besidesCode lists the top-level folders that hold no Go code of their own.
var besidesCode = []string{
	"docs",    // guides, and pictures for the README
	"scripts", // what the Makefile calls
}

// testOnly lists the folders that exist for tests, with all below them. They may
// import each other as the map says; shipped code may import none of them.
var testOnly = []string{"internal/test", "cmd/conformance", "gateway/doors/doorstest", "state/identity/openid/openidtest", "internal/tracing/tracingtest", "artifacts/storetest", "state/journal/journaltest", "models/modelstest", "wasmtools/wasmtest", "agent/agenttest"}

// onlyIn names the folders that may import each heavy dependency.
var onlyIn = map[string][]string{
	"github.com/gofiber/":              {"gateway"},
	"github.com/tetratelabs/wazero":    {"wasmtools"},
	"github.com/minio/":                {"artifacts/s3store"},
	"github.com/modelcontextprotocol/": {"gateway", "agent/tools/mcptools", "state/identity/upstream"}, // the server, the client, and its sign-in
	"github.com/sashabaranov/":         {"models/openai"},
	"github.com/prometheus/":           {"gateway", "internal/figures"}, // what is said, and who reads it
	"go.opentelemetry.io/":             {"internal/tracing"},
	"github.com/jezek/xgb":             {"client/computer/x11"},
	"charm.land/":                      {"client/terminal"},
	"github.com/schollz/progressbar":   {"internal/progress"},
	"github.com/chromedp/":             {"client/computer/browser"},
	"github.com/godbus/":               {"client/computer/access"},
	"github.com/coder/acp-go-sdk":      {"client/computer/delegate"},
	"oras.land/":                       {"wasmtools/source"},
	"aead.dev/minisign":                {"wasmtools/sign"},
	"github.com/coreos/go-oidc":        {"state/identity/openid"},
	"golang.org/x/oauth2":              {"state/identity"},
}

// TestImportsFollowTheMap keeps the map true: an import that leaves it fails
// here, with the file named.
func TestImportsFollowTheMap(t *testing.T) {
	for _, file := range shipped(t) {
		folder := path.Dir(file)
		allowed, known := rule(folder)
		if !known {
			t.Errorf("%s: folder %s is not on the map", file, folder)
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if ours, ok := strings.CutPrefix(imported, module); ok {
				checkOurs(t, file, ours, allowed)
			}
			for dep, homes := range onlyIn {
				home := slices.ContainsFunc(homes, func(home string) bool { return within(folder, home) })
				if strings.HasPrefix(imported, dep) && !home {
					t.Errorf("%s imports %s, which belongs in %q", file, imported, homes)
				}
			}
		}
	}
}

// checkOurs reports an import of the project's own that the map or testOnly
// does not allow.
func checkOurs(t *testing.T, file, imported string, allowed []string) {
	t.Helper()
	folder := path.Dir(file)
	if !slices.ContainsFunc(allowed, covers(imported)) {
		t.Errorf("%s imports %s; %s may import %q", file, imported, folder, allowed)
	}
	if forTests(imported) && !forTests(folder) {
		t.Errorf("%s imports %s, which is for tests only", file, imported)
	}
}

// forTests reports whether a folder lies in one that exists for tests.
func forTests(folder string) bool {
	return slices.ContainsFunc(testOnly, func(home string) bool { return within(folder, home) })
}

// TestTheMapIsComplete fails for a folder the map does not know, for a place
// on it that is gone, and for a folder with nothing in it.
func TestTheMapIsComplete(t *testing.T) {
	top := slices.Clone(besidesCode)
	for key := range mayImport {
		folder := strings.TrimSuffix(key, "/")
		first, _, _ := strings.Cut(folder, "/")
		top = append(top, first)
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			t.Errorf("the map has %s, but there is no such folder", folder)
		}
	}
	walk(t, func(name string, d fs.DirEntry) {
		if !d.IsDir() {
			return
		}
		if !strings.Contains(name, "/") && !slices.Contains(top, name) {
			t.Errorf("folder %s is not on the map", name)
		}
		if entries, err := os.ReadDir(name); err != nil || len(entries) == 0 {
			t.Errorf("folder %s is empty (%v); create it with the first file", name, err)
		}
	})
}

// shipped lists the Go files that are not tests, by slash-separated path.
func shipped(t *testing.T) []string {
	t.Helper()
	var files []string
	walk(t, func(name string, d fs.DirEntry) {
		if !d.IsDir() && strings.Contains(name, "/") && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
	})
	if len(files) == 0 {
		t.Fatal("found no Go files")
	}
	return files
}

// walk visits all that lies in the repository, by slash-separated path,
// leaving out testdata, what begins with a dot, and what is built here.
func walk(t *testing.T, visit func(name string, d fs.DirEntry)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if d.IsDir() && (name == "bin" || d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == "target" || strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		visit(filepath.ToSlash(name), d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rule finds the most specific entry for folder. A key ending in a slash
// covers the folders below it only.
func rule(folder string) (allowed []string, known bool) {
	longest := -1
	for key, list := range mayImport {
		below := within(folder, strings.TrimSuffix(key, "/")) && folder+"/" != key
		if below && len(key) > longest {
			longest, allowed, known = len(key), list, true
		}
	}
	return allowed, known
}

// within reports whether folder is home or lies below it.
func within(folder, home string) bool {
	return strings.HasPrefix(folder+"/", home+"/")
}

// covers returns a test for whether an entry of a value covers imported.
func covers(imported string) func(entry string) bool {
	return func(entry string) bool {
		base, tree := strings.CutSuffix(entry, "...")
		return entry == imported || tree && strings.HasPrefix(imported, base)
	}
}
