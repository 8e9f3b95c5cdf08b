package sdkapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// A gateway in local mode proves to the programs of its user that it is theirs: any other program of the machine may listen
// at its port while it does not run. A request of HealthPath with a challenge in ChallengeHeader is answered with the proof
// in ProofHeader, for which one needs the key in the file approval.key.
const (
	ChallengeHeader = "X-Windie-Challenge" // 16 to 64 letters, digits, hyphens and underscores, never used before
	ProofHeader     = "X-Windie-Proof"     // see Proof
)

// Proof returns what proves that a gateway which listens at a port has a key: the HMAC-SHA256 of the challenge and the port,
// in lower-case hex. The port keeps a program from handing the challenge on to the gateway at another one.
func Proof(key, challenge string, port int) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte("windie gateway\n" + challenge + "\n" + strconv.Itoa(port)))
	return hex.EncodeToString(mac.Sum(nil))
}
