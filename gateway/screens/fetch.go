package screens

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// addFetch adds the routes that describe and download an artifact.
func (s *door) addFetch() {
	// For a GET without a HEAD, Fiber adds its own HEAD.
	for _, method := range []string{http.MethodHead, http.MethodGet} {
		gateway.Register(s.core, huma.Operation{
			OperationID: strings.ToLower(method) + "-artifact", Method: method,
			Path: sdkapi.ArtifactsPath + "{artifact_id}", Tags: []string{"artifacts"},
			Summary: map[string]string{http.MethodHead: "Describe a stored file", http.MethodGet: "Download a file"}[method],
			Description: "An artifact never changes, so clients may cache it. The route accepts a range of bytes. Browsers display raster images and " +
				"download all other files.",
			Responses: map[string]*huma.Response{
				"200": {Description: "The file.", Content: map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}},
				"206": {Description: "The requested range of the file."},
				"304": {Description: "The caller already has the file."},
				"307": {Description: "The artifact store serves the file itself, at the URL in Location."},
			},
			Errors: []int{404, 416, 422, 503},
		}, s.fetch)
	}
}

// fetchInput is the input of fetch.
type fetchInput struct {
	ID          string `path:"artifact_id" pattern:"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\\.[a-z0-9]{1,10}$" patternDescription:"an artifact_id: a name with an extension and without a path" doc:"The artifact's id."`
	Range       string `header:"Range" doc:"One range of bytes, for example bytes=0-99."`
	IfRange     string `header:"If-Range" doc:"ETag for which the range is valid. If the file has another ETag, the whole file is sent."`
	IfNoneMatch string `header:"If-None-Match" doc:"ETags of the files that the caller already has."`
	head        bool
}

var _ huma.Resolver = (*fetchInput)(nil)

// Resolve implements huma.Resolver. It records whether the method is HEAD.
func (in *fetchInput) Resolve(ctx huma.Context) []error {
	in.head = ctx.Method() == http.MethodHead
	return nil
}

// fetch answers a download, a range of it, or a HEAD request. If the store can make a link to the file, fetch redirects
// to the link, even if the request has a range.
func (s *door) fetch(ctx context.Context, in *fetchInput) (*huma.StreamResponse, error) {
	store, err := s.core.StoreOf(ctx)
	if err != nil {
		return nil, err
	}
	info, err := store.Stat(ctx, in.ID)
	if err != nil {
		return nil, unknownAt(err, "path.artifact_id")
	}
	etag := `"` + info.SHA256 + `"`
	header := fetchHeader(info, etag)
	if hasETag(in.IfNoneMatch, etag) {
		return answer(http.StatusNotModified, header, nil, 0), nil
	}
	if link := s.presigned(ctx, store, in, info); link != "" {
		return redirect(link), nil
	}
	part := span{0, info.Size}
	status := http.StatusOK
	if !in.head && in.Range != "" && (in.IfRange == "" || in.IfRange == etag) {
		asked, ok, err := parseRange(in.Range, info.Size)
		if err != nil {
			return nil, huma.ErrorWithHeaders(s.core.Failure(ctx, err), http.Header{"Content-Range": {fmt.Sprintf("bytes */%d", info.Size)}})
		}
		if ok {
			part, status = asked, http.StatusPartialContent
			header["Content-Range"] = fmt.Sprintf("bytes %d-%d/%d", part.offset, part.offset+part.length-1, info.Size)
		}
	}
	if in.head {
		return answer(status, header, http.NoBody, part.length), nil
	}
	content, err := s.core.Lasting(ctx, func(ctx context.Context) (io.ReadCloser, error) {
		content, _, err := store.Get(ctx, in.ID, part.offset, part.length)
		return inChunks(content), err
	})
	if err != nil {
		return nil, err
	}
	return answer(status, header, content, part.length), nil
}

// presigned returns a link to the whole file in the store. It returns "" if links are disabled, if the store
// cannot make them, or for a HEAD request.
func (s *door) presigned(ctx context.Context, from artifacts.Store, in *fetchInput, info artifacts.Info) string {
	store, ok := from.(artifacts.Presigner)
	if !ok || s.presignTTL == 0 || in.head {
		return ""
	}
	link, err := store.Presign(ctx, in.ID, disposition(info), s.presignTTL)
	if err != nil {
		return "" // the gateway then serves the file itself
	}
	return link
}

// redirect returns a redirect to a link, which no client may cache because the link expires.
func redirect(link string) *huma.StreamResponse {
	return answer(http.StatusTemporaryRedirect, map[string]string{"Location": link, "Cache-Control": "no-store"}, nil, 0)
}

// fetchHeader returns the headers of a response with the file, for the whole file or a range.
func fetchHeader(info artifacts.Info, etag string) map[string]string {
	return map[string]string{
		"Content-Type":            info.ContentType,
		"Content-Disposition":     disposition(info),
		"ETag":                    etag,
		"Last-Modified":           info.CreatedAt.UTC().Format(http.TimeFormat),
		"Accept-Ranges":           "bytes",
		"Cache-Control":           fmt.Sprintf("private, max-age=%d, immutable", int(maxAge(info).Seconds())),
		"X-Content-Type-Options":  "nosniff",
		"Content-Security-Policy": "default-src 'none'; sandbox", // in case a browser displays it anyway
	}
}

// maxAge returns the time for which a client may cache an artifact. It ends when the artifact expires, and is
// at most one year, which HTTP treats as forever.
func maxAge(info artifacts.Info) time.Duration {
	const good = 365 * 24 * time.Hour
	if info.ExpiresAt.IsZero() {
		return good
	}
	return min(good, max(0, time.Until(info.ExpiresAt)))
}

// shown are the media types that a browser may display, because such files cannot run code.
var shown = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"}

// disposition returns a Content-Disposition with the artifact's id as the file name. It is inline only for the types in
// shown.
func disposition(info artifacts.Info) string {
	how := "attachment"
	if slices.Contains(shown, info.ContentType) {
		how = "inline"
	}
	return how + `; filename="` + info.ID + `"` // an id needs no quoting
}

// answer returns a response that streams content. fasthttp closes content in any case. A nil
// content is an empty body.
func answer(status int, header map[string]string, content io.ReadCloser, length int64) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		c := humafiber.UnwrapV2(ctx)
		for name, value := range header {
			c.Set(name, value)
		}
		c.Status(status)
		if content != nil {
			c.Context().SetBodyStream(content, int(length))
		}
	}}
}

// chunk is the size of the pieces in which an artifact is copied, in bytes. With fasthttp's own pieces of
// 4 KiB, a store behind a socket has half the throughput.
const chunk = 256 << 10

// chunked copies a reader's content in pieces of chunk bytes.
type chunked struct{ io.ReadCloser }

// WriteTo implements io.WriterTo. If a body has this method, fasthttp uses it instead of its own
// copy loop.
func (c chunked) WriteTo(w io.Writer) (int64, error) {
	buffer := chunks.Get().(*[]byte)
	defer chunks.Put(buffer)
	// The wrappers hide other methods of both sides, with which CopyBuffer would not use the
	// buffer.
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{c.ReadCloser}, *buffer)
}

// chunks are buffers of chunk bytes.
var chunks = sync.Pool{New: func() any { b := make([]byte, chunk); return &b }}

// inChunks returns content with a WriteTo that copies in chunks. It returns content unchanged if content has a
// WriteTo, for example a file, which the kernel copies.
func inChunks(content io.ReadCloser) io.ReadCloser {
	if _, ok := content.(io.WriterTo); ok {
		return content
	}
	return chunked{content}
}

// hasETag reports whether an If-None-Match header contains etag. Weak tags match too (RFC 9110,
// section 13.1.2).
func hasETag(list, etag string) bool {
	for tag := range strings.SplitSeq(list, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}

// unknownAt adds the field at path to an ARTIFACT_NOT_FOUND error. It returns other errors
// unchanged.
func unknownAt(err error, path string) error {
	if fault.CodeOf(err) != sdkapi.ArtifactNotFound {
		return err
	}
	return fault.At(err, path, "expected the id of a stored artifact")
}
