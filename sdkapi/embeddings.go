package sdkapi

// Paths of the routes that compute vectors.
const (
	EmbeddingsPath       = "/api/embeddings/"
	EmbeddingsHealthPath = "/api/embeddings/health"
)

// EmbeddingRequest asks for the vector of one text. Texts of similar meaning have vectors that are
// close to each other.
type EmbeddingRequest struct {
	Text      string `json:"text" maxLength:"8192" doc:"The text. The model reads only the start, up to its limit. The limit of the built-in model is 256 tokens, about 180 words."`
	ModelName string `json:"model_name,omitempty" maxLength:"128" default:"default" doc:"The model_id of the gateway's only embedding model, or \"default\"."`
}

// EmbeddingSpace identifies the space of a vector. Only vectors of one space can be compared.
type EmbeddingSpace struct {
	ProviderID            string `json:"provider_id" doc:"Provider of the vectors. The value local-sentence-transformer means the gateway itself." example:"local-sentence-transformer"`
	ModelID               string `json:"model_id" example:"sentence-transformers/all-MiniLM-L6-v2"`
	ModelName             string `json:"model_name" doc:"The same value as model_id." example:"sentence-transformers/all-MiniLM-L6-v2"`
	Dimension             int    `json:"dimension" doc:"Length of a vector." example:"384"`
	EmbeddingSpaceVersion string `json:"embedding_space_version" doc:"Name of the embedding space. Store it with each vector, and compare only vectors with the same name." example:"local-sentence-transformer:sentence-transformers/all-MiniLM-L6-v2:384"`
}

// Embedding is the vector of a text.
type Embedding struct {
	Embedding []float32 `json:"embedding" nullable:"false" doc:"The vector. The built-in model's vectors have length 1."`
	EmbeddingSpace
}

// EmbeddingsHealth reports that the gateway can compute vectors, and names the model.
type EmbeddingsHealth struct {
	Status string `json:"status" enum:"healthy"`
	EmbeddingSpace
}
