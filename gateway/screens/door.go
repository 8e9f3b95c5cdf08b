// Package screens serves artifacts: screenshots that clients upload, and images that the gateway
// draws. It also answers questions about these images. Clients use it over HTTP, models with tools,
// and sessions through ScreenReader.
package screens

import (
	"time"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/perception"
)

// door has the server and the settings of the handlers of this package.
type door struct {
	core             *gateway.Server
	maxArtifactBytes int64
	presignTTL       time.Duration // lifetime of a link to the store; 0 disables links
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
