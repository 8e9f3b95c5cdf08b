package doorstest

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
)

// OwnedRequest is a request for an artifact or for something in it. The response shows the artifact only to its
// owner.
type OwnedRequest struct {
	Method, Path, Body string
	Header             [2]string
}

// people are the users of a hosted gateway, by the names that a test gives them.
type people struct {
	ids *identity.Identity

	mu     sync.Mutex
	tokens map[string]person
}

type person struct{ id, token string }

// peopleAt are the people of each gateway that StartOwned runs, by its URL.
var peopleAt sync.Map

// StartOwned runs a hosted gateway until the test ends.
func StartOwned(t *testing.T, cfg gateway.App) string {
	t.Helper()
	if cfg.Scenes == nil {
		cfg.Scenes = AbsentReader(t)
	}
	cfg.Hosted, cfg.Identity = true, gatewaytest.Identity(t)
	url := gatewaytest.Start(t, cfg)
	peopleAt.Store(url, &people{ids: cfg.Identity, tokens: map[string]person{}})
	t.Cleanup(func() { peopleAt.Delete(url) })
	return url
}

// Sign adds headers to a request, so that the gateway at url accepts the request of the user with this name. If name
// is empty, Sign adds no headers.
func Sign(t *testing.T, url, name string, req *http.Request) {
	t.Helper()
	if name == "" {
		return
	}
	all, _ := peopleAt.Load(url)
	p := all.(*people)
	p.mu.Lock()
	defer p.mu.Unlock()
	who, known := p.tokens[name]
	if !known {
		install, token := Registered(t, p.ids)
		who = person{install.User, token}
		p.tokens[name] = who
	}
	req.Header.Set("Authorization", "Bearer "+who.token)
	req.Header.Set(sdkapi.UserHeader, who.id)
}

// StateOf returns an empty database that only this test uses.
func StateOf(t *testing.T) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Stays is an HTTP client that does not follow redirects.
var Stays = http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// SendAs sends a request as a user, and returns the status and the body of the response. The parameter owner is the
// user's name.
func SendAs(t *testing.T, url, owner string, r OwnedRequest) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), r.Method, url+r.Path, strings.NewReader(r.Body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	Sign(t, url, owner, req)
	if r.Header[0] != "" {
		req.Header.Set(r.Header[0], r.Header[1])
	}
	resp, err := Stays.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// UploadAs uploads content as a user, and returns the stored artifact. The parameter owner is the user's name.
func UploadAs(t *testing.T, url, owner string, content []byte) (stored sdkapi.Artifact) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "f")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(content)
	_ = w.Close()
	r := OwnedRequest{http.MethodPost, sdkapi.ArtifactsPath, form.String(), [2]string{"Content-Type", w.FormDataContentType()}}
	status, body := SendAs(t, url, owner, r)
	if err := json.Unmarshal([]byte(body), &stored); err != nil || status != http.StatusOK {
		t.Fatalf("upload by %q: %d %s", owner, status, body)
	}
	return stored
}
