package gateway

import (
	"context"
	"errors"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// BuiltinTools returns the tools that are part of the gateway: reading screens
// as the OCR routes do, from the same store and with the same reader. Their
// answers are those of the routes. If the store is an artifacts.PerUser, a call
// sees the artifacts of the user it is made for. Their errors are faults with the routes'
// codes, which list what there is to choose from where that helps.
func BuiltinTools(store artifacts.Store, scenes *perception.Scenes) []agent.Tool {
	s := screens{store, scenes}
	return []agent.Tool{
		screenTool(s, "ocr.read", "Reads all text on a screenshot, or on a region of it. "+
			"Gives the rows in reading order, each with its box, its center (where to click) and a candidate_id.", s.readInFull),
		screenTool(s, "ocr.find_text", "Finds where a text stands on a screenshot. "+
			"Gives the rows that match it, best first; it forgives small mistakes in reading. No match is an empty list.", s.ocrFindText),
		screenTool(s, "ocr.resolve_text", "Finds the one place on a screenshot that a text means, and where to click it. "+
			"Fails with AMBIGUOUS_MATCH when several places match alike, and lists what tells them apart: say which by near, region or occurrence. "+
			"Fails with TEXT_NOT_FOUND when none matches, and lists the nearest.", s.ocrResolveText),
	}
}

// What an answer of ocr.read may hold. More would be over agent.MaxValues.
const (
	maxReadRows  = 2000
	maxReadWords = 8000
)

// readInFull is ocrRead, for answers that fit a tool's.
func (s screens) readInFull(ctx context.Context, in *sdkapi.OCRReadArguments) (*sdkapi.OCRRunResponse, error) {
	out, err := s.ocrRead(ctx, in)
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
func screenTool[In, Out any](s screens, name, description string, work func(context.Context, *In) (*Out, error)) agent.Tool {
	about := agent.Descriptor{Name: name, Description: description, Tag: "OCR", Risk: agent.Safe}
	return agent.Func(about, func(ctx context.Context, call agent.Call, in In) (out Out, err error) {
		answer, err := work(s.forCall(ctx, call), &in)
		var known *fault.Error
		switch {
		case errors.As(err, &known):
			return out, renamed(known, "body", "arguments")
		case err != nil:
			return out, err
		}
		return *answer, nil
	})
}
