package sdk

import (
	"context"
	"encoding/base64"

	"github.com/windieos/windie/sdkapi"
)

// Stored names an uploaded image.
func Stored(artifactID string) sdkapi.ImageSource {
	return sdkapi.ImageSource{ArtifactID: artifactID}
}

// Inline sends an image along: the bytes of a PNG, JPEG, GIF, WebP or BMP file.
// For more than one question about it, upload it and use Stored.
func Inline(image []byte) sdkapi.ImageSource {
	return sdkapi.ImageSource{ImageBase64: base64.StdEncoding.EncodeToString(image)}
}

// OCR holds the routes that read text. Several goroutines may call its methods at once.
type OCR struct{ client *Client }

// Run returns all text on the image, as the server reads it by default. Inspect
// does so in the languages of its request.
func (o *OCR) Run(ctx context.Context, image sdkapi.ImageSource) (*sdkapi.OCRRunResponse, error) {
	return post[sdkapi.OCRRunResponse](safe(ctx), o.client, sdkapi.OCRRunPath, sdkapi.OCRRunRequest{Image: image})
}

// FindText returns the rows that match a text, best first.
func (o *OCR) FindText(ctx context.Context, in sdkapi.OCRTextRequest) (*sdkapi.OCRMatchesResponse, error) {
	return post[sdkapi.OCRMatchesResponse](safe(ctx), o.client, sdkapi.OCRFindTextPath, in)
}

// FindTextCandidates returns the rows nearest to a text, best first, whatever their score.
func (o *OCR) FindTextCandidates(ctx context.Context, in sdkapi.OCRTextRequest) (*sdkapi.OCRMatchesResponse, error) {
	return post[sdkapi.OCRMatchesResponse](safe(ctx), o.client, sdkapi.OCRFindTextCandidatesPath, in)
}

// ResolveText returns the one row that a text means. It fails with AmbiguousMatch
// when several match alike and TextNotFound when none does; the error's
// Details.ResolverPayload lists the choices. The request's Narrowing says which
// one is meant; the Distinction of each candidate says what to put there.
func (o *OCR) ResolveText(ctx context.Context, in sdkapi.OCRTextRequest) (*sdkapi.OCRResolveTextResponse, error) {
	return post[sdkapi.OCRResolveTextResponse](safe(ctx), o.client, sdkapi.OCRResolveTextPath, in)
}

// ResolveCandidate returns a row of an earlier answer about the same image.
func (o *OCR) ResolveCandidate(ctx context.Context, in sdkapi.OCRResolveCandidateRequest) (*sdkapi.OCRResolveCandidateResponse, error) {
	return post[sdkapi.OCRResolveCandidateResponse](safe(ctx), o.client, sdkapi.OCRResolveCandidatePath, in)
}

// Inspect returns all that the other routes would, at once. With
// IncludeOverlay it stores a picture, and is not tried again then.
func (o *OCR) Inspect(ctx context.Context, in sdkapi.OCRInspectRequest) (*sdkapi.OCRInspectResponse, error) {
	if !in.IncludeOverlay {
		ctx = safe(ctx)
	}
	return post[sdkapi.OCRInspectResponse](ctx, o.client, sdkapi.OCRInspectPath, in)
}

// Overlay draws what was read and stores the picture.
func (o *OCR) Overlay(ctx context.Context, in sdkapi.OCROverlayRequest) (*sdkapi.Overlay, error) {
	return post[sdkapi.Overlay](ctx, o.client, sdkapi.OCROverlayPath, in)
}
