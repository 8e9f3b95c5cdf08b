package doorstest

import (
	"encoding/json"

	"github.com/windieos/windie/sdkapi"
)

// Settings loads the client's settings.
func (p *Peer) Settings() sdkapi.WSSettings {
	p.T.Helper()
	p.Send(sdkapi.WSLoadSettings, `{}`)
	list := p.Until(sdkapi.WSSettingsLoaded)
	var told struct{ Config sdkapi.WSSettings }
	if err := json.Unmarshal(list[len(list)-1].Payload, &told); err != nil {
		p.T.Fatal(err)
	}
	return told.Config
}

// Update changes settings, and returns the gateway's response.
func (p *Peer) Update(payload string) string {
	p.T.Helper()
	p.Send(sdkapi.WSUpdateSettings, payload)
	return string(p.Next().Payload)
}
