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

// maxFlow is the maximum size of a sealed flow, in bytes. Ours have less than half of it.
const maxFlow = 2 << 10

// flow is the data of one sign-in, which the browser stores while the person is at the provider.
type flow struct {
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"`
	To       string    `json:"t"`
	Ends     time.Time `json:"e"`
}

// seal encrypts a flow. Only gateways with the same client secret can open it.
func (p *Provider) seal(f flow) (string, error) {
	raw, err := json.Marshal(f)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(p.sealer().Seal(nil, nil, raw, nil)), nil
}

// open decrypts a sealed flow. It refuses one that has expired.
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

// sealer returns a cipher that generates a random nonce and prepends it to the ciphertext.
func (p *Provider) sealer() cipher.AEAD {
	block, err := aes.NewCipher(p.key)
	if err != nil {
		panic(err) // the key always has a valid length
	}
	sealer, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES always has a valid block size
	}
	return sealer
}

// random returns a random text that cannot be guessed.
func random() string { return rand.Text() }

// same compares secrets in constant time. An empty secret equals nothing.
func same(a, b string) bool { return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
