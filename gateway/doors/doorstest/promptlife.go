package doorstest

import (
	"encoding/json"

	"github.com/windieos/windie/sdkapi"
)

// Known sends a request about the listener's prompt, and returns the prompt in the response. The parameter
// below is the part of the request's path after the prompt's id, for example /cancel.
func (l *Listener) Known(method, url, below string) (known sdkapi.Prompt) {
	l.T.Helper()
	_, body := Ask(l.T, method, url+sdkapi.PromptsPath+"/"+l.Prompt+below, "ada", nil)
	if err := json.Unmarshal([]byte(body), &known); err != nil {
		l.T.Fatalf("%s: %v", body, err)
	}
	return known
}
