package memory_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/openai"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/ledger"
)

// embedServer answers at /embeddings as topics does, with as many numbers as it
// is given, unless it is told to fail.
type embedServer struct {
	topics
	extra  atomic.Int32 // numbers at the end of each vector
	status atomic.Int32 // of the answer; 0 for a good one
	half   atomic.Bool  // of the answer alone
	ragged atomic.Bool  // vectors of several lengths
	asked  atomic.Int32
}

func (s *embedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	if status := s.status.Load(); status != 0 {
		http.Error(w, `{"error":{"message":"not now"}}`, int(status))
		return
	}
	var in struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	vectors, _ := s.Embed(context.Background(), in.Input)
	var out struct {
		Data []map[string]any `json:"data"`
	}
	for i, v := range vectors {
		if s.ragged.Load() {
			v = append(v, make([]float32, i)...)
		}
		out.Data = append(out.Data, map[string]any{"index": i, "embedding": append(v, make([]float32, s.extra.Load())...)})
	}
	text, _ := json.Marshal(out)
	if s.half.Load() {
		text = text[:len(text)/2]
	}
	_, _ = w.Write(text)
}

// TestEmbeddingServer searches by meaning over HTTP, and by words while the
// server fails, which the answer says. Meanwhile nobody waits for the server.
func TestEmbeddingServer(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		server := &embedServer{topics: topics{words: [][]string{{"car", "vehicle", "bicycle"}, {"meal", "soup"}}}}
		web := httptest.NewServer(server)
		t.Cleanup(web.Close)
		transport := new(http.Transport)
		t.Cleanup(transport.CloseIdleConnections)
		embedder, err := openai.OpenEmbedder(openai.Config{BaseURL: web.URL, HTTPClient: &http.Client{Transport: transport}}, "test")
		if err != nil {
			t.Fatal(err)
		}
		n := remember(t, db, memory.Options{Embedder: embedder, Space: "test"})
		n.put("ada/memory/a.md", "We bought a bicycle.")
		n.put("ada/memory/b.md", "The car is red.")
		search := func(wantPaths string, wantFallback sdkapi.Code) {
			t.Helper()
			found, err := n.Search(t.Context(), "ada", memory.Search{Query: "car"})
			var paths []string
			for _, f := range found.Found {
				paths = append(paths, strings.TrimPrefix(f.Path, "memory/"))
			}
			if got := strings.Join(paths, " "); err != nil || got != wantPaths {
				t.Errorf("it finds %q, %v; want %q", got, err, wantPaths)
			}
			if told := found.Wire().Fallback; (told == nil) != (wantFallback == "") || told != nil && (told.Code != wantFallback || told.Message == "") {
				t.Errorf("it falls back for %+v, want %q", told, wantFallback)
			}
		}
		tidy := func() { // asks again, and has searches do so
			t.Helper()
			n.write("ada", memory.Daily, "Something new.")
			if err := n.Tidy(t.Context()); err != nil && server.status.Load() == 0 && !server.half.Load() {
				t.Error(err)
			}
		}
		search("b.md a.md", "")
		server.status.Store(http.StatusTooManyRequests)
		search("b.md", sdkapi.ModelRateLimited)
		server.status.Store(0)
		before := server.asked.Load()
		search("b.md", sdkapi.ModelRateLimited)
		if server.asked.Load() != before {
			t.Error("the server was asked again at once")
		}
		tidy()
		search("b.md a.md", "")
		server.half.Store(true)
		search("b.md", sdkapi.ModelError)
		server.half.Store(false)
		tidy()
		server.ragged.Store(true)
		n.write("ada", memory.LongTerm, "One.")
		n.put("ada/memory/d.md", "Two.")
		search("b.md", sdkapi.ModelError)
		server.ragged.Store(false)
		tidy()
		server.extra.Store(3) // another model behind the same name
		search("b.md", sdkapi.ModelError)
		search("b.md a.md", "")
		server.status.Store(http.StatusInternalServerError)
		n.write("ada", memory.Daily, "More.")
		if err := n.Tidy(t.Context()); fault.CodeOf(err) != sdkapi.ModelUnavailable {
			t.Errorf("tidying up: %v", err)
		}
		web.Close()
		search("b.md", sdkapi.ModelUnavailable)
	})
}

// meanwhile is an embedder during whose first request a function runs.
type meanwhile struct {
	topics
	once sync.Once
	do   func()
}

func (e *meanwhile) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.once.Do(e.do)
	return e.topics.Embed(ctx, texts)
}

// A text that replaces another one while that is embedded does not get the vector of the old text.
func TestTextChangedWhileEmbedded(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		embedder := &meanwhile{topics: topics{words: [][]string{{"car", "bicycle"}, {"meal", "soup"}}}}
		n := remember(t, db, memory.Options{Embedder: embedder, Space: "test"})
		n.put("ada/memory/a.md", "We bought a bicycle.")
		embedder.do = func() {
			n.put("ada/memory/a.md", "There was soup for all.")
			if _, err := n.Check(t.Context(), false); err != nil {
				t.Error(err)
			}
		}
		if err := n.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]string{"car": "", "meal": "a.md:1-1"} {
			if got := n.paths("ada", query); got != want {
				t.Errorf("%q finds %q, want %q", query, got, want)
			}
		}
	})
}

// payers is an embedder that records who pays.
type payers struct {
	topics
	names []string
}

func (e *payers) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.names = append(e.names, ledger.PayerOf(ctx))
	return e.topics.Embed(ctx, texts)
}

// Users pay under their id for what is embedded in the background, also if their folder has another name. If the gateway
// does not know the id, nobody pays.
func TestPayerOfEmbedding(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"ada", "Ada", "a@b.c", "con"} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			db, embedder := sqlite(t), &payers{}
			n := remember(t, db, memory.Options{Embedder: embedder, Space: "test"})
			n.write(user, memory.LongTerm, "One.")
			if err := n.Tidy(t.Context()); err != nil {
				t.Fatal(err)
			}
			if want := []string{user}; !slices.Equal(embedder.names, want) {
				t.Errorf("%q paid, want %q", embedder.names, want)
			}
			restarted := &payers{}
			again := remember(t, db, memory.Options{Dir: n.dir, Embedder: restarted, Space: "another model"})
			if err := again.Tidy(t.Context()); err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(restarted.names, func(name string) bool { return name != user }) {
				t.Errorf("after a restart %q paid, want only %q", restarted.names, user)
			}
			again.write(user, memory.LongTerm, "Two.") // from here on the gateway knows the id
			if err := again.Tidy(t.Context()); err != nil {
				t.Fatal(err)
			}
			if restarted.names = slices.Compact(restarted.names); !slices.Equal(restarted.names, []string{user}) {
				t.Errorf("after a request %q paid, want %q", restarted.names, user)
			}
		})
	}
}
