package openid

import "time"

// SealForTest returns a flow that begins now.
func SealForTest(p *Provider) string {
	sealed, err := p.seal(flow{State: "s", Nonce: "n", Verifier: "v", Ends: time.Now().Add(FlowAge)})
	if err != nil {
		panic(err)
	}
	return sealed
}
