package sdk

import (
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/windieos/windie/sdkapi"
)

// UploadArtifact stores what r yields. name is for the server's log only: the
// type is found by looking at the content. The file is streamed, not held.
func (c *Client) UploadArtifact(ctx context.Context, name string, r io.Reader) (*sdkapi.Artifact, error) {
	pipe, w := io.Pipe()
	defer pipe.Close() // lets the writer end when the request did not read it all
	form := multipart.NewWriter(w)
	go func() {
		part, err := form.CreateFormFile("file", name)
		if err == nil {
			_, err = io.Copy(part, r)
		}
		if err == nil {
			err = form.Close()
		}
		w.CloseWithError(err)
	}()
	header := http.Header{"Content-Type": {form.FormDataContentType()}}
	return read[sdkapi.Artifact](c.send(ctx, http.MethodPost, sdkapi.ArtifactsPath, header, pipe)) //nolint:bodyclose // read closes it
}

// OpenArtifact opens a stored file, which the caller closes, and describes it.
func (c *Client) OpenArtifact(ctx context.Context, id string) (io.ReadCloser, *sdkapi.Artifact, error) {
	resp, err := c.call(safe(ctx), http.MethodGet, artifactPath(id), nil, nil)
	if err != nil {
		return nil, nil, err
	}
	return resp.Body, c.describe(id, resp), nil
}

// StatArtifact describes a stored file.
func (c *Client) StatArtifact(ctx context.Context, id string) (*sdkapi.Artifact, error) {
	resp, err := c.call(safe(ctx), http.MethodHead, artifactPath(id), nil, nil)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	return c.describe(id, resp), nil
}

// ArtifactURL returns where a stored file is served.
func (c *Client) ArtifactURL(id string) string { return c.base + artifactPath(id) }

// Health reports whether the gateway works. A gateway that answers and does not
// work is an answer with Healthy false, and no error.
func (c *Client) Health(ctx context.Context) (*sdkapi.Health, error) {
	return c.health(ctx, sdkapi.HealthPath)
}

// Ready reports whether the gateway takes requests. One that is stopping, or does
// not work, is an answer with Healthy false, and no error.
func (c *Client) Ready(ctx context.Context) (*sdkapi.Health, error) {
	return c.health(ctx, sdkapi.ReadyPath)
}

func (c *Client) health(ctx context.Context, path string) (*sdkapi.Health, error) {
	return read[sdkapi.Health](c.send(ctx, http.MethodGet, path, nil, nil, http.StatusServiceUnavailable)) //nolint:bodyclose // read closes it
}

func artifactPath(id string) string { return sdkapi.ArtifactsPath + url.PathEscape(id) }

// describe reads an artifact's description from the headers it is served with.
func (c *Client) describe(id string, resp *http.Response) *sdkapi.Artifact {
	return &sdkapi.Artifact{
		ArtifactID:  id,
		ContentType: resp.Header.Get("Content-Type"),
		SizeBytes:   resp.ContentLength,
		SHA256:      strings.Trim(resp.Header.Get("ETag"), `"`),
		URL:         c.ArtifactURL(id),
	}
}
