package main

import (
	"time"
)

// agentSettings are the settings of what models may do in a turn, see docs/agent.md.
type agentSettings struct {
	Policy   string        `key:"policy" env:"WINDIE_POLICY_FILE" is:"file" doc:"YAML or JSON file of rules, which say what models may call, and what is asked about first; without it, what can change something is asked about"`
	Rounds   int           `key:"rounds" env:"WINDIE_AGENT_ROUNDS" default:"50" min:"1" doc:"times that a model is asked in one turn"`
	Tokens   int           `key:"tokens" env:"WINDIE_AGENT_TOKENS" default:"1000000" min:"1" doc:"tokens that a turn may take, in all rounds together"`
	WallTime time.Duration `key:"wall_time" env:"WINDIE_AGENT_WALL_TIME" default:"1h" min:"1s" max:"24h" doc:"longest time of a turn, waiting for people included"`

	AnswerTime time.Duration `key:"answer_time" env:"WINDIE_AGENT_ANSWER_TIME" default:"10m" min:"1s" max:"24h" doc:"how long a call waits for what its client does, or for the user's approval"`
	ClientsAsk bool          `key:"clients_ask" env:"WINDIE_AGENT_CLIENTS_ASK" default:"false" doc:"take each client of /ws that says nothing of approvals for one that asks its user by itself: calls of its own tools are sent to it at once, risky ones too"`
}

// embeddingSettings select the backend for vectors, see docs/http-api.md.
type embeddingSettings struct {
	Backend string `key:"backend" env:"WINDIE_EMBEDDINGS_BACKEND" default:"local" one:"local openai remote-http" doc:"what turns texts into vectors: local is the gateway itself, openai a server that speaks OpenAI's protocol, as Ollama, remote-http an embedding service, as windie embed is one; memory is searched by meaning with it, once it can do that"`
	URL     string `key:"url" env:"WINDIE_EMBEDDINGS_URL" is:"url" doc:"server of the embedding model: of openai up to /embeddings, as http://127.0.0.1:11434/v1; of remote-http up to /embed, as http://127.0.0.1:8766"`
	Model   string `key:"model" env:"WINDIE_EMBEDDINGS_MODEL" doc:"what that server calls the embedding model, as nomic-embed-text; default of remote-http: all-MiniLM-L6-v2"`
	APIKey  secret `key:"api_key" env:"WINDIE_EMBEDDINGS_API_KEY" doc:"key to that server, if it wants one; remote-http always does"`

	ServiceKey secret `key:"service_key" env:"WINDIE_EMBEDDING_SERVICE_API_KEY" doc:"key that requests to windie embed must bring; without it all are refused"`
}

// runSettings are the settings of runs, see docs/runs.md.
type runSettings struct {
	Key           secret        `key:"api_key" env:"WINDIE_RUNS_API_KEY" doc:"key that requests about runs must bring as X-Windie-Runs-Key; without it all are refused"`
	MaxActive     int           `key:"max_active" env:"WINDIE_VM_MAX_ACTIVE_RUNS_PER_WORKSPACE" default:"1" min:"1" max:"10000" doc:"runs of one workspace that may be active at once"`
	Lease         time.Duration `key:"lease" env:"WINDIE_RUNS_LEASE" default:"30s" min:"1s" max:"1h" doc:"how long a worker that says nothing keeps its run"`
	WebhookURL    string        `key:"webhook_url" env:"WINDIE_RUNS_WEBHOOK_URL" is:"url" doc:"where to POST that a run has ended or waits for a person, as https://example.com/hooks/windie; default: nowhere"`
	WebhookSecret secret        `key:"webhook_secret" env:"WINDIE_RUNS_WEBHOOK_SECRET" doc:"what these requests are signed with, as Standard Webhooks says; at least 24 bytes"`
}

// speechSettings select the voice for clients at /ws whose user has speech on, see docs/models.md.
type speechSettings struct {
	Voice  string `key:"voice" env:"WINDIE_SPEECH_VOICE" default:"auto" one:"auto espeak openai off" doc:"what speaks answers: espeak is the program espeak-ng, openai a server that speaks OpenAI's protocol, off nothing, auto espeak where it is installed"`
	Name   string `key:"name" env:"WINDIE_SPEECH_NAME" doc:"which of its voices; default: en of espeak, alloy of openai"`
	URL    string `key:"url" env:"WINDIE_SPEECH_URL" is:"url" doc:"server of the voice openai, up to /audio/speech, as http://127.0.0.1:8000/v1"`
	Model  string `key:"model" env:"WINDIE_SPEECH_MODEL" doc:"what that server calls its model, as tts-1"`
	APIKey secret `key:"api_key" env:"WINDIE_SPEECH_API_KEY" doc:"key to that server, if it wants one"`
}

// transcriptionSettings select the speech recognition at /ws/transcription, see docs/models.md.
type transcriptionSettings struct {
	Provider string `key:"provider" env:"WINDIE_TRANSCRIPTION_PROVIDER" default:"off" one:"nova openai-realtime openai off" doc:"what makes text of speech: nova is a Nova gateway, openai-realtime a server that speaks OpenAI's realtime protocol, openai one with OpenAI's route /audio/transcriptions, as whisper.cpp or speaches, off nothing"`
	URL      string `key:"url" env:"WINDIE_TRANSCRIPTION_URL" doc:"that server: of openai up to /audio/transcriptions, as http://127.0.0.1:8000/v1; default of nova: ws://127.0.0.1:5026; of openai-realtime: wss://api.openai.com/v1/realtime"`
	Model    string `key:"model" env:"WINDIE_TRANSCRIPTION_MODEL" doc:"what that server calls its model, as whisper-1; default of openai-realtime: gpt-live-transcribe"`
	APIKey   secret `key:"api_key" env:"WINDIE_TRANSCRIPTION_API_KEY" doc:"key to that server, if it wants one"`
}

// quotaSettings limit the stored data of each user, see docs/limits.md.
type quotaSettings struct {
	Items int64 `key:"items" env:"WINDIE_QUOTA_ITEMS" default:"0" hosted:"10000" max:"1000000000000" doc:"artifacts that one user may keep; prompts may be twice as many; 0: any number; default in hosted mode: 10000"`
	Bytes int64 `key:"bytes" env:"WINDIE_QUOTA_BYTES" default:"0" hosted:"1073741824" doc:"bytes of artifacts that one user may keep, with 8 KiB for each; files of memory may take a sixteenth of it besides; 0: any number; default in hosted mode: 1073741824"`
}

// limitSettings limit the requests of a user or an address, see docs/limits.md.
type limitSettings struct {
	UserRequests    int `key:"user_requests" env:"WINDIE_LIMITS_USER_REQUESTS" default:"0" hosted:"600" doc:"requests of one user in a minute, messages of /ws and MCP too; all other limits of a user are shares of it, see docs/limits.md; 0: any number; default in hosted mode: 600"`
	AddressRequests int `key:"address_requests" env:"WINDIE_LIMITS_ADDRESS_REQUESTS" default:"0" hosted:"1200" doc:"requests from one address in a minute, messages of /ws and MCP too; all other limits of an address are shares of it; raise it for an office whose users share an address; 0: any number; default in hosted mode: 1200"`
}

// budgetSettings limit a user's spending on models, see docs/deploy.md.
type budgetSettings struct {
	TokensDay int64   `key:"tokens_day" env:"WINDIE_BUDGET_TOKENS_DAY" default:"0" hosted:"5000000" doc:"tokens that the requests of one user to models may take in a day; 0: any number; default in hosted mode: 5000000"`
	MoneyDay  float64 `key:"money_day" env:"WINDIE_BUDGET_MONEY_DAY" default:"0" max:"1000000000" zero:"no limit" doc:"what the requests of one user to models may cost in a day, as 2.50, in the currency that the catalogue's prices are in; 0: any amount"`
}

// openIDSettings configure the OpenID provider at which people sign in to the console, see
// docs/console.md.
type openIDSettings struct {
	Issuer        string   `key:"issuer" env:"WINDIE_OIDC_ISSUER" doc:"URL of the OpenID provider at which people sign in to the console, as https://login.example.com; without it nobody does. It is told WINDIE_PUBLIC_URL/console/openid/callback as where browsers come back to"`
	ClientID      string   `key:"client_id" env:"WINDIE_OIDC_CLIENT_ID" doc:"what the OpenID provider calls this gateway"`
	ClientSecret  secret   `key:"client_secret" env:"WINDIE_OIDC_CLIENT_SECRET" doc:"the secret that the OpenID provider gave this gateway"`
	Scopes        []string `key:"scopes" env:"WINDIE_OIDC_SCOPES" default:"profile" doc:"scopes to ask the OpenID provider for besides openid, separated by commas: those that have it put the claims below into its tokens"`
	OperatorClaim string   `key:"operator_claim" env:"WINDIE_OIDC_OPERATOR_CLAIM" default:"groups" doc:"claim that says who is an operator, as groups, or realm_access.roles in an object"`
	Operators     []string `key:"operators" env:"WINDIE_OIDC_OPERATORS" doc:"values of that claim, as the names of groups, which make an operator, separated by commas; without it nobody comes in as an operator"`
	UserClaim     string   `key:"user_claim" env:"WINDIE_OIDC_USER_CLAIM" doc:"in hosted mode, claim that has the id of the person's user at this gateway, as user_k3tq…; it must be one that people cannot set for themselves; without it nobody comes in as a user"`
}
