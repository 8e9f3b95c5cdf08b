package oauth

import (
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/windieos/windie/internal/egress"
)

// A client may have the URL of a document as its id (Client ID Metadata Documents). The document
// describes the client, so that it needs no registration.

// Limits of documents.
const (
	maxDocument   = 16 << 10        // bytes
	documentTime  = 5 * time.Second // for one request
	documentAge   = time.Hour       // how long a document is cached
	documentRetry = time.Minute     // how long a failure is cached
	maxDocuments  = 1000            // cached documents
)

// publicDocuments returns a client that loads documents from public hosts, by HTTPS, without
// redirects.
func publicDocuments() *egress.Client {
	client, err := egress.New(egress.Config{Rules: []egress.Rule{{Host: "*", Methods: []string{http.MethodGet}}}, Limits: DocumentLimits()})
	if err != nil {
		panic(err) // the configuration is constant
	}
	return client
}

// DocumentLimits are the limits of a Config.Documents.
func DocumentLimits() egress.Limits {
	return egress.Limits{Requests: 1, ResponseBytes: maxDocument, HeaderBytes: 8 << 10, Redirects: -1, Timeout: documentTime, ConnectTimeout: documentTime, HeaderTimeout: documentTime}
}

// documents caches the clients that are described at URLs.
type documents struct {
	client  *egress.Client
	loading singleflight.Group

	mu    sync.Mutex
	known map[string]document // by URL
}

// document is a cached document, or the failure to load it.
type document struct {
	client Client
	err    error
	until  time.Time
}

// load returns the client that is described at a URL.
func (d *documents) load(ctx context.Context, id string) (Client, error) {
	if err := checkDocumentURL(id); err != nil {
		return Client{}, err
	}
	if known, ok := d.cached(id); ok {
		return known.client, known.err
	}
	found, _, _ := d.loading.Do(id, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), documentTime)
		defer cancel()
		client, err := d.fetch(ctx, id)
		loaded := document{client, err, time.Now().Add(documentAge)}
		if err != nil {
			loaded.until = time.Now().Add(documentRetry)
		}
		d.keep(id, loaded)
		return loaded, nil
	})
	loaded := found.(document)
	return loaded.client, loaded.err
}

// checkDocumentURL refuses a URL that must not be a client's id.
func checkDocumentURL(id string) error {
	u, ok := readURI(id, maxClientID)
	if !ok || u.Scheme != "https" || len(u.Path) < 2 || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") || strings.Contains(u.EscapedPath(), "%") {
		return Refuse(InvalidClient, "a client_id that is a URL must be https, with a path, without user, fragment, dot segments and escapes, of at most %d bytes", maxClientID)
	}
	return nil
}

// cached returns a document that is still valid.
func (d *documents) cached(id string) (document, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known, ok := d.known[id]
	return known, ok && time.Now().Before(known.until)
}

// keep caches a document. A full cache first loses the expired ones, and else all.
func (d *documents) keep(id string, loaded document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) >= maxDocuments {
		for id, known := range d.known {
			if !time.Now().Before(known.until) {
				delete(d.known, id)
			}
		}
	}
	if d.known == nil || len(d.known) >= maxDocuments {
		d.known = map[string]document{}
	}
	d.known[id] = loaded
}

// fetch loads a document.
func (d *documents) fetch(ctx context.Context, id string) (Client, error) {
	reply, err := d.client.Do(ctx, egress.Request{URL: id, Header: http.Header{"Accept": {"application/json"}}})
	if err != nil {
		return Client{}, Refuse(InvalidClient, "the gateway cannot load the client_id %s; if the gateway may not reach this address, its operator sets WINDIE_OAUTH_CLIENT_DOCUMENTS=false and then the client registers", id).because(err)
	}
	if kind, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type")); reply.Status != http.StatusOK || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return Client{}, Refuse(InvalidClient, "the URL of the client_id has no JSON document: it answered with status %d", reply.Status)
	}
	return readDocument(id, reply.Body)
}

// readDocument parses the document at a URL.
func readDocument(id string, raw []byte) (Client, error) {
	var said struct {
		ID        string   `json:"client_id"`
		Name      string   `json:"client_name"`
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return Client{}, Refuse(InvalidClient, "the document at the client_id is invalid").because(err)
	}
	if said.ID != id {
		return Client{}, Refuse(InvalidClient, "the document at the client_id describes another client_id")
	}
	if said.Method != "" && said.Method != "none" {
		return Client{}, Refuse(InvalidClient, "the gateway accepts only clients with token_endpoint_auth_method none")
	}
	client := Client{ID: id, Name: said.Name, RedirectURIs: said.Redirects}
	return client, client.check()
}
