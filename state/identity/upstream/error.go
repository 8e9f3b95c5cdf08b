package upstream

import "fmt"

// refusal is the error of an issuer, for the log.
type refusal struct {
	status int
	code   string // of OAuth, as the issuer sent it
}

// Error implements error.
func (r *refusal) Error() string {
	return fmt.Sprintf("the issuer responded with status %d and the error %.64q", r.status, r.code)
}
