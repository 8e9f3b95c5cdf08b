// Package screens serves artifacts, which are the screenshots that clients
// upload and the pictures that the gateway draws, and answers what is on them:
// over HTTP, as tools, and to sessions.
package screens

import "github.com/windieos/windie/gateway"

// door is this protocol of a gateway.
type door struct{ *gateway.Server }

// Parts returns the parts that serve artifacts and screens.
func Parts() []gateway.Part {
	return []gateway.Part{
		part("artifacts", (*door).addUpload, (*door).addFetch),
		part("ocr", (*door).addOCR),
		part("vision", (*door).addVision),
		part("screen", (*door).addScreen),
	}
}

func part(id string, add ...func(*door)) gateway.Part {
	return gateway.Part{ID: id, Setup: func(s *gateway.Setup) error {
		for _, routes := range add {
			routes(&door{s.Server})
		}
		return nil
	}}
}
