package sdkapi

// The internal embedding service, which several gateways can share.
const (
	EmbedPath = "/embed"
	// name of the header with the key that requests to EmbedPath require
	EmbedKeyHeader    = "X-Windie-Embedding-Key"
	EmbedProviderName = "embedding-service"
)

// Bounds of texts that become vectors.
const (
	// MaxEmbedTexts bounds the number of texts in a request to windie embed; beyond it: 422
	// VALIDATION_ERROR.
	MaxEmbedTexts = 256
	// MaxEmbedText bounds a text that becomes a vector, in characters; beyond it: 422 VALIDATION_ERROR.
	MaxEmbedText = 8192
	// MaxEmbedAllTexts bounds the total length of the texts in a request to windie embed, in
	// characters; beyond it: 422 VALIDATION_ERROR.
	MaxEmbedAllTexts = 65536
)

// EmbedRequest asks for the vectors of several texts.
type EmbedRequest struct {
	Texts []string `json:"texts"`
}

// EmbedResponse holds one vector for each text, in the order of the request.
type EmbedResponse struct {
	Embeddings [][]float32 `json:"embeddings"`
	EmbeddingSpace
	QueueWaitMS   float64 `json:"queue_wait_ms"`   // time that the request waited in the queue
	ServiceTimeMS float64 `json:"service_time_ms"` // time to compute the vectors
}
