package fuel

import "fmt"

// Kind says why a module was refused.
type Kind string

// The kinds of refusal.
const (
	NotModule   Kind = "not_a_module" // other bytes, or a version nobody knows
	Component   Kind = "component"    // a component, which holds modules and is not itself a module
	Truncated   Kind = "truncated"    // the bytes end too early
	Malformed   Kind = "malformed"    // not in the format
	Unsupported Kind = "unsupported"  // needs a feature that is not offered
	TooLarge    Kind = "too_large"    // beyond one of Limits
	Reserved    Kind = "reserved"     // uses a name of ours
)

// Error says why a module was refused, where, and what its author can do.
type Error struct {
	Kind    Kind
	Feature Features // what is missing, for Unsupported; 0 if it has no name here
	Offset  int      // of the byte in the module
	Func    int      // index of the function it lies in; -1 outside of functions
	Message string   // what is wrong
	Advice  string   // what an author can do; may be empty
}

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
