// Package hashid makes short names out of texts of any length, such as the ids of
// users: the same name for the same text, on every gateway and in every release.
//
//	stream := "settings/" + hashid.Of(user, 16)
//
// Streams, folders and ids are kept under such names, so how many bytes a caller
// takes can never change.
package hashid

import (
	"crypto/sha256"
	"encoding/hex"
)

// Of returns the first size bytes of the SHA-256 of a text, in hexadecimal
// digits. A name that has to be hard to guess, or unique among many, takes 16 of
// the 32 bytes or more.
func Of(text string, size int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:size])
}
