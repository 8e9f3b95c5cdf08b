// Package sdk is the Go client of a Windie gateway.
//
//	client, err := sdk.New("http://127.0.0.1:8765")
//	shot, err := client.UploadArtifact(ctx, "shot.png", file)
//	found, err := client.OCR.ResolveText(ctx, sdkapi.OCRTextRequest{
//		Image: sdk.Stored(shot.ArtifactID),
//		Text:  "Check out",
//	})
//	click(found.Match.Center.X, found.Match.Center.Y)
//
// Requests and answers are the types of sdkapi, the ones the gateway itself
// serves. A failure that the gateway reports is an *sdkapi.Error:
//
//	if errors.Is(err, &sdkapi.Error{Code: sdkapi.AmbiguousMatch}) { … }
//
// Requests that change nothing are tried again, a few times and with growing
// pauses, when the connection breaks or the gateway is busy. Those that store
// an overlay or call a tool are tried again only when no connection came about,
// or where Once gives them a key. An upload is a stream, and sent once.
package sdk

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Client calls one gateway. It is safe for concurrent use. Make one with New.
type Client struct {
	// OCR reads text on images.
	OCR *OCR

	// Vision finds things on images by description.
	Vision *Vision

	// Screen returns what stands on images besides text.
	Screen *Screen

	// Install registers this program at a hosted gateway, which asks for WithToken.
	Install *Install

	// Tools lists and calls tools, for the user named by WithUser.
	Tools *Tools

	// Agent shows what language models are asked.
	Agent *Agent

	// Prompts asks language models and returns the outcome, for the user named by WithUser.
	Prompts *Prompts

	// Runs asks for runs, and carries them out; it needs WithRunsKey.
	Runs *Runs

	// Decisions lists for a person what waits for a yes or a no.
	Decisions *Decisions

	// Plugins lists and changes plugins, for the operator.
	Plugins *Plugins

	// Operator looks after the gateway: its settings, MCP servers and users, and what it keeps.
	Operator *Operator

	// ToolHosts holds sessions with an agent that calls tools of the program.
	ToolHosts *ToolHosts

	// General asks the general agent service, whose tools the program runs.
	General *General

	base   string // without a slash at the end
	http   *retryablehttp.Client
	header http.Header
}

// An Option changes how a Client calls.
type Option func(*Client)

// WithHTTPClient sets what sends requests; the default is a client of its own
// without a time limit: use contexts.
func WithHTTPClient(c *http.Client) Option {
	return func(client *Client) { client.http.HTTPClient = c }
}

// WithHeader adds a header to every request, as one that a proxy asks for.
func WithHeader(name, value string) Option {
	return func(client *Client) { client.header.Set(name, value) }
}

// WithRetries sets how often a safe request is tried again; the default is 3, and 0 turns it off.
func WithRetries(n int) Option {
	return func(client *Client) { client.http.RetryMax = n }
}

// Bounds of the pause before another try.
const (
	minPause = 100 * time.Millisecond
	maxPause = 5 * time.Second
)

// New returns a client of the gateway at baseURL, as http://127.0.0.1:8765.
func New(baseURL string, opts ...Option) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("sdk: %q is not the URL of a gateway, as http://127.0.0.1:8765", baseURL)
	}
	c := &Client{base: strings.TrimRight(baseURL, "/"), http: retryablehttp.NewClient(), header: http.Header{}}
	c.http.RetryMax, c.http.RetryWaitMin, c.http.RetryWaitMax = 3, minPause, maxPause
	c.http.Logger = nil
	c.http.CheckRetry, c.http.Backoff = checkRetry, backoff
	c.http.ErrorHandler = retryablehttp.PassthroughErrorHandler // the last answer, not "giving up"
	c.header.Set("User-Agent", "windie-go")
	for _, opt := range opts {
		opt(c)
	}
	c.OCR, c.Vision, c.Screen = &OCR{client: c}, &Vision{client: c}, &Screen{client: c}
	c.Tools, c.Install, c.Agent, c.Prompts = &Tools{client: c}, &Install{client: c}, &Agent{client: c}, &Prompts{client: c}
	c.General, c.Decisions, c.Runs, c.Plugins, c.ToolHosts, c.Operator = &General{client: c}, &Decisions{client: c}, &Runs{client: c}, &Plugins{client: c}, &ToolHosts{client: c}, &Operator{client: c}
	return c, nil
}
