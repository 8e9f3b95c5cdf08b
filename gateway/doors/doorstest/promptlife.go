package doorstest

import (
	"encoding/json"

	"github.com/windieos/windie/sdkapi"
)

// Known is what a gateway reports of the prompt.
func (l *Listener) Known(method, url, below string) (known sdkapi.Prompt) {
	l.T.Helper()
	_, body := Ask(l.T, method, url+sdkapi.PromptsPath+"/"+l.Prompt+below, "ada", nil)
	if err := json.Unmarshal([]byte(body), &known); err != nil {
		l.T.Fatalf("%s: %v", body, err)
	}
	return known
}
