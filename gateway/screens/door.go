// Package screens serves artifacts, which are the screenshots that clients
// upload and the pictures that the gateway draws, and answers what is on them:
// over HTTP, as tools, and to sessions.
package screens

import "github.com/windieos/windie/gateway"

// door is this protocol of a gateway.
type door struct{ *gateway.Server }

func open(s *gateway.Server) *door { return &door{s} }

// Parts returns the parts that serve artifacts and screens.
func Parts() []gateway.Part {
	return []gateway.Part{
		gateway.PartOf("artifacts", open, (*door).addUpload, (*door).addFetch, (*door).addList),
		gateway.PartOf("ocr", open, (*door).addOCR),
		gateway.PartOf("vision", open, (*door).addVision),
		gateway.PartOf("screen", open, (*door).addScreen),
	}
}
