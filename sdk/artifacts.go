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

// UploadArtifact stores the bytes that r yields and returns the new artifact. name is only for the
// server's log, because the server finds the type in the content. The file is streamed, so a large
// file needs no more memory than a small one. The upload is sent once, without retries.
// If UploadArtifact fails, one Read of r may still be running: do not reuse r before that Read has
// returned.
func (c *Client) UploadArtifact(ctx context.Context, name string, r io.Reader) (*sdkapi.Artifact, error) {
	pipe, w := io.Pipe()
	defer pipe.Close() // so that the writer ends after its Read even if the request did not read all of it
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

// OpenArtifact returns the content and the description of an artifact. The caller must close the
// content. An unknown id fails with ArtifactNotFound.
func (c *Client) OpenArtifact(ctx context.Context, id string) (io.ReadCloser, *sdkapi.Artifact, error) {
	resp, err := c.call(safe(ctx), http.MethodGet, artifactPath(id), nil, nil)
	if err != nil {
		return nil, nil, err
	}
	return resp.Body, c.describe(id, resp), nil
}

// StatArtifact returns the description of an artifact without its content. An unknown id fails with
// NotFound, as the response has no body with a more exact code.
func (c *Client) StatArtifact(ctx context.Context, id string) (*sdkapi.Artifact, error) {
	resp, err := c.call(safe(ctx), http.MethodHead, artifactPath(id), nil, nil)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	return c.describe(id, resp), nil
}

// ArtifactURL returns the URL of an artifact. It sends no request.
func (c *Client) ArtifactURL(id string) string { return c.base + artifactPath(id) }

// Health reports whether the gateway works. If the gateway responds but does not work, Healthy is
// false and the error is nil.
func (c *Client) Health(ctx context.Context) (*sdkapi.Health, error) {
	return c.health(ctx, sdkapi.HealthPath)
}

// Ready reports whether the gateway accepts requests. If it is stopping or does not work, Healthy
// is false and the error is nil.
func (c *Client) Ready(ctx context.Context) (*sdkapi.Health, error) {
	return c.health(ctx, sdkapi.ReadyPath)
}

// health requests path once, without retries. The status 503 is no error, because its body says
// whether the gateway works.
func (c *Client) health(ctx context.Context, path string) (*sdkapi.Health, error) {
	return read[sdkapi.Health](c.send(ctx, http.MethodGet, path, nil, nil, http.StatusServiceUnavailable)) //nolint:bodyclose // read closes it
}

// artifactPath returns the path of an artifact, with the id escaped.
func artifactPath(id string) string { return sdkapi.ArtifactsPath + url.PathEscape(id) }

// describe reads an artifact's description from the headers of a response.
func (c *Client) describe(id string, resp *http.Response) *sdkapi.Artifact {
	return &sdkapi.Artifact{
		ArtifactID:  id,
		ContentType: resp.Header.Get("Content-Type"),
		SizeBytes:   resp.ContentLength,
		SHA256:      strings.Trim(resp.Header.Get("ETag"), `"`),
		URL:         c.ArtifactURL(id),
	}
}
