package screens

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

func (s *door) addOCR() {
	gateway.Post(s.core, sdkapi.OCRRunPath, gateway.MaxImageBody, screenDoc("ocr", "ocr-run", "Read all text on an image", 404), s.ocrRun)
	gateway.Post(s.core, sdkapi.OCRFindTextPath, gateway.MaxImageBody, screenDoc("ocr", "ocr-find-text", "Find the rows that match a text", 404), s.core.Ask.FindText)
	gateway.Post(s.core, sdkapi.OCRFindTextCandidatesPath, gateway.MaxImageBody,
		screenDoc("ocr", "ocr-find-text-candidates", "Rank the rows by how well they match a text, good or not", 404), s.core.Ask.FindTextCandidates)
	gateway.Post(s.core, sdkapi.OCRResolveTextPath, gateway.MaxImageBody,
		screenDoc("ocr", "ocr-resolve-text", "Find the one row that a text means, and where to click it", 404, 409), s.core.Ask.ResolveText)
	gateway.Post(s.core, sdkapi.OCRResolveCandidatePath, gateway.MaxImageBody,
		screenDoc("ocr", "ocr-resolve-candidate", "Find a row of an earlier answer again", 404), s.core.Ask.ResolveCandidate)
	gateway.Post(s.core, sdkapi.OCRInspectPath, gateway.MaxImageBody, screenDoc("ocr", "ocr-inspect", "Tell all that the other routes would, at once", 404, 507), s.ocrInspect)
	gateway.Post(s.core, sdkapi.OCROverlayPath, gateway.MaxImageBody, screenDoc("ocr", "ocr-overlay", "Draw what was read and store the picture", 404, 507), s.core.Ask.OverlayText)
}

func (s *door) addVision() {
	gateway.Post(s.core, sdkapi.VisionLocatePath, gateway.MaxImageBody,
		screenDoc("vision", "vision-locate", "Find the one thing that a description means, and where to click it", 404, 409), s.core.Ask.Locate)
	gateway.Post(s.core, sdkapi.VisionLocateAllPath, gateway.MaxImageBody,
		screenDoc("vision", "vision-locate-all", "Rank what a description may mean", 404), s.core.Ask.LocateAll)
	gateway.Post(s.core, sdkapi.VisionDescribePath, gateway.MaxImageBody, screenDoc("vision", "vision-describe", "Tell what is on an image, or a part of it", 404), s.core.Ask.Describe)
	gateway.Post(s.core, sdkapi.VisionOverlayPath, gateway.MaxImageBody, screenDoc("vision", "vision-overlay", "Draw points and regions and store the picture", 404, 507), s.core.Ask.Overlay)
}

func (s *door) addScreen() {
	gateway.Post(s.core, sdkapi.ScreenElementsPath, gateway.MaxImageBody, screenDoc("screen", "screen-elements", "List what stands on an image, and what contains what", 404), s.core.Ask.Elements)
	gateway.Post(s.core, sdkapi.ScreenAtPath, gateway.MaxImageBody, screenDoc("screen", "screen-at", "Tell what is at a point", 404), s.core.Ask.At)
	gateway.Post(s.core, sdkapi.ScreenDiffPath, 2*gateway.MaxImageBody, screenDoc("screen", "screen-diff", "Tell what changed from one image to the next", 404), s.core.Ask.Diff)
}

// screenDoc describes a route about a screen for the API document. errors are the route's own
// statuses, in addition to the common ones.
func screenDoc(tag, id, summary string, errors ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Summary: summary, Tags: []string{tag},
		Errors: append(errors, 400, 408, 413, 415, 422, 503, 504),
	}
}

func (s *door) ocrRun(ctx context.Context, in *sdkapi.OCRRunRequest) (*sdkapi.OCRRunResponse, error) {
	return s.core.Ask.Read(ctx, &sdkapi.OCRReadArguments{Image: in.Image, Reading: in.Reading})
}

// ocrInspect inspects an image. It adds the HTTP status that resolve-text would have returned.
func (s *door) ocrInspect(ctx context.Context, in *sdkapi.OCRInspectRequest) (*sdkapi.OCRInspectResponse, error) {
	out, err := s.core.Ask.Inspect(ctx, in)
	if err == nil && out.ResolutionError != nil {
		out.ResolutionError.StatusCode = gateway.StatusOf[out.ResolutionError.Detail.Code]
	}
	return out, err
}
