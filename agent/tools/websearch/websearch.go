// Package websearch is the gateway's tool web.search, over a server that searches the web.
//
//	provider, err := websearch.Open(websearch.SearxNG, websearch.Config{URL: "http://127.0.0.1:8888"})
//	err = registry.Register(websearch.Tool(provider))
//
// A Provider speaks to one kind of server. Without a provider there is no tool, and
// clients cannot bring another in its place.
package websearch

import (
	"context"
	"fmt"
	"strings"

	"github.com/windieos/windie/agent"
)

// ToolName is the tool's name in the registry.
const ToolName = "web.search"

// Provider searches the web.
type Provider interface {
	// Search returns up to most pages, the best first. It may be called from several
	// goroutines at once, and returns soon after ctx ends, with ctx's error. Other errors are
	// faults: SEARCH_RATE_LIMITED with a *Refusal; SEARCH_UNAVAILABLE for failures that may
	// pass; and SEARCH_ERROR for those that the operator has to correct, as a refused key.
	Search(ctx context.Context, query string, most int) ([]Result, error)

	// Close closes the connections. It may be called twice.
	Close() error
}

// Result is one page. Strangers wrote all of it.
type Result struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet" doc:"Text about the query; may be empty."`
}

// Bounds of a result, in bytes. A result with a longer URL is left out.
const (
	maxTitle   = 300
	maxURL     = 2048
	maxSnippet = 1000
)

// Arguments are the tool's arguments.
type Arguments struct {
	Query      string `json:"query" minLength:"1" maxLength:"400" pattern:"\\S" patternDescription:"text that is not only white space" doc:"A few words."`
	MaxResults int    `json:"max_results,omitempty" minimum:"1" maximum:"20" default:"8"`
}

// Answer is the tool's result.
type Answer struct {
	Query   string   `json:"query"`
	Results []Result `json:"results" doc:"Best first."`
}

// Content implements agent.Contenter: without JSON the answer costs a third less.
func (a Answer) Content() []agent.Part {
	if len(a.Results) == 0 {
		return []agent.Part{agent.Text(fmt.Sprintf("No match for %q. Try other words.", a.Query))}
	}
	var b strings.Builder
	for i, r := range a.Results {
		fmt.Fprintf(&b, "%d. %s\n   %s\n", i+1, r.Title, r.URL)
		if r.Snippet != "" {
			fmt.Fprintf(&b, "   %s\n", r.Snippet)
		}
	}
	return []agent.Part{agent.Text(strings.TrimSuffix(b.String(), "\n"))}
}

// Tool returns the tool. The caller closes provider.
func Tool(provider Provider) agent.Tool {
	about := agent.Descriptor{
		Name: ToolName, Tag: "Web", Risk: agent.Safe,
		Description: "Search the web. Returns title, URL and excerpt of each page, best first. If nothing fits, search again with other words.",
	}
	return agent.Func(about, func(ctx context.Context, _ agent.Call, in Arguments) (Answer, error) {
		query := strings.Join(strings.Fields(in.Query), " ")
		results, err := provider.Search(ctx, query, in.MaxResults)
		if results == nil {
			results = []Result{} // a list in JSON, also of nothing
		}
		return Answer{Query: query, Results: results}, err
	})
}
