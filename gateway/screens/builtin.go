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

// BuiltinTools returns the tools that are part of the gateway: they read screens and
// find things on them as the routes do, from the same store, with the same reader and
// answers. If the store is an artifacts.PerUser, a call sees the artifacts of its user.
// Errors are faults with the routes' codes, which list the choices where that helps.
func BuiltinTools(store artifacts.Store, finder *query.Finder) []agent.Tool {
	s := gateway.NewScreens(store, finder)
	return slices.Concat(ocrTools(s), visionTools(s), screenTools(s), []agent.Tool{uploadTool(s)})
}

func ocrTools(s gateway.Screens) []agent.Tool {
	return []agent.Tool{
		screenTool(s, "OCR", "ocr.read", "Reads all text on a screenshot, or on a region of it. "+
			"Gives the rows in reading order, each with its box, its center (where to click) and a candidate_id.",
			func(ctx context.Context, in *sdkapi.OCRReadArguments) (*sdkapi.OCRRunResponse, error) {
				return readInFull(ctx, s.Ask, in)
			}),
		screenTool(s, "OCR", "ocr.find_text", "Finds where a text stands on a screenshot. "+
			"Gives the rows that match it, best first; it forgives small mistakes in reading. No match is an empty list.", s.Ask.FindText),
		screenTool(s, "OCR", "ocr.resolve_text", "Finds the one place on a screenshot that a text means, and where to click it. "+
			"Fails with AMBIGUOUS_MATCH when several places match alike, and lists what tells them apart: say which by near, region or occurrence. "+
			"Fails with TEXT_NOT_FOUND when none matches, and lists the nearest.", s.Ask.ResolveText),
	}
}

func visionTools(s gateway.Screens) []agent.Tool {
	return []agent.Tool{
		screenTool(s, "Vision", "vision.locate", "Finds the one thing on a screenshot that a description means, and where to click it. "+
			"Say what it is, what stands on it, its color, and where it is from other things: \"the orange search button right of the search field\". "+
			"Fails with AMBIGUOUS_MATCH when several fit alike, each with a hint to add to the description. "+
			"Fails with TARGET_NOT_FOUND when none fits, and tells what is not met, and the nearest.", s.Ask.Locate),
		screenTool(s, "Vision", "vision.locate_all", "Finds what on a screenshot a description may mean, best first. "+
			"Several fit about as well as each other; an empty list comes with the nearest.", s.Ask.LocateAll),
		screenTool(s, "Vision", "vision.describe", "Tells what is on a screenshot, or on a region of it: in sentences, and as lists of its parts, "+
			"of what can be clicked or typed into, and of its text. With a region, all coordinates begin at the region's corner.", s.Ask.Describe),
		screenTool(s, "Vision", "vision.overlay", "Draws points and regions onto a screenshot, so that people see what is meant. "+
			"Gives the new picture's artifact_id.", s.Ask.Overlay),
	}
}

func screenTools(s gateway.Screens) []agent.Tool {
	return []agent.Tool{
		screenTool(s, "Screen", "screen.elements", "Lists what stands on a screenshot besides text: buttons, fields, icons, pictures, and what contains what. "+
			"Filters by role, text and region.", s.Ask.Elements),
		screenTool(s, "Screen", "screen.at", "Tells what is at a point of a screenshot: the element and what it is in, the text, the color.", s.Ask.At),
		screenTool(s, "Screen", "screen.diff", "Tells what changed from one screenshot to the next: regions, what moved, and the texts and elements that "+
			"appeared, vanished or changed.", s.Ask.Diff),
	}
}

// What an answer of ocr.read may hold. More would be over agent.MaxValues.
const (
	maxReadRows  = 2000
	maxReadWords = 8000
)

// readInFull reads an image whose text fits the answer of a tool.
func readInFull(ctx context.Context, ask query.Screens, in *sdkapi.OCRReadArguments) (*sdkapi.OCRRunResponse, error) {
	out, err := ask.Read(ctx, in)
	if err != nil {
		return nil, err
	}
	words := 0
	for _, row := range out.Results {
		words += len(row.Words)
	}
	if len(out.Results) > maxReadRows || words > maxReadWords {
		return nil, agent.Failf("there are %d rows with %d words, of at most %d with %d in one answer; read a part, by region",
			len(out.Results), words, maxReadRows, maxReadWords)
	}
	return out, nil
}

// screenTool makes a tool of what a route does. What the route's errors call
// its body are the tool's arguments.
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
