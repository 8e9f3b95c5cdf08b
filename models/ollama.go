package models

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits of asking an Ollama for its models.
const (
	discoverTime = 2 * time.Second  // time limit of a request
	discoverKeep = 30 * time.Second // how long a response is cached, a failure too
	maxTags      = 4 << 20          // bytes of a response
	maxFound     = 500              // models in a response
)

// Discovery finds the models that run on the catalogue's providers. It caches each response for 30
// seconds. Create a Discovery with NewDiscovery. The methods are safe for concurrent use.
type Discovery struct {
	client *http.Client
	mu     sync.Mutex
	known  map[string]found
}

// found is a cached response. After a failure, names is empty.
type found struct {
	at    time.Time
	names []string
}

// NewDiscovery returns a Discovery that uses client's transport. If client is nil, it uses a new
// transport.
func NewDiscovery(client *http.Client) *Discovery {
	return &Discovery{client: clientOf(client), known: map[string]found{}}
}

// Extend returns a catalogue with the models of c and the models that run on its providers. If a
// server does not respond, Extend adds no models of this server.
func (d *Discovery) Extend(ctx context.Context, c *Catalogue) *Catalogue {
	for _, p := range c.Providers() {
		if p.Discover == discoverOllama {
			c = c.With(p, d.names(ctx, p.BaseURL))
		}
	}
	return c
}

// names returns the sorted names of an Ollama's models. It returns none if the server does not respond.
func (d *Discovery) names(ctx context.Context, baseURL string) []string {
	d.mu.Lock()
	defer d.mu.Unlock() // concurrent callers wait for the same response
	if f, have := d.known[baseURL]; have && time.Since(f.at) < discoverKeep {
		return f.names
	}
	names, err := d.ask(ctx, baseURL)
	if err != nil && ctx.Err() != nil {
		return d.known[baseURL].names // the caller left; the server may work
	}
	d.known[baseURL] = found{at: time.Now(), names: names}
	return names
}

// ask requests the models of an Ollama.
func (d *Discovery) ask(ctx context.Context, baseURL string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	root := strings.TrimSuffix(strings.TrimRight(baseURL, "/"), "/v1")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, root+"/api/tags", http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New(resp.Status)
	}
	var tags struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxTags)).Decode(&tags); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range tags.Models {
		if modelID.MatchString(m.Name) && len(names) < maxFound {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
