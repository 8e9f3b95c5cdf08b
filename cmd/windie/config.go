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
// over the file. The tag "hosted" is the default in hosted mode if it differs. The tag "is" says
// whether a path names a file or a folder. A final ? means that the path may be missing.
type config struct {
	sources map[string]sdkapi.SettingSource // source of each setting, by key; absent: the default
	// URL of the OpenTelemetry collector, from OpenTelemetry's own variables; empty: none
	otlp string

	Mode           string   `key:"mode" env:"WINDIE_MODE" default:"local" one:"local hosted" doc:"who may use the gateway: everybody on this machine (local), or only clients with a token (hosted)"`
	Listen         string   `key:"listen" env:"WINDIE_LISTEN" default:"127.0.0.1:8765" doc:"address and port to listen on"`
	TrustedNetwork bool     `key:"trusted_network" env:"WINDIE_TRUSTED_NETWORK" default:"false" doc:"let local mode listen on an address that is not loopback; local mode requires no token, so set this only if everybody who can reach the address may use the gateway, for example in a container published on 127.0.0.1"`
	PublicURL      string   `key:"public_url" env:"WINDIE_PUBLIC_URL" is:"url" doc:"public URL of a gateway behind a proxy; URLs in the gateway's responses begin with it (default the URL of the request)"`
	AllowedOrigins []string `key:"allowed_origins" env:"WINDIE_ALLOWED_ORIGINS" doc:"web origins whose pages may call the gateway, separated by commas; file:// and null allow pages of desktop programs, and null also allows any page that hides its origin"`
	PathPrefix     string   `key:"path_prefix" env:"WINDIE_PATH_PREFIX" doc:"extra URL prefix, for example /windie, for proxies that do not strip it"`
	OpenAITools    []string `key:"openai_tools" env:"WINDIE_OPENAI_TOOLS" doc:"read-only tools that models may use at /openai/v1, separated by commas: names or patterns, for example ocr.*; see docs/http-api.md (default none)"`
	TrustedProxies []string `key:"trusted_proxies" env:"WINDIE_TRUSTED_PROXIES" doc:"addresses and networks of trusted proxies, for example 10.0.0.0/8, separated by commas; the gateway takes the client's address from their X-Forwarded-For"`

	DrainTimeout time.Duration `key:"drain_timeout" env:"WINDIE_DRAIN_TIMEOUT" default:"30s" min:"100ms" max:"1h" doc:"time for requests and agents' turns to finish after the stop signal; an unfinished turn resumes when a gateway runs again"`
	DrainDelay   time.Duration `key:"drain_delay" env:"WINDIE_DRAIN_DELAY" default:"0s" doc:"time for a load balancer to notice the stop signal; during this time, /ready returns 503, but the gateway still accepts requests; drain_timeout includes this time"`

	DataDir          string `key:"data_dir" env:"WINDIE_DATA_DIR" is:"folder?" doc:"folder for all data"`
	SharedDir        string `key:"shared_dir" env:"WINDIE_SHARED_DIR" is:"folder?" doc:"folder that several gateways share, for memory, plugins, permissions of plugins, and trusted authors of plugins (default data_dir)"`
	DatabaseURL      secret `key:"database_url" env:"WINDIE_DATABASE_URL" doc:"PostgreSQL database for state, for example postgres://windie:secret@db.example/windie; several gateways may share it (default windie.db in data_dir)"`
	MaxArtifactBytes int64  `key:"max_artifact_bytes" env:"WINDIE_MAX_ARTIFACT_BYTES" default:"26214400" min:"1" doc:"maximum size of an upload, in bytes"`

	ArtifactTTL time.Duration `key:"artifact_ttl" env:"WINDIE_ARTIFACT_TTL" default:"0s" hosted:"720h" min:"1m" zero:"forever" doc:"retention of an artifact after it is stored, for example 720h; this limit does not apply to artifacts marked to be kept; 0 keeps all artifacts forever (default 720h in hosted mode)"`

	AuditTTL time.Duration `key:"audit_ttl" env:"WINDIE_AUDIT_TTL" default:"0s" hosted:"8760h" min:"1m" zero:"forever" doc:"retention of the records of tool calls; 0 keeps them forever (default 8760h in hosted mode)"`

	Retention time.Duration `key:"retention" env:"WINDIE_RETENTION" default:"0s" hosted:"2160h" min:"1h" zero:"forever" doc:"retention of a conversation after its last message, and of a prompt or run after its end; 0 keeps them forever (default 2160h in hosted mode)"`

	Quota quotaSettings `key:"quota"`

	OCR struct {
		Engine    string `key:"engine" env:"WINDIE_OCR_ENGINE" default:"windie" doc:"OCR engine: windie (the built-in reader for Latin, Greek and Cyrillic), or tesseract (the installed program)"`
		Languages string `key:"languages" env:"WINDIE_OCR_LANGUAGES" default:"eng" doc:"languages to read, for example eng+chi_sim; if the list has a language in Latin, Greek or Cyrillic letters, the built-in reader reads all such languages"`
		Tessdata  string `key:"tessdata" env:"WINDIE_TESSDATA" is:"folder" doc:"folder with *.traineddata files (default: where the system's Tesseract packages install them; eng is built in)"`
	} `key:"ocr"`

	Plugins struct {
		ScriptRuntime string `key:"script_runtime" env:"WINDIE_SCRIPT_RUNTIME" doc:"the file quickjs.wasm, which runs JavaScript plugins (default runtime/quickjs.wasm in data_dir)"`

		PrivateHosts []string `key:"private_hosts" env:"WINDIE_PLUGIN_PRIVATE_HOSTS" doc:"plugin registries that may have private addresses, for example registry.lan:5000, separated by commas; http:// before a name means plain HTTP (default none)"`
	} `key:"plugins"`

	MCP struct {
		File string `key:"file" env:"WINDIE_MCP_FILE" is:"file" doc:"file that lists MCP servers, in the format of desktop clients; the gateway uses the tools of these servers; see docs/mcp.md (default mcp.json in data_dir)"`

		Tools []string `key:"tools" env:"WINDIE_MCP_TOOLS" doc:"only tools that MCP clients may list and call, separated by commas: names, patterns such as ocr_*, or all; if empty, clients may call all tools, and the list omits some; see docs/mcp.md"`

		Clients []string `key:"clients" env:"WINDIE_MCP_CLIENTS" doc:"tools to list for MCP clients by the name that they give themselves, separated by commas: client=tool, for example codex=ocr_*,codex=vision_overlay; clients may still call the other tools (default none)"`
	} `key:"mcp"`

	Models struct {
		Default   string `key:"default" env:"WINDIE_MODEL" doc:"ID of the default language model (default: the catalogue's default model; in the built-in catalogue, this is commander, which needs no provider)"`
		High      string `key:"high" env:"WINDIE_MODEL_HIGH" doc:"ID of the language model for prompts that request the model \"high\" (default models.default)"`
		Catalogue string `key:"catalogue" env:"WINDIE_MODELS" is:"file" doc:"YAML file with the catalogue of providers and models (default the built-in catalogue)"`
	} `key:"models"`

	Search struct {
		Provider string `key:"provider" env:"WINDIE_SEARCH_PROVIDER" doc:"web search provider: searxng or brave; if empty, the tool web_search is off"`
		URL      string `key:"url" env:"WINDIE_SEARCH_URL" doc:"URL of the search server, for example http://127.0.0.1:8888; private addresses are allowed (default for brave: Brave's server)"`
		APIKey   secret `key:"api_key" env:"WINDIE_SEARCH_API_KEY" doc:"API key of the search server; brave requires one"`
	} `key:"search"`

	Agent agentSettings `key:"agent"`

	Embeddings embeddingSettings `key:"embeddings"`

	Runs runSettings `key:"runs"`

	Speech speechSettings `key:"speech"`

	Transcription transcriptionSettings `key:"transcription"`

	Vision struct {
		URL    string `key:"url" env:"WINDIE_VISION_URL" is:"url" doc:"URL of the vision model's server, without the final /chat/completions, for example http://127.0.0.1:8000/v1; if empty, no vision model is used"`
		Model  string `key:"model" env:"WINDIE_VISION_MODEL" doc:"name of the vision model on its server, for example Qwen/Qwen2.5-VL-7B-Instruct"`
		Eyes   bool   `key:"eyes" env:"WINDIE_VISION_EYES" default:"true" doc:"whether the vision model accepts images; if false, the model gets lines of text about elements, and chooses one if the built-in rules do not find exactly one"`
		APIKey secret `key:"api_key" env:"WINDIE_VISION_API_KEY" doc:"API key of the vision model's server, if it requires one"`
	} `key:"vision"`

	SystemPrompt string `key:"system_prompt" env:"WINDIE_SYSTEM_PROMPT" default:"You are Windie, an assistant that looks at screens and uses tools for its user. Be brief. Say what you did, and when you could not." doc:"system prompt of every conversation"`

	Token         secret `key:"token" env:"WINDIE_TOKEN" doc:"token that windie agent and windie worker send to a hosted gateway"`
	OperatorToken secret `key:"operator_token" env:"WINDIE_OPERATOR_TOKEN" doc:"bearer token of the operator, who may change plugins; if empty, only requests from this machine may change plugins"`

	OpenID openIDSettings `key:"oidc"`

	OAuth oauthSettings `key:"oauth"`

	Limits limitSettings `key:"limits"`

	Budget budgetSettings `key:"budget"`

	S3 struct {
		Endpoint   string        `key:"endpoint" env:"WINDIE_S3_ENDPOINT" doc:"URL of an S3-compatible server, for example https://s3.example.com; if empty, artifacts are files in data_dir"`
		Bucket     string        `key:"bucket" env:"WINDIE_S3_BUCKET" doc:"bucket for artifacts"`
		Prefix     string        `key:"prefix" env:"WINDIE_S3_PREFIX" doc:"prefix of all object names, for example windie/"`
		AccessKey  string        `key:"access_key" env:"WINDIE_S3_ACCESS_KEY" doc:"access key"`
		SecretKey  secret        `key:"secret_key" env:"WINDIE_S3_SECRET_KEY" doc:"secret key"`
		PresignTTL time.Duration `key:"presign_ttl" env:"WINDIE_S3_PRESIGN_TTL" default:"0s" min:"1s" max:"168h" zero:"served by the gateway" doc:"validity of links to the S3 server; the gateway redirects downloads to these links; 0 means that the gateway sends the files itself"`
	} `key:"s3"`

	Log struct {
		Level string `key:"level" env:"WINDIE_LOG_LEVEL" default:"info" one:"debug info warn error" doc:"log level: debug, info, warn or error"`
	} `key:"log"`
}

// settings lists the fields of c in the order of declaration.
func settings(c *config) []setting {
	return fieldsOf(reflect.ValueOf(c).Elem(), "")
}

// fieldsOf lists the exported fields of the struct v, and of the structs in it. Each key begins
// with prefix.
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

// tempDir returns the folder for temporary files. makeDirs creates it; a starting gateway deletes
// entries older than staleAfter.
func (c *config) tempDir() string { return filepath.Join(c.DataDir, "tmp") }

// databaseConfig returns the configuration of the database. If DatabaseURL is set, the file is not
// used.
func (c *config) databaseConfig() database.Config {
	return database.Config{URL: string(c.DatabaseURL), File: filepath.Join(c.DataDir, "windie.db")}
}
