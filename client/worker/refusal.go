package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/windieos/windie/sdkapi"
)

// maxRefusal limits the response to a refused connection, in bytes.
const maxRefusal = 64 << 10

// refusalOf returns the error of a refused connection, from the body of the response if it has one.
func refusalOf(resp *http.Response) error {
	var told sdkapi.ErrorResponse
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	if err != nil || json.Unmarshal(text, &told) != nil || told.Error.Code == "" {
		told.Error = sdkapi.Error{Code: sdkapi.Internal, Message: fmt.Sprintf("the response was %s without an error body; check that the URL is that of a Windie gateway", resp.Status)}
	}
	told.Error.Status = resp.StatusCode
	return refused("the connection", &told.Error)
}

// refused returns the error of a refused request. If a retry cannot help, the error says what to do.
func refused(what string, err error) error {
	refusal, ok := errors.AsType[*sdkapi.Error](err)
	if !ok || !lasting(err) {
		return err
	}
	return fmt.Errorf("the gateway refuses %s: %w; %s", what, err, remedy(refusal.Status))
}

// lasting reports whether an error is a refusal that a retry cannot change: a 4xx status other than
// 408, 425 and 429.
func lasting(err error) bool {
	refused, ok := errors.AsType[*sdkapi.Error](err)
	if !ok || refused.Status/100 != 4 {
		return false
	}
	switch refused.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return true
}

// remedy returns how a person can fix a refusal with a status.
func remedy(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "check the keys and tokens of this program, and those of a proxy in front of the gateway"
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUpgradeRequired:
		return "check the gateway's URL, and that a proxy in front of it forwards all paths and WebSockets"
	case http.StatusConflict:
		return "check the run; stop it, or request it again"
	case http.StatusRequestEntityTooLarge:
		return "configure the gateway, and a proxy in front of it, to accept bodies of 1 MiB"
	}
	return "check that this program and the gateway have the same version"
}
