package sdkapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// With these headers a gateway in local mode proves its identity to the programs of its user: while
// it does not run, any other program of the machine may listen on its port. A request of HealthPath
// with a challenge in ChallengeHeader gets the proof in ProofHeader. Computing it needs the key in
// the file approval.key.
const (
	// name of the header with the challenge: 16 to 64 letters, digits, hyphens and underscores,
	// used only once
	ChallengeHeader = "X-Windie-Challenge"
	ProofHeader     = "X-Windie-Proof" // name of the header with the value that Proof returns
)

// Proof returns the value of ProofHeader. With this value, the gateway that listens on port proves
// that it has the key. The value is the HMAC-SHA256 of the challenge and the port, in lower-case
// hex. Because the proof includes the port, a program on another port cannot use the proof as its
// own.
func Proof(key, challenge string, port int) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte("windie gateway\n" + challenge + "\n" + strconv.Itoa(port)))
	return hex.EncodeToString(mac.Sum(nil))
}
