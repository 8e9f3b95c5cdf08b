package sdk

import (
	"context"
	"encoding/base64"

	"github.com/windieos/windie/sdkapi"
)

// Stored refers to an uploaded image by its artifact id.
func Stored(artifactID string) sdkapi.ImageSource {
	return sdkapi.ImageSource{ArtifactID: artifactID}
}

// Inline puts an image into the request: the bytes of a PNG, JPEG, GIF, WebP or BMP file. To ask
// several questions about one image, upload it once and use Stored.
func Inline(image []byte) sdkapi.ImageSource {
	return sdkapi.ImageSource{ImageBase64: base64.StdEncoding.EncodeToString(image)}
}

// OCR holds the routes that read text. Its methods are safe for concurrent use.
type OCR struct{ client *Client }

// Run returns all text on the image, in the server's default languages. Use Inspect to choose the
// languages.
func (o *OCR) Run(ctx context.Context, image sdkapi.ImageSource) (*sdkapi.OCRRunResult, error) {
	return post[sdkapi.OCRRunResult](safe(ctx), o.client, sdkapi.OCRRunPath, sdkapi.OCRRunRequest{Image: image})
}

// FindText returns the rows that match a text, best first.
func (o *OCR) FindText(ctx context.Context, in sdkapi.OCRTextRequest) (*sdkapi.OCRMatchesResult, error) {
	return post[sdkapi.OCRMatchesResult](safe(ctx), o.client, sdkapi.OCRFindTextPath, in)
}

// FindTextCandidates returns the rows that are most similar to a text, best first. It also returns
// rows with a low score.
func (o *OCR) FindTextCandidates(ctx context.Context, in sdkapi.OCRTextRequest) (*sdkapi.OCRMatchesResult, error) {
	return post[sdkapi.OCRMatchesResult](safe(ctx), o.client, sdkapi.OCRFindTextCandidatesPath, in)
}

// ResolveText returns the one row that matches a text. It fails with AmbiguousMatch if several rows
// match equally well, and with TextNotFound if no row matches. The error's Details.ResolverPayload
// lists the candidates. To choose a candidate, repeat the request with a Narrowing. The candidate's
// Distinction holds the values to set.
func (o *OCR) ResolveText(ctx context.Context, in sdkapi.OCRTextRequest) (*sdkapi.OCRResolveTextResult, error) {
	return post[sdkapi.OCRResolveTextResult](safe(ctx), o.client, sdkapi.OCRResolveTextPath, in)
}

// ResolveCandidate returns a row of an earlier response about the same image. An unknown id fails
// with CandidateNotFound.
func (o *OCR) ResolveCandidate(ctx context.Context, in sdkapi.OCRResolveCandidateRequest) (*sdkapi.OCRResolveCandidateResult, error) {
	return post[sdkapi.OCRResolveCandidateResult](safe(ctx), o.client, sdkapi.OCRResolveCandidatePath, in)
}

// Inspect combines the results of all the other methods of OCR. With IncludeOverlay, it also stores
// a picture, and the client does not retry the request.
func (o *OCR) Inspect(ctx context.Context, in sdkapi.OCRInspectRequest) (*sdkapi.OCRInspectResult, error) {
	if !in.IncludeOverlay {
		ctx = safe(ctx)
	}
	return post[sdkapi.OCRInspectResult](ctx, o.client, sdkapi.OCRInspectPath, in)
}

// Overlay draws the recognised text on the image and stores the picture.
func (o *OCR) Overlay(ctx context.Context, in sdkapi.OCROverlayRequest) (*sdkapi.Overlay, error) {
	return post[sdkapi.Overlay](ctx, o.client, sdkapi.OCROverlayPath, in)
}
