package sdkapi

// Paths of the routes that compute vectors.
const (
	EmbeddingsPath       = "/api/embeddings/"
	EmbeddingsHealthPath = "/api/embeddings/health"
)

// EmbeddingRequest asks for the vector of one text. Texts of similar meaning have near vectors.
type EmbeddingRequest struct {
	Text      string `json:"text" maxLength:"8192" doc:"The text. A model reads as much of it as it can: that in the process the first 256 tokens, some 180 words."`
	ModelName string `json:"model_name,omitempty" maxLength:"128" default:"default" doc:"The model by its model_id, or default; a gateway has one."`
}

// EmbeddingSpace identifies the space of a vector. Only vectors of one space can be compared.
type EmbeddingSpace struct {
	ProviderID            string `json:"provider_id" doc:"Who makes the vectors: local-sentence-transformer is the gateway itself." example:"local-sentence-transformer"`
	ModelID               string `json:"model_id" example:"sentence-transformers/all-MiniLM-L6-v2"`
	ModelName             string `json:"model_name" doc:"The same as model_id." example:"sentence-transformers/all-MiniLM-L6-v2"`
	Dimension             int    `json:"dimension" doc:"How many numbers a vector has." example:"384"`
	EmbeddingSpaceVersion string `json:"embedding_space_version" doc:"All of this in one name. Keep it with each vector, and compare none of different names." example:"local-sentence-transformer:sentence-transformers/all-MiniLM-L6-v2:384"`
}

// Embedding is the vector of a text.
type Embedding struct {
	Embedding []float32 `json:"embedding" nullable:"false" doc:"The vector; of the model in the process its length is 1."`
	EmbeddingSpace
}

// EmbeddingsHealth reports that the gateway can compute vectors, and with which model.
type EmbeddingsHealth struct {
	Status string `json:"status" enum:"healthy"`
	EmbeddingSpace
}
