// Package websearch is the gateway's tool web.search, which uses a search server.
//
//	provider, err := websearch.Open(websearch.SearxNG, websearch.Config{URL: "http://127.0.0.1:8888"})
//	err = registry.Register(websearch.Tool(provider))
//
// A Provider talks to one kind of server. Without a provider there is no tool, and clients cannot
// register one with its name.
package websearch

import (
	"context"
	"fmt"
	"strings"

	"github.com/windieos/windie/agent"
)

// ToolName is the name of the tool in the registry.
const ToolName = "web.search"

// Provider searches the web.
type Provider interface {
	// Search returns up to limit pages, best first. It must be safe for concurrent use, and returns
	// soon after ctx ends, with ctx's error. Other errors are faults: SEARCH_RATE_LIMITED with a
	// *Refusal in its chain, SEARCH_UNAVAILABLE if a retry may succeed, and SEARCH_ERROR if the
	// operator has to act, for example after a refused key.
	Search(ctx context.Context, query string, limit int) ([]Result, error)

	// Close closes the connections. It may be called twice.
	Close() error
}

// Result is one page. All of its texts are untrusted.
type Result struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet" doc:"Excerpt of the page. May be empty."`
}

// Limits of a result, in bytes. A result with a longer URL is omitted.
const (
	maxTitle   = 300
	maxURL     = 2048
	maxSnippet = 1000
)

// Arguments are the arguments of the tool.
type Arguments struct {
	Query      string `json:"query" minLength:"1" maxLength:"400" pattern:"\\S" patternDescription:"text that is not only white space" doc:"Words to search for."`
	MaxResults int    `json:"max_results,omitempty" minimum:"1" maximum:"20" default:"8"`
}

// Answer is the result of the tool.
type Answer struct {
	Query   string   `json:"query"`
	Results []Result `json:"results" doc:"Pages, best first."`
}

// Content implements agent.Contenter. It returns text, which costs a third less than JSON.
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

// Tool returns the tool web.search. The caller closes provider.
func Tool(provider Provider) agent.Tool {
	about := agent.Descriptor{
		Name: ToolName, Tag: "Web", Risk: agent.Safe,
		Description: "Search the web. Returns title, URL and excerpt of each page, best first. If nothing fits, search again with other words.",
	}
	return agent.Func(about, func(ctx context.Context, _ agent.Call, in Arguments) (Answer, error) {
		query := strings.Join(strings.Fields(in.Query), " ")
		results, err := provider.Search(ctx, query, in.MaxResults)
		if results == nil {
			results = []Result{} // so that it becomes a list in JSON, even if empty
		}
		return Answer{Query: query, Results: results}, err
	})
}
