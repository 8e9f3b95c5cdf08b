// Package hashid derives short names from texts, such as ids of users. A text has the same name on
// all gateways and in all releases.
//
//	stream := "settings/" + hashid.Of(user, 16)
//
// The names of streams, folders and ids contain such a short name, so the sizes that callers use
// must never change.
package hashid

import (
	"crypto/sha256"
	"encoding/hex"
)

// Of returns a short name for text: the first size bytes of the text's SHA-256, in hexadecimal.
// size is at most 32. A name that must be unique or hard to guess needs at least 16 bytes.
func Of(text string, size int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:size])
}
