package fuel

import "fmt"

// Kind is the reason why a module was refused.
type Kind string

// The kinds of refusal.
const (
	NotModule   Kind = "not_a_module" // other bytes, or an unknown version
	Component   Kind = "component"    // a component, which contains modules but is not a module
	Truncated   Kind = "truncated"    // the bytes end too early
	Malformed   Kind = "malformed"    // not in the binary format
	Unsupported Kind = "unsupported"  // needs a feature that is not offered
	TooLarge    Kind = "too_large"    // exceeds one of Limits
	Reserved    Kind = "reserved"     // uses a name that the pass reserves
)

// Error reports why and where a module was refused, and what its author can do.
type Error struct {
	Kind    Kind
	Feature Features // the missing feature, for Unsupported; 0 if it has no name here
	Offset  int      // of the byte in the module
	Func    int      // index of the function that contains it; -1 outside of functions
	Message string   // the problem
	Advice  string   // what an author can do; may be empty
}

// Error returns the problem, its place and the advice.
func (e *Error) Error() string {
	where := fmt.Sprintf("at byte %d", e.Offset)
	if e.Func >= 0 {
		where += fmt.Sprintf(" in function %d", e.Func)
	}
	s := fmt.Sprintf("%s (%s)", e.Message, where)
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	return s
}
