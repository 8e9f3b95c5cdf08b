// Package hashid makes short names of texts, as ids of users: the same on all gateways and
// releases.
//
//	stream := "settings/" + hashid.Of(user, 16)
//
// Streams, folders and ids have such names, so the sizes that callers use can never change.
package hashid

import (
	"crypto/sha256"
	"encoding/hex"
)

// Of returns the first size of the 32 bytes of a text's SHA-256, in hexadecimal digits. A name that
// must be hard to guess, or unique, takes at least 16.
func Of(text string, size int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:size])
}
