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
// Requests and responses are the types of package sdkapi, which the gateway uses too. A failure
// that the gateway reports is an *sdkapi.Error:
//
//	if errors.Is(err, &sdkapi.Error{Code: sdkapi.AmbiguousMatch}) { … }
//
// If the connection breaks or the gateway is busy, the client retries requests that change nothing,
// a few times with increasing pauses. It retries a request that stores an overlay or calls a tool only
// if no connection was made, or if Once gives it a key. An upload is streamed and never retried.
package sdk

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Client calls one gateway. It is safe for concurrent use. Create one with New.
type Client struct {
	// OCR reads text on images.
	OCR *OCR

	// Vision finds things on images by description.
	Vision *Vision

	// Screen lists the elements on images, such as buttons and fields.
	Screen *Screen

	// Install registers this program with a hosted gateway and returns the token for WithToken.
	Install *Install

	// Tools lists and calls tools, for the user that WithUser names.
	Tools *Tools

	// Agent shows what the gateway would send to a model.
	Agent *Agent

	// Prompts sends prompts to models and returns the outcome, for the user that WithUser names.
	Prompts *Prompts

	// Runs creates runs and carries them out. It needs WithRunsKey.
	Runs *Runs

	// Decisions lists the tool calls that wait for a person's approval, and approves or denies them.
	Decisions *Decisions

	// Plugins lists and changes plugins, for the operator.
	Plugins *Plugins

	// Operator administers the gateway: its settings, MCP servers, users and stored data.
	Operator *Operator

	// ToolHosts holds sessions with an agent that calls tools of this program.
	ToolHosts *ToolHosts

	// General uses the general agent service. This program runs the tools of the service's agent.
	General *General

	base   string // without a trailing slash
	http   *retryablehttp.Client
	header http.Header
}

// An Option configures a Client.
type Option func(*Client)

// WithHTTPClient sets the HTTP client. The default has no timeout: use contexts.
func WithHTTPClient(c *http.Client) Option {
	return func(client *Client) { client.http.HTTPClient = c }
}

// WithHeader adds a header to every request, for example a header that a proxy requires.
func WithHeader(name, value string) Option {
	return func(client *Client) { client.header.Set(name, value) }
}

// WithRetries sets the maximum number of retries for requests that are safe to repeat. The default
// is 3; 0 turns retries off.
func WithRetries(n int) Option {
	return func(client *Client) { client.http.RetryMax = n }
}

// minPause and maxPause limit the pause before another try.
const (
	minPause = 100 * time.Millisecond
	maxPause = 5 * time.Second
)

// New returns a client of the gateway at baseURL, for example http://127.0.0.1:8765. An invalid URL
// is an error. New sends no request.
func New(baseURL string, opts ...Option) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("sdk: %q is not the URL of a gateway; expected a URL such as http://127.0.0.1:8765", baseURL)
	}
	c := &Client{base: strings.TrimRight(baseURL, "/"), http: retryablehttp.NewClient(), header: http.Header{}}
	c.http.RetryMax, c.http.RetryWaitMin, c.http.RetryWaitMax = 3, minPause, maxPause
	c.http.Logger = nil
	c.http.CheckRetry, c.http.Backoff = checkRetry, backoff
	// return the last response instead of the error "giving up"
	c.http.ErrorHandler = retryablehttp.PassthroughErrorHandler
	c.header.Set("User-Agent", "windie-go")
	for _, opt := range opts {
		opt(c)
	}
	c.OCR, c.Vision, c.Screen = &OCR{client: c}, &Vision{client: c}, &Screen{client: c}
	c.Tools, c.Install, c.Agent, c.Prompts = &Tools{client: c}, &Install{client: c}, &Agent{client: c}, &Prompts{client: c}
	c.General, c.Decisions, c.Runs, c.Plugins, c.ToolHosts, c.Operator = &General{client: c}, &Decisions{client: c}, &Runs{client: c}, &Plugins{client: c}, &ToolHosts{client: c}, &Operator{client: c}
	return c, nil
}
