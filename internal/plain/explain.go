package plain

import (
	"errors"
	"fmt"
	"strings"

	"github.com/windieos/windie/internal/fault"
)

// Explain returns err for people who may read causes: a fault with each field
// that is wrong on a line of its own, and with its cause where only the log would
// have it. Other errors stay as they are.
func Explain(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	text := Text(strings.TrimSuffix(f.Message, "; details.fields says why")) // the fields follow
	for _, field := range f.Details.Fields {
		text += fmt.Sprintf("\n  %s: %s", Text(field.Path), Text(field.Message))
	}
	if f.Cause != nil && strings.Contains(text, "the log has the reason") {
		text += ": " + Text(f.Cause.Error())
	}
	return errors.New(text)
}
