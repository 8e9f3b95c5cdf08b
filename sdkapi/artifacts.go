package sdkapi

import "time"

// ArtifactsPath is the path to which clients upload files by POST. If an artifact's id follows the
// path, the gateway serves that artifact.
const ArtifactsPath = "/api/artifacts/"

// Artifact describes a stored file.
type Artifact struct {
	ArtifactID  string `json:"artifact_id" example:"0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png"`
	ContentType string `json:"content_type" doc:"Media type, detected from the content." example:"image/png"`
	SizeBytes   int64  `json:"size_bytes" example:"123456"`
	SHA256      string `json:"sha256" doc:"SHA-256 of the content, in lower-case hex."`
	URL         string `json:"url" example:"http://127.0.0.1:8765/api/artifacts/0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png"`

	ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"When the artifact expires. Absent if it never expires." example:"2026-01-31T12:00:00Z"`
}
