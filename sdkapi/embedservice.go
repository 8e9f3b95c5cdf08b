package sdkapi

// The internal embedding service, which several gateways can share.
const (
	EmbedPath         = "/embed"
	EmbedKeyHeader    = "X-Windie-Embedding-Key" // what requests to EmbedPath must bring
	MaxEmbedTexts     = 256
	MaxEmbedText      = 8192  // characters
	MaxEmbedAllTexts  = 65536 // characters, together
	EmbedProviderName = "embedding-service"
)

// EmbedRequest asks for the vectors of texts.
type EmbedRequest struct {
	Texts []string `json:"texts"`
}

// EmbedResponse has a vector for each text, in their order.
type EmbedResponse struct {
	Embeddings [][]float32 `json:"embeddings"`
	EmbeddingSpace
	QueueWaitMS   float64 `json:"queue_wait_ms"`   // that the request waited for others
	ServiceTimeMS float64 `json:"service_time_ms"` // that the texts took
}
