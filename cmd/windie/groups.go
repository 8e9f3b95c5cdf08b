package main

import (
	"time"
)

// embeddingSettings select the backend for vectors, see docs/http-api.md.
type embeddingSettings struct {
	Backend string `key:"backend" env:"WINDIE_EMBEDDINGS_BACKEND" default:"local" one:"local openai remote-http" doc:"embedding provider, for finding memory by meaning: local (the gateway itself), openai (a server with OpenAI's protocol, such as Ollama), or remote-http (an embedding service, such as windie embed)"`
	URL     string `key:"url" env:"WINDIE_EMBEDDINGS_URL" is:"url" doc:"URL of the embedding server, without the final /embeddings (openai) or /embed (remote-http), for example http://127.0.0.1:11434/v1 or http://127.0.0.1:8766"`
	Model   string `key:"model" env:"WINDIE_EMBEDDINGS_MODEL" doc:"name of the embedding model on its server, for example nomic-embed-text (default for remote-http: all-MiniLM-L6-v2)"`
	APIKey  secret `key:"api_key" env:"WINDIE_EMBEDDINGS_API_KEY" doc:"API key of the embedding server, if it requires one; remote-http always requires a key"`

	ServiceKey secret `key:"service_key" env:"WINDIE_EMBEDDING_SERVICE_API_KEY" doc:"key that clients must send to windie embed; if empty, windie embed refuses all requests"`
}

// runSettings are the settings of runs, see docs/runs.md.
type runSettings struct {
	Key           secret        `key:"api_key" env:"WINDIE_RUNS_API_KEY" doc:"key for runs, sent in the header X-Windie-Runs-Key; if empty, runs are disabled"`
	MaxActive     int           `key:"max_active" env:"WINDIE_VM_MAX_ACTIVE_RUNS_PER_WORKSPACE" default:"1" min:"1" max:"10000" doc:"maximum active runs in a workspace"`
	Lease         time.Duration `key:"lease" env:"WINDIE_RUNS_LEASE" default:"30s" min:"1s" max:"1h" doc:"maximum time between two heartbeats of a worker; after that, the worker loses its run"`
	WebhookURL    string        `key:"webhook_url" env:"WINDIE_RUNS_WEBHOOK_URL" is:"url" doc:"URL to notify, by POST, when a run ends or waits for a person, for example https://example.com/hooks/windie (default none)"`
	WebhookSecret secret        `key:"webhook_secret" env:"WINDIE_RUNS_WEBHOOK_SECRET" doc:"secret that signs notifications about runs, as in the Standard Webhooks specification; at least 24 bytes"`
}

// speechSettings select the voice for clients at /ws whose user has speech on, see docs/models.md.
type speechSettings struct {
	Voice  string `key:"voice" env:"WINDIE_SPEECH_VOICE" default:"auto" one:"auto espeak openai off" doc:"speech provider for answers: espeak (the program espeak-ng), openai (a server with OpenAI's protocol), off (no speech), or auto (espeak if it is installed)"`
	Name   string `key:"name" env:"WINDIE_SPEECH_NAME" doc:"name of the voice (default en for espeak, alloy for openai)"`
	URL    string `key:"url" env:"WINDIE_SPEECH_URL" is:"url" doc:"URL of the speech server for openai, without the final /audio/speech, for example http://127.0.0.1:8000/v1"`
	Model  string `key:"model" env:"WINDIE_SPEECH_MODEL" doc:"name of the speech model on its server, for example tts-1"`
	APIKey secret `key:"api_key" env:"WINDIE_SPEECH_API_KEY" doc:"API key of the speech server, if it requires one"`
}

// transcriptionSettings select the speech recognition at /ws/transcription, see docs/models.md.
type transcriptionSettings struct {
	Provider string `key:"provider" env:"WINDIE_TRANSCRIPTION_PROVIDER" default:"off" one:"nova openai-realtime openai off" doc:"transcription provider: nova (a Nova gateway), openai-realtime (a server with OpenAI's realtime protocol), openai (a server with OpenAI's route /audio/transcriptions, such as whisper.cpp or speaches), or off (no transcription)"`
	URL      string `key:"url" env:"WINDIE_TRANSCRIPTION_URL" doc:"URL of the transcription server, for example http://127.0.0.1:8000/v1; for openai, omit the final /audio/transcriptions (default for nova: ws://127.0.0.1:5026, for openai-realtime: wss://api.openai.com/v1/realtime)"`
	Model    string `key:"model" env:"WINDIE_TRANSCRIPTION_MODEL" doc:"name of the transcription model on its server, for example whisper-1 (default for openai-realtime: gpt-live-transcribe)"`
	APIKey   secret `key:"api_key" env:"WINDIE_TRANSCRIPTION_API_KEY" doc:"API key of the transcription server, if it requires one"`
}

// quotaSettings limit the stored data of each user, see docs/limits.md.
type quotaSettings struct {
	Items int64 `key:"items" env:"WINDIE_QUOTA_ITEMS" default:"0" hosted:"10000" max:"1000000000000" doc:"maximum artifacts of one user; the limit for prompts is twice as high; 0 means no limit (default 10000 in hosted mode)"`
	Bytes int64 `key:"bytes" env:"WINDIE_QUOTA_BYTES" default:"0" hosted:"1073741824" doc:"maximum bytes of one user's artifacts. Each artifact counts as its size plus 8 KiB. The limit for the user's memory files is 1/16 of this limit. 0 means no limit (default 1073741824 in hosted mode)"`
}

// limitSettings limit the requests of a user or an address, see docs/limits.md.
type limitSettings struct {
	UserRequests    int `key:"user_requests" env:"WINDIE_LIMITS_USER_REQUESTS" default:"0" hosted:"600" doc:"maximum requests of one user per minute, including messages of /ws and MCP; the gateway derives all other limits of a user from this limit, see docs/limits.md; 0 means no limit (default 600 in hosted mode)"`
	AddressRequests int `key:"address_requests" env:"WINDIE_LIMITS_ADDRESS_REQUESTS" default:"0" hosted:"1200" doc:"maximum requests from one address per minute, including messages of /ws and MCP; the gateway derives all other limits of an address from this limit; raise this limit if many users share an address, for example in an office; 0 means no limit (default 1200 in hosted mode)"`
}

// budgetSettings limit a user's spending on models, see docs/deploy.md.
type budgetSettings struct {
	TokensDay int64   `key:"tokens_day" env:"WINDIE_BUDGET_TOKENS_DAY" default:"0" hosted:"5000000" doc:"maximum tokens of one user's model requests per day; 0 means no limit (default 5000000 in hosted mode)"`
	MoneyDay  float64 `key:"money_day" env:"WINDIE_BUDGET_MONEY_DAY" default:"0" max:"1000000000" zero:"no limit" doc:"maximum cost of one user's model requests per day, for example 2.50, in the currency of the catalogue's prices; 0 means no limit"`
}

// openIDSettings configure the OpenID provider at which people sign in to the console, see
// docs/console.md.
type openIDSettings struct {
	Issuer        string   `key:"issuer" env:"WINDIE_OIDC_ISSUER" doc:"URL of the OpenID provider for signing in to the console, for example https://login.example.com; register WINDIE_PUBLIC_URL/console/openid/callback there as the redirect URL; if empty, OpenID is off"`
	ClientID      string   `key:"client_id" env:"WINDIE_OIDC_CLIENT_ID" doc:"client ID of this gateway at the OpenID provider"`
	ClientSecret  secret   `key:"client_secret" env:"WINDIE_OIDC_CLIENT_SECRET" doc:"client secret of this gateway at the OpenID provider"`
	Scopes        []string `key:"scopes" env:"WINDIE_OIDC_SCOPES" default:"profile" doc:"scopes to request besides openid, separated by commas; include the scopes that provide the claims named in the other oidc settings"`
	OperatorClaim string   `key:"operator_claim" env:"WINDIE_OIDC_OPERATOR_CLAIM" default:"groups" doc:"claim that lists the groups or roles of a person; a dot selects a field of a nested claim, for example realm_access.roles"`
	Operators     []string `key:"operators" env:"WINDIE_OIDC_OPERATORS" doc:"values of the operator claim that make a person an operator, for example names of groups, separated by commas; if empty, nobody can sign in as an operator"`
	UserClaim     string   `key:"user_claim" env:"WINDIE_OIDC_USER_CLAIM" doc:"claim that contains a person's user ID at this gateway, for example user_k3tq…; only for hosted mode; people must not be able to change their claim at the provider; if empty, nobody can sign in as a user"`
}

// oauthSettings name an issuer whose access tokens MCP clients send, in place of the gateway's own
// authorization server, see docs/mcp.md.
type oauthSettings struct {
	Issuer    string `key:"issuer" env:"WINDIE_OAUTH_ISSUER" doc:"URL of an OAuth issuer whose access tokens (JWT) MCP clients send, for example https://login.example.com; it needs OpenID discovery; if empty, the gateway itself issues tokens"`
	Audience  string `key:"audience" env:"WINDIE_OAUTH_AUDIENCE" doc:"audience of these tokens: the value that their claim aud must contain, for example https://windie.example.com/mcp"`
	UserClaim string `key:"user_claim" env:"WINDIE_OAUTH_USER_CLAIM" default:"sub" doc:"claim of these tokens that contains the user ID at this gateway, for example user_k3tq…; people must not be able to change their claim"`

	ClientDocuments bool `key:"client_documents" env:"WINDIE_OAUTH_CLIENT_DOCUMENTS" default:"true" doc:"whether MCP clients may describe themselves in a document at a public URL, which the gateway loads; set it to false if the gateway cannot reach public addresses: clients such as Codex and Claude Code then register instead"`
}
