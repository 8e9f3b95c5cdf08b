package main

import (
	"time"
)

// agentSettings are those of what models may do in a turn, see docs/agent.md.
type agentSettings struct {
	Policy      string        `key:"policy" env:"WINDIE_POLICY_FILE" is:"file" doc:"YAML or JSON file of rules, which say what models may call, and what is asked about first; without it, what can change something is asked about"`
	Rounds      int           `key:"rounds" env:"WINDIE_AGENT_ROUNDS" default:"50" min:"1" doc:"times that a model is asked in one turn"`
	Tokens      int           `key:"tokens" env:"WINDIE_AGENT_TOKENS" default:"1000000" min:"1" doc:"tokens that a turn may take, in all rounds together"`
	WallTime    time.Duration `key:"wall_time" env:"WINDIE_AGENT_WALL_TIME" default:"1h" min:"1s" max:"24h" doc:"longest time of a turn, waiting for people included"`
	Repeated    int           `key:"repeated" env:"WINDIE_AGENT_REPEATED" default:"3" min:"1" doc:"times that a model makes the very same call in one turn"`
	ResultBytes int           `key:"result_bytes" env:"WINDIE_AGENT_RESULT_BYTES" default:"65536" min:"1024" max:"163840" doc:"how much of one tool's text a model is shown, in bytes; the middle is left out of more"`
	Parallel    int           `key:"parallel" env:"WINDIE_AGENT_PARALLEL" default:"8" min:"1" max:"64" doc:"tools of one answer that run at once"`

	Token secret `key:"token" env:"WINDIE_AGENT_TOKEN" doc:"token of the install as which windie agent talks to a hosted gateway"`

	AnswerTime  time.Duration `key:"answer_time" env:"WINDIE_AGENT_ANSWER_TIME" default:"10m" min:"1s" max:"24h" doc:"how long a call waits for what its client does, or for the user's approval"`
	UnawareTime time.Duration `key:"unaware_time" env:"WINDIE_AGENT_UNAWARE_TIME" default:"2m" min:"1s" max:"24h" doc:"how long it waits for an approval where the client did not say that it knows of approvals"`
	ClientsAsk  bool          `key:"clients_ask" env:"WINDIE_AGENT_CLIENTS_ASK" default:"false" doc:"take each client of /ws that says nothing of approvals for one that asks its user by itself: calls of its own tools are sent to it at once, risky ones too"`
}

// memorySettings are those of what agents remember, see docs/memory.md.
type memorySettings struct {
	Dir       string `key:"dir" env:"WINDIE_MEMORY_DIR" is:"folder?" doc:"folder of what agents remember, with one for each user in it; default: memory in data_dir"`
	KeepDays  int    `key:"keep_days" env:"WINDIE_MEMORY_KEEP_DAYS" default:"90" min:"-1" doc:"days after which a day's notes are moved to the archive, where they are still found; -1: never"`
	SoftBytes int64  `key:"soft_bytes" env:"WINDIE_MEMORY_SOFT_BYTES" default:"65536" min:"-1" doc:"size of MEMORY.md beyond which who writes to it is warned, in bytes; -1: never"`

	PromptBytes int `key:"prompt_bytes" env:"WINDIE_MEMORY_PROMPT_BYTES" default:"65536" min:"1" max:"131072" zero:"nothing" doc:"how much of MEMORY.md models are told at the start of a turn, in bytes; of the notes of today and yesterday a quarter of that besides; 0: nothing"`

	EmbedURL    string `key:"embed_url" env:"WINDIE_MEMORY_EMBED_URL" is:"url" doc:"server of the embedding model that memory is searched by meaning with, up to /embeddings, as http://127.0.0.1:11434/v1; default: what embeddings.backend makes, once that can"`
	EmbedModel  string `key:"embed_model" env:"WINDIE_MEMORY_EMBED_MODEL" doc:"what the server calls the embedding model, as nomic-embed-text"`
	EmbedAPIKey secret `key:"embed_api_key" env:"WINDIE_MEMORY_EMBED_API_KEY" doc:"key to the server, if it wants one"`
}

// embeddingSettings choose what turns texts into vectors, see docs/http-api.md.
type embeddingSettings struct {
	Backend string `key:"backend" env:"WINDIE_EMBEDDINGS_BACKEND" default:"local" one:"local openai remote-http" doc:"what turns texts into vectors: local is the gateway itself, openai a server that speaks OpenAI's protocol, as Ollama, remote-http an embedding service, as windie embed is one"`
	Dir     string `key:"dir" env:"WINDIE_EMBEDDINGS_DIR" is:"folder?" doc:"folder of the weights that local needs, model.safetensors and vocab.txt of all-MiniLM-L6-v2; default: models/all-MiniLM-L6-v2 in data_dir"`
	URL     string `key:"url" env:"WINDIE_EMBEDDINGS_URL" is:"url" doc:"server of the embedding model: of openai up to /embeddings, as http://127.0.0.1:11434/v1; of remote-http up to /embed, as http://127.0.0.1:8766"`
	Model   string `key:"model" env:"WINDIE_EMBEDDINGS_MODEL" doc:"what that server calls the embedding model, as nomic-embed-text; default of remote-http: all-MiniLM-L6-v2"`
	APIKey  secret `key:"api_key" env:"WINDIE_EMBEDDINGS_API_KEY" doc:"key to that server, if it wants one; remote-http always does"`

	ServiceAddr string `key:"service_addr" env:"WINDIE_EMBEDDING_SERVICE_ADDR" default:"127.0.0.1:8766" doc:"where windie embed listens"`
	ServiceKey  secret `key:"service_key" env:"WINDIE_EMBEDDING_SERVICE_API_KEY" doc:"key that requests to windie embed must bring; without it all are refused"`
}

// runSettings are those of runs, see docs/runs.md.
type runSettings struct {
	Key           secret        `key:"api_key" env:"WINDIE_RUNS_API_KEY" doc:"key that requests about runs must bring as X-Windie-Runs-Key; without it all are refused"`
	WorkerToken   secret        `key:"worker_token" env:"WINDIE_WORKER_TOKEN" doc:"token of the install as which windie worker talks to a hosted gateway"`
	MaxActive     int           `key:"max_active" env:"WINDIE_VM_MAX_ACTIVE_RUNS_PER_WORKSPACE" default:"1" min:"1" max:"10000" doc:"runs of one workspace that may be active at once"`
	Lease         time.Duration `key:"lease" env:"WINDIE_RUNS_LEASE" default:"30s" min:"1s" max:"1h" doc:"how long a worker that says nothing keeps its run"`
	WebhookURL    string        `key:"webhook_url" env:"WINDIE_RUNS_WEBHOOK_URL" is:"url" doc:"where to POST that a run has ended or waits for a person, as https://example.com/hooks/windie; default: nowhere"`
	WebhookSecret secret        `key:"webhook_secret" env:"WINDIE_RUNS_WEBHOOK_SECRET" doc:"what these requests are signed with, as Standard Webhooks says; at least 24 bytes"`
}

// speechSettings choose what speaks to clients at /ws whose user has speech on, see docs/models.md.
type speechSettings struct {
	Voice  string `key:"voice" env:"WINDIE_SPEECH_VOICE" default:"auto" one:"auto espeak openai off" doc:"what speaks answers: espeak is the program espeak-ng, openai a server that speaks OpenAI's protocol, off nothing, auto espeak where it is installed"`
	Name   string `key:"name" env:"WINDIE_SPEECH_NAME" doc:"which of its voices; default: en of espeak, alloy of openai"`
	Speed  int    `key:"speed" env:"WINDIE_SPEECH_SPEED" default:"175" min:"80" max:"450" doc:"words a minute of espeak"`
	URL    string `key:"url" env:"WINDIE_SPEECH_URL" is:"url" doc:"server of the voice openai, up to /audio/speech, as http://127.0.0.1:8000/v1"`
	Model  string `key:"model" env:"WINDIE_SPEECH_MODEL" doc:"what that server calls its model, as tts-1"`
	APIKey secret `key:"api_key" env:"WINDIE_SPEECH_API_KEY" doc:"key to that server, if it wants one"`
	Rate   int    `key:"rate" env:"WINDIE_SPEECH_RATE" default:"24000" min:"8000" max:"48000" doc:"sample rate of that server's PCM, in Hz"`
}

// transcriptionSettings choose what makes text of speech at /ws/transcription, see docs/models.md.
type transcriptionSettings struct {
	Provider     string        `key:"provider" env:"WINDIE_TRANSCRIPTION_PROVIDER" default:"off" one:"nova openai-realtime openai off" doc:"what makes text of speech: nova is a Nova gateway, openai-realtime a server that speaks OpenAI's realtime protocol, openai one with OpenAI's route /audio/transcriptions, as whisper.cpp or speaches, off nothing"`
	URL          string        `key:"url" env:"WINDIE_TRANSCRIPTION_URL" doc:"that server: of openai up to /audio/transcriptions, as http://127.0.0.1:8000/v1; default of nova: ws://127.0.0.1:5026; of openai-realtime: wss://api.openai.com/v1/realtime"`
	Model        string        `key:"model" env:"WINDIE_TRANSCRIPTION_MODEL" doc:"what that server calls its model, as whisper-1; default of openai-realtime: gpt-live-transcribe"`
	SessionModel string        `key:"session_model" env:"WINDIE_TRANSCRIPTION_SESSION_MODEL" doc:"model of the session of openai-realtime; default: none, and the session is for transcription alone"`
	APIKey       secret        `key:"api_key" env:"WINDIE_TRANSCRIPTION_API_KEY" doc:"key to that server, if it wants one"`
	Silence      time.Duration `key:"silence" env:"WINDIE_TRANSCRIPTION_SILENCE" default:"500ms" min:"100ms" max:"5s" doc:"silence that ends an utterance; a Nova gateway has its own"`
	Partials     time.Duration `key:"partials" env:"WINDIE_TRANSCRIPTION_PARTIALS" default:"1s" min:"200ms" max:"15s" zero:"none" doc:"how often openai is asked for the text of an utterance that is still said, which it bills each time; 0: only once it has ended"`
}

// retentionSettings say how long things are kept after they were last used.
type retentionSettings struct {
	Conversations time.Duration `key:"conversations" env:"WINDIE_RETENTION_CONVERSATIONS" default:"0s" hosted:"2160h" min:"1h" zero:"for ever" doc:"how long a conversation, with its decisions, is kept after its last message; 0: for ever; default in hosted mode: 2160h"`
	Prompts       time.Duration `key:"prompts" env:"WINDIE_RETENTION_PROMPTS" default:"0s" hosted:"2160h" min:"1h" zero:"for ever" doc:"how long a prompt outside of conversations is kept after its end; 0: for ever; default in hosted mode: 2160h"`
	Runs          time.Duration `key:"runs" env:"WINDIE_RETENTION_RUNS" default:"0s" hosted:"2160h" min:"1h" zero:"for ever" doc:"how long a run is kept after its end; 0: for ever; default in hosted mode: 2160h"`
}

// quotaSettings say how much each user may keep.
type quotaSettings struct {
	Artifacts     int64 `key:"artifacts" env:"WINDIE_QUOTA_ARTIFACTS" default:"0" hosted:"10000" doc:"artifacts that one user may keep; 0: any number; default in hosted mode: 10000"`
	ArtifactBytes int64 `key:"artifact_bytes" env:"WINDIE_QUOTA_ARTIFACT_BYTES" default:"0" hosted:"1073741824" doc:"bytes of artifacts that one user may keep, with 8 KiB for each; 0: any number; default in hosted mode: 1073741824"`
	Prompts       int64 `key:"prompts" env:"WINDIE_QUOTA_PROMPTS" default:"0" hosted:"20000" doc:"prompts that one user may keep, in conversations and outside; 0: any number; default in hosted mode: 20000"`
	MemoryBytes   int64 `key:"memory_bytes" env:"WINDIE_QUOTA_MEMORY_BYTES" default:"0" hosted:"67108864" doc:"bytes of memory files that one user may keep; 0: any number; default in hosted mode: 67108864"`
}

// limitSettings are those of how much a user or an address may ask for, see docs/deploy.md.
type limitSettings struct {
	UserRequests         int `key:"user_requests" env:"WINDIE_LIMITS_USER_REQUESTS" default:"0" hosted:"600" doc:"requests of one user in a minute, messages of /ws and MCP too; 0: any number; default in hosted mode: 600"`
	UserMegapixels       int `key:"user_megapixels" env:"WINDIE_LIMITS_USER_MEGAPIXELS" default:"0" hosted:"300" doc:"megapixels of screens that are read for one user in a minute; 0: any number; default in hosted mode: 300"`
	UserToolCalls        int `key:"user_tool_calls" env:"WINDIE_LIMITS_USER_TOOL_CALLS" default:"0" hosted:"300" doc:"calls of tools by one user in a minute; 0: any number; default in hosted mode: 300"`
	UserTurns            int `key:"user_turns" env:"WINDIE_LIMITS_USER_TURNS" default:"0" hosted:"60" doc:"turns of agents that one user begins in a minute, by whichever protocol; 0: any number; default in hosted mode: 60"`
	UserOpen             int `key:"user_open" env:"WINDIE_LIMITS_USER_OPEN" default:"0" hosted:"50" doc:"sockets and streams that one user has open at once, and large bodies that it is still sending; 0: any number; default in hosted mode: 50"`
	AddressRequests      int `key:"address_requests" env:"WINDIE_LIMITS_ADDRESS_REQUESTS" default:"0" hosted:"1200" doc:"requests from one address in a minute, messages of /ws and MCP too; 0: any number; default in hosted mode: 1200"`
	AddressMegapixels    int `key:"address_megapixels" env:"WINDIE_LIMITS_ADDRESS_MEGAPIXELS" default:"0" hosted:"600" doc:"megapixels of screens that are read for one address in a minute; 0: any number; default in hosted mode: 600"`
	AddressToolCalls     int `key:"address_tool_calls" env:"WINDIE_LIMITS_ADDRESS_TOOL_CALLS" default:"0" hosted:"600" doc:"calls of tools from one address in a minute; 0: any number; default in hosted mode: 600"`
	AddressRegistrations int `key:"address_registrations" env:"WINDIE_LIMITS_ADDRESS_REGISTRATIONS" default:"0" hosted:"20" doc:"registrations from one address in an hour; 0: any number; default in hosted mode: 20"`
	UserSound            int `key:"user_sound" env:"WINDIE_LIMITS_USER_SOUND" default:"0" hosted:"180" doc:"seconds of sound of one user that are transcribed in a minute; 0: any number; default in hosted mode: 180"`
	AddressSound         int `key:"address_sound" env:"WINDIE_LIMITS_ADDRESS_SOUND" default:"0" hosted:"600" doc:"seconds of sound from one address that are transcribed in a minute; 0: any number; default in hosted mode: 600"`
	AddressConnections   int `key:"address_connections" env:"WINDIE_LIMITS_ADDRESS_CONNECTIONS" default:"0" hosted:"1000" doc:"connections from one address at once, sockets not counted; trusted proxies have any number; 0: any number; default in hosted mode: 1000"`
	AddressOpen          int `key:"address_open" env:"WINDIE_LIMITS_ADDRESS_OPEN" default:"0" hosted:"200" doc:"sockets and streams that one address has open at once, and large bodies that it is still sending; 0: any number; default in hosted mode: 200"`
}

// budgetSettings are those of what a user may spend on models, see docs/deploy.md.
type budgetSettings struct {
	TokensDay int64   `key:"tokens_day" env:"WINDIE_BUDGET_TOKENS_DAY" default:"0" hosted:"5000000" doc:"tokens that the requests of one user to models may take in a day; 0: any number; default in hosted mode: 5000000"`
	MoneyDay  float64 `key:"money_day" env:"WINDIE_BUDGET_MONEY_DAY" default:"0" max:"1000000000" zero:"no limit" doc:"what the requests of one user to models may cost in a day, as 2.50, in the currency that the catalogue's prices are in; 0: any amount"`
}

// openIDSettings are those of the OpenID provider at which people sign in to the console, see docs/console.md.
type openIDSettings struct {
	Issuer        string   `key:"issuer" env:"WINDIE_OIDC_ISSUER" doc:"URL of the OpenID provider at which people sign in to the console, as https://login.example.com; without it nobody does. It is told WINDIE_PUBLIC_URL/console/openid/callback as where browsers come back to"`
	ClientID      string   `key:"client_id" env:"WINDIE_OIDC_CLIENT_ID" doc:"what the OpenID provider calls this gateway"`
	ClientSecret  secret   `key:"client_secret" env:"WINDIE_OIDC_CLIENT_SECRET" doc:"the secret that the OpenID provider gave this gateway"`
	Name          string   `key:"name" env:"WINDIE_OIDC_NAME" doc:"what people call the OpenID provider, for the link that leads to it; default: the issuer's host"`
	Scopes        []string `key:"scopes" env:"WINDIE_OIDC_SCOPES" default:"profile" doc:"scopes to ask the OpenID provider for besides openid, separated by commas: those that have it put the claims below into its tokens"`
	OperatorClaim string   `key:"operator_claim" env:"WINDIE_OIDC_OPERATOR_CLAIM" default:"groups" doc:"claim that says who is an operator, as groups, or realm_access.roles in an object"`
	Operators     []string `key:"operators" env:"WINDIE_OIDC_OPERATORS" doc:"values of that claim, as the names of groups, which make an operator, separated by commas; without it nobody comes in as an operator"`
	UserClaim     string   `key:"user_claim" env:"WINDIE_OIDC_USER_CLAIM" doc:"in hosted mode, claim that has the id of the person's user at this gateway, as user_k3tq…; it must be one that people cannot set for themselves; without it nobody comes in as a user"`
}
