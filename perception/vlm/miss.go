package vlm

import (
	"errors"
	"fmt"
	"image"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Why is the reason why an answer of the vision model has no single point.
type Why string

// Values of Why, each with the error code of Locate.
const (
	Absent  Why = "absent"  // the model does not see the thing: TARGET_NOT_FOUND
	Unclear Why = "unclear" // the answer contains no point: TARGET_NOT_FOUND
	Several Why = "several" // the answer names several places: AMBIGUOUS_MATCH
	Outside Why = "outside" // the answer names a point outside of the image: MODEL_ERROR
	Refused Why = "refused" // the model or its server refuses: MODEL_ERROR
)

// Miss is an answer of the vision model that does not name exactly one point, or for Choose exactly
// one line. Locate or Choose then fails, and its error wraps the Miss. Describe fails with a Miss only if the model refuses.
type Miss struct {
	// Why is the reason why the answer has no single point.
	Why  Why
	Said string // the model's answer, shortened
	// Points has the points on the screen that the answer names, at most 20. It is set only if Why
	// is Several.
	Points []image.Point
}

// maxPoints is the maximum number of listed points of an answer.
const maxPoints = 20

// errNothing is the cause of the error for an empty answer.
var errNothing = errors.New("vlm: the answer is empty")

// Error returns the reason and the model's answer, for the log.
func (m *Miss) Error() string { return fmt.Sprintf("%s: %q", m.Why, m.Said) }

// missed returns the fault for a miss.
func missed(op string, m *Miss) error {
	code, format, reply := sdkapi.TargetNotFound, "the vision model's answer has no point: %s", m.Said
	if op == "vlm.Choose" {
		format = "the model's answer is not the number of an element: %s"
		switch m.Why {
		case Several:
			code = sdkapi.AmbiguousMatch
		case Outside:
			code = sdkapi.ModelError
		case Refused:
			code, format = sdkapi.ModelError, "the model refused: %s"
		}
		return fault.New(op, code, format, reply).Because(m)
	}
	switch m.Why {
	case Absent:
		format = "the vision model does not find the target: %s"
	case Several:
		code, format = sdkapi.AmbiguousMatch, "the vision model returned several points: %s; add detail to the description"
		reply = strings.ReplaceAll(strings.Trim(fmt.Sprint(m.Points), "[]"), ") (", "), (")
	case Outside:
		code, format = sdkapi.ModelError, "the vision model returned a point outside the image: %s; check the family set for the model"
	case Refused:
		code, format = sdkapi.ModelError, "the vision model refused: %s"
	}
	return fault.New(op, code, format, reply).Because(m)
}
