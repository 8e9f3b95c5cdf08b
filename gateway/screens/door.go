// Package screens serves artifacts, which are the screenshots that clients
// upload and the pictures that the gateway draws, and answers what is on them:
// over HTTP, as tools, and to sessions.
package screens

import (
	"time"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/perception"
)

// door is this protocol of a gateway.
type door struct {
	core             *gateway.Server
	maxArtifactBytes int64
	presignTTL       time.Duration
	scenes           *perception.Scenes
}

// Parts returns the parts that serve artifacts and screens.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	d := &door{core: core, maxArtifactBytes: app.MaxArtifactBytes, presignTTL: app.PresignTTL, scenes: app.Scenes}
	return []gateway.Part{
		gateway.PartOf("artifacts", d.addUpload, d.addFetch, d.addList),
		gateway.PartOf("ocr", d.addOCR),
		gateway.PartOf("vision", d.addVision),
		gateway.PartOf("screen", d.addScreen),
	}
}
