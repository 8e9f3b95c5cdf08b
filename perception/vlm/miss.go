package vlm

import (
	"errors"
	"fmt"
	"image"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Why says why an answer gives no point.
type Why string

// The reasons, with the code of the fault that Locate then returns.
const (
	Absent  Why = "absent"  // the model sees no such thing: TARGET_NOT_FOUND
	Unclear Why = "unclear" // it speaks of something else than a point: TARGET_NOT_FOUND
	Several Why = "several" // it points at several places: AMBIGUOUS_MATCH
	Outside Why = "outside" // it points outside of the image: MODEL_ERROR
	Refused Why = "refused" // it does not want to, or may not: MODEL_ERROR
)

// Miss is an answer without one point. It is the cause of the fault that a caller gets.
type Miss struct {
	Why    Why
	Said   string        // the answer, shortened
	Points []image.Point // on the screen, of Several: at most maxPoints
}

// maxPoints bounds how many points of an answer are listed.
const maxPoints = 20

// errNothing is the cause where a model said nothing.
var errNothing = errors.New("vlm: an empty answer")

// Error returns all of it, for the log.
func (m *Miss) Error() string { return fmt.Sprintf("%s: %q", m.Why, m.Said) }

// missed returns the fault of a miss.
func missed(op string, m *Miss) error {
	code, format, said := sdkapi.TargetNotFound, "the vision model names no point: %s", m.Said
	switch m.Why {
	case Absent:
		format = "the vision model sees no such thing: %s"
	case Several:
		code, format = sdkapi.AmbiguousMatch, "the vision model points at several places: %s; say which is meant"
		said = strings.ReplaceAll(strings.Trim(fmt.Sprint(m.Points), "[]"), ") (", "), (")
	case Outside:
		code, format = sdkapi.ModelError, "the vision model points outside of the image: %s; it may be of another family than it is taken for"
	case Refused:
		code, format = sdkapi.ModelError, "the vision model refused: %s"
	}
	return fault.New(op, code, format, said).Because(m)
}
