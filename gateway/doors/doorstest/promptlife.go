package doorstest

import (
	"encoding/json"

	"github.com/windieos/windie/sdkapi"
)

// Known sends a request whose response is the prompt, and returns the prompt. below is the part of the path behind the
// prompt's id, such as /cancel.
func (l *Listener) Known(method, url, below string) (known sdkapi.Prompt) {
	l.T.Helper()
	_, body := Ask(l.T, method, url+sdkapi.PromptsPath+"/"+l.Prompt+below, "ada", nil)
	if err := json.Unmarshal([]byte(body), &known); err != nil {
		l.T.Fatalf("%s: %v", body, err)
	}
	return known
}
