package upstream

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/windieos/windie/internal/hashid"
)

// sealer encrypts values by AES-256-GCM with random nonces.
type sealer struct{ cipher.AEAD }

// newSealer returns a sealer. It panics if the key is not KeyBytes long.
func newSealer(key []byte) sealer {
	if len(key) != KeyBytes {
		panic(fmt.Sprintf("upstream: the key has %d bytes; expected %d", len(key), KeyBytes))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the length is valid
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES always has a valid block size
	}
	return sealer{gcm}
}

// seal encrypts v. It opens only with the same places, such as a user and a server.
func (s sealer) seal(v any, places ...string) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return base64.RawStdEncoding.EncodeToString(s.Seal(nil, nil, raw, placeOf(places))), nil
}

// open decrypts a text of seal into v.
func (s sealer) open(sealed string, v any, places ...string) error {
	raw, err := base64.RawStdEncoding.DecodeString(sealed)
	if err != nil {
		return err
	}
	if raw, err = s.Open(nil, nil, raw, placeOf(places)); err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

// placeOf returns the additional data for places.
func placeOf(places []string) []byte {
	raw, _ := json.Marshal(places) // texts always encode
	return raw
}

// hashOf returns the stored form of a state. A fast hash is safe, because the state is random.
func hashOf(state string) string { return hashid.Of(state, sha256.Size) }
