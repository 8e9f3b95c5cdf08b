package openid

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"time"
)

// maxFlow bounds a sealed flow, in bytes. Ours have less than half of it.
const maxFlow = 2 << 10

// flow is what a browser keeps while its person is at the provider.
type flow struct {
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"`
	To       string    `json:"t"`
	Ends     time.Time `json:"e"`
}

// seal returns a flow that only a gateway with the same client secret reads.
func (p *Provider) seal(f flow) (string, error) {
	raw, err := json.Marshal(f)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(p.sealer().Seal(nil, nil, raw, nil)), nil
}

// open returns a flow that was sealed, unless it is too old.
func (p *Provider) open(sealed string) (f flow, err error) {
	var raw []byte
	if sealed != "" && len(sealed) <= maxFlow {
		if raw, err = base64.RawURLEncoding.DecodeString(sealed); err == nil {
			raw, err = p.sealer().Open(nil, nil, raw, nil)
		}
	}
	if err == nil && len(raw) > 0 {
		err = json.Unmarshal(raw, &f)
	}
	if err != nil || f.State == "" || f.Nonce == "" || f.Verifier == "" || !time.Now().Before(f.Ends) {
		return flow{}, refused("no sign-in began in this browser within " + FlowAge.String()).Because(err)
	}
	return f, nil
}

// sealer seals with a nonce of its own, which it puts before what it sealed.
func (p *Provider) sealer() cipher.AEAD {
	block, err := aes.NewCipher(p.key)
	if err != nil {
		panic(err) // the key is as long as it has to be
	}
	sealer, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // likewise the block
	}
	return sealer
}

// random returns a text that nobody can guess.
func random() string { return rand.Text() }

// same compares secrets.
func same(a, b string) bool { return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
