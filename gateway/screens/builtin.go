package screens

import (
	"context"
	"errors"
	"slices"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// BuiltinTools returns the gateway's own tools. They read screens and find things on them. They use
// the same store and reader as the routes, and return the same answers. If store is an
// artifacts.PerUser, a call sees only its user's artifacts. Errors are faults with the same codes
// as those of the routes. Ambiguous and failed searches list the candidates.
func BuiltinTools(store artifacts.Store, finder *query.Finder) []agent.Tool {
	s := gateway.NewScreens(store, finder)
	return slices.Concat(ocrTools(s), visionTools(s), screenTools(s), []agent.Tool{uploadTool(s)})
}

// ocrTools returns the tools that read and find text.
func ocrTools(s gateway.Screens) []agent.Tool {
	return []agent.Tool{
		screenTool(s, "OCR", "ocr.read", "Read all text on a screenshot, or in a region of it. "+
			"Returns rows in reading order, each with a click point. To look for a known text, use ocr.resolve_text.",
			func(ctx context.Context, in *sdkapi.OCRReadArguments) (*sdkapi.OCRRunResult, error) {
				return readInFull(ctx, s.Ask, in)
			}),
		screenTool(s, "OCR", "ocr.find_text", "Find all places of a text on a screenshot. "+
			"Returns the matching rows, best first, and tolerates small misreadings. The list is empty without a match.", s.Ask.FindText),
		screenTool(s, "OCR", "ocr.resolve_text", "Find the click point of a text on a screenshot. "+
			"On AMBIGUOUS_MATCH, choose one of the listed candidates by near, region or occurrence. "+
			"On TEXT_NOT_FOUND, the nearest rows are listed: correct the text.", s.Ask.ResolveText),
	}
}

// visionTools returns the tools that find and describe elements by description, and the tool that draws.
func visionTools(s gateway.Screens) []agent.Tool {
	return []agent.Tool{
		screenTool(s, "Vision", "vision.locate", "Find the click point of a described element on a screenshot, for example \"the orange search button right of the search field\". "+
			"If the element has text, prefer ocr.resolve_text. "+
			"On AMBIGUOUS_MATCH, add the hint of a listed candidate to the description. "+
			"On TARGET_NOT_FOUND, the unmet terms and the nearest elements are listed: correct the description.", s.Ask.Locate),
		screenTool(s, "Vision", "vision.locate_all", "Find all elements on a screenshot that a description may mean, best first. "+
			"Without a match the list is empty, and nearest is set.", s.Ask.LocateAll),
		screenTool(s, "Vision", "vision.describe", "Describe a screenshot, or a region of it: a summary, and lists of parts, controls and text. "+
			"With a region, coordinates start at its corner.", s.Ask.Describe),
		screenTool(s, "Vision", "vision.overlay", "Draw points and rectangles onto a screenshot, to show places to people. "+
			"Returns the artifact_id of the new image.", s.Ask.Overlay),
	}
}

// screenTools returns the tools that list elements and compare screenshots.
func screenTools(s gateway.Screens) []agent.Tool {
	return []agent.Tool{
		screenTool(s, "Screen", "screen.elements", "List the elements of a screenshot: buttons, fields, icons, images and their containers. "+
			"Filter by role, text or region.", s.Ask.Elements),
		screenTool(s, "Screen", "screen.at", "Get the element, its containers, the text and the color at a point of a screenshot.", s.Ask.At),
		screenTool(s, "Screen", "screen.diff", "Compare two screenshots of one size. Returns changed areas, moves, and the texts and elements that "+
			"appeared, vanished or changed.", s.Ask.Diff),
	}
}

// The maximum size of an answer of ocr.read. A larger answer would exceed agent.MaxValues.
const (
	maxReadRows  = 2000
	maxReadWords = 8000
)

// readInFull reads the text of an image. If the text exceeds the limits of a tool's answer, readInFull fails
// with an agent.Failure that asks the model to read a region.
func readInFull(ctx context.Context, ask query.Screens, in *sdkapi.OCRReadArguments) (*sdkapi.OCRRunResult, error) {
	out, err := ask.Read(ctx, in)
	if err != nil {
		return nil, err
	}
	words := 0
	for _, row := range out.Results {
		words += len(row.Words)
	}
	if len(out.Results) > maxReadRows || words > maxReadWords {
		return nil, agent.Failf("the screen has %d rows with %d words; one answer has at most %d rows with %d words: read a region",
			len(out.Results), words, maxReadRows, maxReadWords)
	}
	return out, nil
}

// screenTool returns a tool that calls a route's handler. In the fields of its errors, "body" becomes
// "arguments".
func screenTool[In, Out any](s gateway.Screens, tag, name, description string, work func(context.Context, *In) (*Out, error)) agent.Tool {
	about := agent.Descriptor{Name: name, Description: description, Tag: tag, Risk: agent.Safe}
	return agent.Func(about, func(ctx context.Context, call agent.Call, in In) (out Out, err error) {
		answer, err := work(s.ForCall(ctx, call), &in)
		var known *fault.Error
		switch {
		case errors.As(err, &known):
			return out, known.Renamed("body", "arguments")
		case err != nil:
			return out, err
		}
		return *answer, nil
	})
}
