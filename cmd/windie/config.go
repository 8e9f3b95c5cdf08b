package main

import (
	"path/filepath"
	"reflect"
	"time"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// config holds every setting. A setting can be given in a YAML file under its key, in the
// environment, or as a flag named like the key. Flags win over the environment, and the environment
// over the file. The tag hosted is the default in hosted mode if it differs. The tag is says what a
// path names, file or folder; a final ? means that it may be missing.
type config struct {
	sources map[string]sdkapi.SettingSource // source of each setting, by key; absent: the default
	// OpenTelemetry collector, from OpenTelemetry's own variables; empty: none
	otlp string

	Mode           string   `key:"mode" env:"WINDIE_MODE" default:"local" one:"local hosted" doc:"who may use the gateway: local, everybody on this machine; or hosted, whoever brings the token that each client registers for"`
	Listen         string   `key:"listen" env:"WINDIE_LISTEN" default:"127.0.0.1:8765" doc:"address and port to serve on"`
	TrustedNetwork bool     `key:"trusted_network" env:"WINDIE_TRUSTED_NETWORK" default:"false" doc:"in local mode, allow an address that is not loopback, though no route asks for a token: for networks where everybody may use the gateway, as in a container published on 127.0.0.1"`
	PublicURL      string   `key:"public_url" env:"WINDIE_PUBLIC_URL" is:"url" doc:"start of the URLs given out, behind a proxy; default: what the request was sent to"`
	AllowedOrigins []string `key:"allowed_origins" env:"WINDIE_ALLOWED_ORIGINS" doc:"web origins whose pages may call the gateway, separated by commas; file:// and null are pages of desktop programs, and null is also any page that hides where it is from"`
	PathPrefix     string   `key:"path_prefix" env:"WINDIE_PATH_PREFIX" doc:"path below which all routes are served too, as /windie, for a proxy that does not take it away"`
	OpenAITools    []string `key:"openai_tools" env:"WINDIE_OPENAI_TOOLS" doc:"tools that models may use in answers at /openai/v1, of those that change nothing, as names or patterns as ocr.*, separated by commas, see docs/http-api.md; default: none"`
	TrustedProxies []string `key:"trusted_proxies" env:"WINDIE_TRUSTED_PROXIES" doc:"addresses and networks of proxies, as 10.0.0.0/8, separated by commas, whose X-Forwarded-For says where a request comes from"`

	DrainTimeout time.Duration `key:"drain_timeout" env:"WINDIE_DRAIN_TIMEOUT" default:"30s" min:"100ms" max:"1h" doc:"how long requests and agents' turns may go on once told to stop; a turn that takes longer goes on when a gateway runs again"`
	DrainDelay   time.Duration `key:"drain_delay" env:"WINDIE_DRAIN_DELAY" default:"0s" doc:"how much of drain_timeout all goes on as before, though /ready says no: as long as a load balancer takes to notice"`

	DataDir          string `key:"data_dir" env:"WINDIE_DATA_DIR" is:"folder?" doc:"folder for everything that is kept"`
	SharedDir        string `key:"shared_dir" env:"WINDIE_SHARED_DIR" is:"folder?" doc:"folder that several gateways share, of what agents remember, plugins, and the files that say what plugins may do and whose are trusted; default: data_dir"`
	DatabaseURL      secret `key:"database_url" env:"WINDIE_DATABASE_URL" doc:"PostgreSQL to keep state in, as postgres://windie:secret@db.example/windie, which several gateways may share; without it state is windie.db in data_dir"`
	MaxArtifactBytes int64  `key:"max_artifact_bytes" env:"WINDIE_MAX_ARTIFACT_BYTES" default:"26214400" min:"1" doc:"largest upload, in bytes"`

	ArtifactTTL time.Duration `key:"artifact_ttl" env:"WINDIE_ARTIFACT_TTL" default:"0s" hosted:"720h" min:"1m" zero:"for ever" doc:"how long an artifact is kept, as 720h, from when it is stored, unless it is marked to be kept; 0: for ever; default in hosted mode: 720h"`

	AuditTTL time.Duration `key:"audit_ttl" env:"WINDIE_AUDIT_TTL" default:"0s" hosted:"8760h" min:"1m" zero:"for ever" doc:"how long the records of calls of tools are kept; 0: for ever; default in hosted mode: 8760h"`

	Retention time.Duration `key:"retention" env:"WINDIE_RETENTION" default:"0s" hosted:"2160h" min:"1h" zero:"for ever" doc:"how long a conversation, a prompt and a run are kept after their last message or their end; 0: for ever; default in hosted mode: 2160h"`

	Quota quotaSettings `key:"quota"`

	OCR struct {
		Engine    string `key:"engine" env:"WINDIE_OCR_ENGINE" default:"windie" doc:"what reads screens: windie, the reader built in, with a network of its own, which knows Latin, Greek and Cyrillic; lstm, the same with networks of Tesseract alone; or tesseract, the program"`
		Languages string `key:"languages" env:"WINDIE_OCR_LANGUAGES" default:"eng" doc:"languages to read, as eng+chi_sim; eng and others in Latin, Greek and Cyrillic letters are one for the built-in reader"`
		Tessdata  string `key:"tessdata" env:"WINDIE_TESSDATA" is:"folder" doc:"folder of *.traineddata files; default: where packages install them, and for eng the binary"`
	} `key:"ocr"`

	Plugins struct {
		ScriptRuntime string `key:"script_runtime" env:"WINDIE_SCRIPT_RUNTIME" doc:"the file quickjs.wasm, which runs plugins in JavaScript; default: runtime/quickjs.wasm in data_dir"`

		PrivateHosts []string `key:"private_hosts" env:"WINDIE_PLUGIN_PRIVATE_HOSTS" doc:"registries that plugins may be fetched from though their addresses are private, as registry.lan:5000, or with http:// before it if it speaks plain HTTP, separated by commas; default: none"`
	} `key:"plugins"`

	MCP struct {
		File string `key:"file" env:"WINDIE_MCP_FILE" is:"file" doc:"file of MCP servers whose tools the gateway uses, in the form that desktop clients have, see docs/mcp.md; default: mcp.json in data_dir"`
	} `key:"mcp"`

	Models struct {
		Default   string `key:"default" env:"WINDIE_MODEL" doc:"id of the language model for sessions that choose none; default: the one that the catalogue says, whatever keys there are, and the built-in catalogue says plain commands"`
		High      string `key:"high" env:"WINDIE_MODEL_HIGH" doc:"id of the language model for prompts that ask for the high one; default: as models.default"`
		Catalogue string `key:"catalogue" env:"WINDIE_MODELS" is:"file" doc:"YAML file that says which providers and models there are; default: the built-in one"`
	} `key:"models"`

	Search struct {
		Provider string `key:"provider" env:"WINDIE_SEARCH_PROVIDER" doc:"what searches the web for the tool web_search: searxng or brave, or a server that answers as they do; without it there is no such tool"`
		URL      string `key:"url" env:"WINDIE_SEARCH_URL" doc:"start of that server's URLs, as http://127.0.0.1:8888; it may be inside of your network; default for brave: Brave's own"`
		APIKey   secret `key:"api_key" env:"WINDIE_SEARCH_API_KEY" doc:"key to that server, which brave asks for"`
	} `key:"search"`

	Agent agentSettings `key:"agent"`

	Embeddings embeddingSettings `key:"embeddings"`

	Runs runSettings `key:"runs"`

	Speech speechSettings `key:"speech"`

	Transcription transcriptionSettings `key:"transcription"`

	Vision struct {
		URL    string `key:"url" env:"WINDIE_VISION_URL" is:"url" doc:"server of the vision model, up to /chat/completions, as http://127.0.0.1:8000/v1; without it there is none"`
		Model  string `key:"model" env:"WINDIE_VISION_MODEL" doc:"what the server calls the vision model, as Qwen/Qwen2.5-VL-7B-Instruct"`
		APIKey secret `key:"api_key" env:"WINDIE_VISION_API_KEY" doc:"key to the server, if it wants one"`
	} `key:"vision"`

	SystemPrompt string `key:"system_prompt" env:"WINDIE_SYSTEM_PROMPT" default:"You are Windie, an assistant that looks at screens and uses tools for its user. Be brief. Say what you did, and when you could not." doc:"what language models are told before a conversation"`

	Token         secret `key:"token" env:"WINDIE_TOKEN" doc:"token of the install as which windie agent and windie worker talk to a hosted gateway"`
	OperatorToken secret `key:"operator_token" env:"WINDIE_OPERATOR_TOKEN" doc:"what a request that changes plugins must bring as its bearer token; without it, only this machine may"`

	OpenID openIDSettings `key:"oidc"`

	Limits limitSettings `key:"limits"`

	Budget budgetSettings `key:"budget"`

	S3 struct {
		Endpoint   string        `key:"endpoint" env:"WINDIE_S3_ENDPOINT" doc:"S3-compatible server, as https://s3.example.com; without it artifacts are files in data_dir"`
		Bucket     string        `key:"bucket" env:"WINDIE_S3_BUCKET" doc:"bucket to keep artifacts in"`
		Prefix     string        `key:"prefix" env:"WINDIE_S3_PREFIX" doc:"start of all object names, as windie/"`
		AccessKey  string        `key:"access_key" env:"WINDIE_S3_ACCESS_KEY" doc:"access key"`
		SecretKey  secret        `key:"secret_key" env:"WINDIE_S3_SECRET_KEY" doc:"secret key"`
		PresignTTL time.Duration `key:"presign_ttl" env:"WINDIE_S3_PRESIGN_TTL" default:"0s" min:"1s" max:"168h" zero:"from here" doc:"redirect downloads to the server with links that are good for so long; 0: serve them from here"`
	} `key:"s3"`

	Log struct {
		Level string `key:"level" env:"WINDIE_LOG_LEVEL" default:"info" one:"debug info warn error" doc:"debug, info, warn or error"`
	} `key:"log"`
}

// settings lists the fields of c in the order of declaration.
func settings(c *config) []setting {
	return fieldsOf(reflect.ValueOf(c).Elem(), "")
}

func fieldsOf(v reflect.Value, prefix string) []setting {
	var list []setting
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		tag := v.Type().Field(i).Tag
		key := prefix + tag.Get("key")
		if v.Field(i).Kind() == reflect.Struct {
			list = append(list, fieldsOf(v.Field(i), key+".")...)
			continue
		}
		list = append(list, setting{key, tag.Get("env"), tag.Get("default"), tag.Get("hosted"), tag.Get("doc"), tag.Get("is"), tag.Get("one"), tag.Get("min"), tag.Get("max"), tag.Get("zero"), v.Field(i)})
	}
	return list
}

// defaultDataDir returns the default data folder: that of the XDG base directory specification, or
// windie-data without a home folder.
func defaultDataDir(getenv func(string) string) string {
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "windie")
	}
	if home := getenv("HOME"); home != "" && home != "/" {
		return filepath.Join(home, ".local", "share", "windie")
	}
	return "windie-data"
}

func (c *config) tempDir() string { return filepath.Join(c.DataDir, "tmp") }

func (c *config) databaseConfig() database.Config {
	return database.Config{URL: string(c.DatabaseURL), File: filepath.Join(c.DataDir, "windie.db")}
}
