package gateway

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/sdkapi"
)

func (s *Server) addOCR() {
	post(s, sdkapi.OCRRunPath, maxImageBody, screenDoc("ocr", "ocr-run", "Read all text on an image"), s.ocrRun)
	post(s, sdkapi.OCRFindTextPath, maxImageBody, screenDoc("ocr", "ocr-find-text", "Find the rows that match a text", 404), s.ask.FindText)
	post(s, sdkapi.OCRFindTextCandidatesPath, maxImageBody,
		screenDoc("ocr", "ocr-find-text-candidates", "Rank the rows by how well they match a text, good or not", 404), s.ask.FindTextCandidates)
	post(s, sdkapi.OCRResolveTextPath, maxImageBody,
		screenDoc("ocr", "ocr-resolve-text", "Find the one row that a text means, and where to click it", 404, 409), s.ask.ResolveText)
	post(s, sdkapi.OCRResolveCandidatePath, maxImageBody,
		screenDoc("ocr", "ocr-resolve-candidate", "Find a row of an earlier answer again", 404), s.ask.ResolveCandidate)
	post(s, sdkapi.OCRInspectPath, maxImageBody, screenDoc("ocr", "ocr-inspect", "Tell all that the other routes would, at once", 507), s.ocrInspect)
	post(s, sdkapi.OCROverlayPath, maxImageBody, screenDoc("ocr", "ocr-overlay", "Draw what was read and store the picture", 404, 507), s.ask.OverlayText)
}

func (s *Server) addVision() {
	post(s, sdkapi.VisionLocatePath, maxImageBody,
		screenDoc("vision", "vision-locate", "Find the one thing that a description means, and where to click it", 404, 409), s.ask.Locate)
	post(s, sdkapi.VisionLocateAllPath, maxImageBody,
		screenDoc("vision", "vision-locate-all", "Rank what a description may mean", 404), s.ask.LocateAll)
	post(s, sdkapi.VisionDescribePath, maxImageBody, screenDoc("vision", "vision-describe", "Tell what is on an image, or a part of it", 404), s.ask.Describe)
	post(s, sdkapi.VisionOverlayPath, maxImageBody, screenDoc("vision", "vision-overlay", "Draw points and regions and store the picture", 404, 507), s.ask.Overlay)
}

func (s *Server) addScreen() {
	post(s, sdkapi.ScreenElementsPath, maxImageBody, screenDoc("screen", "screen-elements", "List what stands on an image, and what contains what", 404), s.ask.Elements)
	post(s, sdkapi.ScreenAtPath, maxImageBody, screenDoc("screen", "screen-at", "Tell what is at a point", 404), s.ask.At)
	post(s, sdkapi.ScreenDiffPath, 2*maxImageBody, screenDoc("screen", "screen-diff", "Tell what changed from one image to the next", 404), s.ask.Diff)
}

// screenDoc describes a question about a screen. errors are the statuses of its
// own failures.
func screenDoc(tag, id, summary string, errors ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Summary: summary, Tags: []string{tag},
		Errors: append(errors, 400, 408, 413, 415, 422, 503, 504),
	}
}

func (s *Server) ocrRun(ctx context.Context, in *sdkapi.OCRRunRequest) (*sdkapi.OCRRunResponse, error) {
	return s.ask.Read(ctx, &sdkapi.OCRReadArguments{Image: in.Image, Reading: in.Reading})
}

// ocrInspect adds to an inspection the status that resolve-text would have.
func (s *Server) ocrInspect(ctx context.Context, in *sdkapi.OCRInspectRequest) (*sdkapi.OCRInspectResponse, error) {
	out, err := s.ask.Inspect(ctx, in)
	if err == nil && out.ResolutionError != nil {
		out.ResolutionError.StatusCode = statusOf[out.ResolutionError.Detail.Code]
	}
	return out, err
}
