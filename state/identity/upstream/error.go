package upstream

import (
	"errors"
	"fmt"
	"strings"
)

// maxCause is the maximum length of an error that strangers can choose, in bytes.
const maxCause = 1000

// brief returns an error in one line of at most maxCause bytes.
func brief(err error) error {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	return errors.New(text[:min(len(text), maxCause)])
}

// refusal is the error of an issuer, for the log.
type refusal struct {
	status int
	code   string // of OAuth, as the issuer sent it
}

// Error implements error.
func (r *refusal) Error() string {
	return fmt.Sprintf("the issuer responded with status %d and the error %.64q", r.status, r.code)
}
