package screens

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
)

// addOCR adds the routes that read and find text.
func (s *door) addOCR() {
	gateway.Post(s.core, sdkapi.OCRRunPath, gateway.MaxImageBody, screenDoc("ocr", "ocr-run", "Read all text",
		"Returns every line of text with its words, boxes and confidences, in reading order.", 404), s.ocrRun)
	gateway.Post(s.core, sdkapi.OCRFindTextPath, gateway.MaxImageBody, screenDoc("ocr", "ocr-find-text", "Find rows by text",
		"Returns the lines that match a text, best match first. It does not choose between equal matches.", 404), s.core.Ask.FindText)
	gateway.Post(s.core, sdkapi.OCRFindTextCandidatesPath, gateway.MaxImageBody, screenDoc("ocr", "ocr-find-text-candidates", "Rank all rows by text",
		"Scores every line against a text, also the lines below the threshold.", 404), s.core.Ask.FindTextCandidates)
	gateway.Post(s.core, sdkapi.OCRResolveTextPath, gateway.MaxImageBody, screenDoc("ocr", "ocr-resolve-text", "Find the click point of a text",
		"Returns the one click point of a text. If several lines match equally well, the response is 409 with the candidates.", 404, 409), s.core.Ask.ResolveText)
	gateway.Post(s.core, sdkapi.OCRResolveCandidatePath, gateway.MaxImageBody, screenDoc("ocr", "ocr-resolve-candidate", "Find an earlier candidate again",
		"Finds the line of a `candidate_id` from an earlier response about the same image.", 404), s.core.Ask.ResolveCandidate)
	gateway.Post(s.core, sdkapi.OCRInspectPath, gateway.MaxImageBody, screenDoc("ocr", "ocr-inspect", "Get all results at once",
		"Returns the text, the matches, the chosen match and an overlay in one response.", 404, 507), s.ocrInspect)
	gateway.Post(s.core, sdkapi.OCROverlayPath, gateway.MaxImageBody, screenDoc("ocr", "ocr-overlay", "Draw the recognized text",
		"Draws the lines of text with their boxes, and stores the picture as an artifact.", 404, 507), s.core.Ask.OverlayText)
}

// addVision adds the routes that find and describe elements by description.
func (s *door) addVision() {
	gateway.Post(s.core, sdkapi.VisionLocatePath, gateway.MaxImageBody, screenDoc("vision", "vision-locate", "Find the click point for a description",
		"Returns the one click point of the element that a description means. If several elements match equally well, the response is 409 with the candidates.", 404, 409), s.core.Ask.Locate)
	gateway.Post(s.core, sdkapi.VisionLocateAllPath, gateway.MaxImageBody, screenDoc("vision", "vision-locate-all", "Rank elements by description",
		"Scores the elements against a description, best match first.", 404), s.core.Ask.LocateAll)
	gateway.Post(s.core, sdkapi.VisionResolveCandidatePath, gateway.MaxImageBody, screenDoc("vision", "vision-resolve-candidate", "Find an earlier element again",
		"Finds the element of an `id` from an earlier response about the same image.", 404), s.core.Ask.ResolveElement)
	gateway.Post(s.core, sdkapi.VisionDescribePath, gateway.MaxImageBody, screenDoc("vision", "vision-describe", "Describe an image",
		"Describes the layout, the text and the elements of an image in words.", 404), s.core.Ask.Describe)
	gateway.Post(s.core, sdkapi.VisionOverlayPath, gateway.MaxImageBody, screenDoc("vision", "vision-overlay", "Draw points and regions",
		"Draws points and regions on an image, and stores the picture as an artifact.", 404, 507), s.core.Ask.Overlay)
}

// addScreen adds the routes about elements and changes. A comparison has two images, so its body may be twice as large.
func (s *door) addScreen() {
	gateway.Post(s.core, sdkapi.ScreenElementsPath, gateway.MaxImageBody, screenDoc("screen", "screen-elements", "List elements",
		"Lists buttons, fields, icons and other elements with their roles, labels and boxes.", 404), s.core.Ask.Elements)
	gateway.Post(s.core, sdkapi.ScreenAtPath, gateway.MaxImageBody, screenDoc("screen", "screen-at", "Describe a point",
		"Returns the element at a point and its parents, the innermost first.", 404), s.core.Ask.At)
	gateway.Post(s.core, sdkapi.ScreenDiffPath, 2*gateway.MaxImageBody, screenDoc("screen", "screen-diff", "Compare two images",
		"Lists the lines and elements that appeared, disappeared, moved or changed between two images.", 404), s.core.Ask.Diff)
}

// screenDoc describes a route about a screen for the API document. errors are the route's own
// statuses, in addition to the common ones.
func screenDoc(tag, id, summary, description string, errors ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Summary: summary, Description: description, Tags: []string{tag},
		Errors: append(errors, 400, 408, 413, 415, 422, 503, 504),
	}
}

// ocrRun returns all text on an image. Unlike the tool ocr.read, it has no limit on rows and words.
func (s *door) ocrRun(ctx context.Context, in *sdkapi.OCRRunRequest) (*sdkapi.OCRRunResult, error) {
	return s.core.Ask.Read(ctx, &sdkapi.OCRReadArguments{Image: in.Image, Reading: in.Reading})
}

// ocrInspect inspects an image. If the result contains the error of resolve-text, ocrInspect adds the error's
// HTTP status.
func (s *door) ocrInspect(ctx context.Context, in *sdkapi.OCRInspectRequest) (*sdkapi.OCRInspectResult, error) {
	out, err := s.core.Ask.Inspect(ctx, in)
	if err == nil && out.ResolutionError != nil {
		out.ResolutionError.StatusCode = gateway.StatusOf[out.ResolutionError.Detail.Code]
	}
	return out, err
}
