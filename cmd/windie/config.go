package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/perception/lstm"
	"github.com/windieos/windie/perception/vlm"
	"github.com/windieos/windie/sdkapi"
)

// config is every setting. Each can be given in a YAML file under its key, in the
// environment, or as a flag named like the key; flags win over the environment,
// that over the file. The tag hosted is the default in hosted mode if it differs. The tag is says what a path is of, file
// or folder, and ends in ? where nothing has to be there yet.
type config struct {
	sources map[string]sdkapi.SettingSource // where each setting comes from, by its key; absent: by default

	Mode           string   `key:"mode" env:"WINDIE_MODE" default:"local" one:"local hosted" doc:"who may use the gateway: local, everybody on this machine; or hosted, whoever brings the token that each client registers for"`
	Listen         string   `key:"listen" env:"WINDIE_LISTEN" default:"127.0.0.1:8765" doc:"address and port to serve on"`
	TrustedNetwork bool     `key:"trusted_network" env:"WINDIE_TRUSTED_NETWORK" default:"false" doc:"in local mode, allow an address that is not loopback, though no route asks for a token: for networks where everybody may use the gateway, as in a container published on 127.0.0.1"`
	PublicURL      string   `key:"public_url" env:"WINDIE_PUBLIC_URL" is:"url" doc:"start of the URLs given out, behind a proxy; default: what the request was sent to"`
	AllowedOrigins []string `key:"allowed_origins" env:"WINDIE_ALLOWED_ORIGINS" doc:"web origins whose pages may call the gateway, separated by commas; file:// and null are pages of desktop programs, and null is also any page that hides where it is from"`
	PathPrefix     string   `key:"path_prefix" env:"WINDIE_PATH_PREFIX" doc:"path below which all routes are served too, as /windie, for a proxy that does not take it away"`
	HTTPTools      []string `key:"http_tools" env:"WINDIE_HTTP_TOOLS" doc:"tools that HTTP lists and calls, as names or patterns as ocr.*, separated by commas; default: all"`
	OpenAITools    []string `key:"openai_tools" env:"WINDIE_OPENAI_TOOLS" doc:"tools that models may use in answers at /openai/v1, of those that change nothing, as names or patterns as ocr.*, separated by commas, see docs/http-api.md; default: none"`
	TrustedProxies []string `key:"trusted_proxies" env:"WINDIE_TRUSTED_PROXIES" doc:"addresses and networks of proxies, as 10.0.0.0/8, separated by commas, whose X-Forwarded-For says where a request comes from"`

	DrainTimeout time.Duration `key:"drain_timeout" env:"WINDIE_DRAIN_TIMEOUT" default:"30s" min:"100ms" max:"1h" doc:"how long requests and agents' turns may go on once told to stop; a turn that takes longer goes on when a gateway runs again"`
	DrainDelay   time.Duration `key:"drain_delay" env:"WINDIE_DRAIN_DELAY" default:"0s" doc:"how much of drain_timeout all goes on as before, though /ready says no: as long as a load balancer takes to notice"`

	DataDir          string `key:"data_dir" env:"WINDIE_DATA_DIR" is:"folder?" doc:"folder for everything that is kept"`
	DatabaseURL      secret `key:"database_url" env:"WINDIE_DATABASE_URL" doc:"PostgreSQL to keep state in, as postgres://windie:secret@db.example/windie, which several gateways may share; without it state is windie.db in data_dir"`
	MaxArtifactBytes int64  `key:"max_artifact_bytes" env:"WINDIE_MAX_ARTIFACT_BYTES" default:"26214400" min:"1" doc:"largest upload, in bytes"`

	ArtifactTTL time.Duration `key:"artifact_ttl" env:"WINDIE_ARTIFACT_TTL" default:"0s" hosted:"720h" min:"1m" zero:"for ever" doc:"how long an artifact is kept, as 720h, from when it is stored, unless it is marked to be kept; 0: for ever; default in hosted mode: 720h"`

	ScrubRate int64 `key:"scrub_rate" env:"WINDIE_SCRUB_RATE" default:"8388608" min:"65536" zero:"never" doc:"bytes in a second that the gateway reads to look through all artifacts for damage, once a week, see docs/operate.md; 0: it does not"`

	AuditTTL time.Duration `key:"audit_ttl" env:"WINDIE_AUDIT_TTL" default:"0s" hosted:"8760h" min:"1m" zero:"for ever" doc:"how long the records of calls of tools are kept; 0: for ever; default in hosted mode: 8760h"`

	Retention retentionSettings `key:"retention"`
	Quota     quotaSettings     `key:"quota"`

	SessionIdle time.Duration `key:"session_idle" env:"WINDIE_SESSION_IDLE" default:"24h" min:"1m" max:"8760h" doc:"how long nothing may be said in a session of the general agent service before it is gone, see docs/protocols.md"`

	MemoryBudget int64 `key:"memory_budget" env:"WINDIE_MEMORY_BUDGET" default:"0" min:"67108864" zero:"a share of the memory" doc:"memory for decoded images, work on them, and plugins that run, in bytes; 0: seven sixteenths of the container's or machine's memory"`
	SharedCaches bool  `key:"shared_caches" env:"WINDIE_SHARED_CACHES" default:"false" doc:"in hosted mode, let users share what was read before: screens that several see are read once, and the time an answer takes tells each whether another had the same screen or line"`

	OCR struct {
		Engine     string        `key:"engine" env:"WINDIE_OCR_ENGINE" default:"windie" doc:"what reads screens: windie, the reader built in, with a network of its own, which knows Latin, Greek and Cyrillic; lstm, the same with networks of Tesseract alone; or tesseract, the program"`
		Languages  string        `key:"languages" env:"WINDIE_OCR_LANGUAGES" default:"eng" doc:"languages to read, as eng+chi_sim; eng and others in Latin, Greek and Cyrillic letters are one for the built-in reader"`
		Tessdata   string        `key:"tessdata" env:"WINDIE_TESSDATA" is:"folder" doc:"folder of *.traineddata files; default: where packages install them, and for eng the binary"`
		Kernel     string        `key:"kernel" env:"WINDIE_OCR_KERNEL" doc:"what the built-in reader computes with, as portable, to compare: all read alike; default: the fastest that the processor has, which windie doctor names"`
		Tesseract  string        `key:"tesseract" env:"WINDIE_TESSERACT" default:"tesseract" doc:"the tesseract program, as a name or a path, for ocr.engine tesseract"`
		CacheBytes int64         `key:"cache_bytes" env:"WINDIE_OCR_CACHE_BYTES" default:"0" min:"1" zero:"a share of the memory" doc:"memory for screens and lines read before, in bytes; 0: a thirty-second of the container's or machine's memory, and at most 256 MiB"`
		Timeout    time.Duration `key:"timeout" env:"WINDIE_OCR_TIMEOUT" default:"60s" min:"1s" doc:"longest time to read one screen, waiting included"`
	} `key:"ocr"`

	Plugins struct {
		Dir           string `key:"dir" env:"WINDIE_PLUGIN_DIR" is:"folder?" doc:"folder of plugins; default: plugins in data_dir"`
		Grants        string `key:"grants" env:"WINDIE_PLUGIN_GRANTS" is:"file?" doc:"file that says what plugins may do; default: grants.json in data_dir"`
		CacheBytes    int64  `key:"cache_bytes" env:"WINDIE_PLUGIN_CACHE_BYTES" default:"1073741824" min:"1" doc:"disk for compiled plugins, in bytes"`
		ModuleBytes   int64  `key:"module_bytes" env:"WINDIE_PLUGIN_MODULE_BYTES" default:"67108864" min:"1" max:"268435456" doc:"size of a plugin's file at most, in bytes"`
		Trust         string `key:"trust" env:"WINDIE_PLUGIN_TRUST" is:"file" doc:"file that says whose plugins are trusted, see docs/plugins.md#signatures; default: plugin-trust.json in data_dir"`
		ScriptRuntime string `key:"script_runtime" env:"WINDIE_SCRIPT_RUNTIME" doc:"the file quickjs.wasm, which runs plugins in JavaScript; default: runtime/quickjs.wasm in data_dir"`

		PrivateHosts []string `key:"private_hosts" env:"WINDIE_PLUGIN_PRIVATE_HOSTS" doc:"registries that plugins may be fetched from though their addresses are private, as registry.lan:5000, or with http:// before it if it speaks plain HTTP, separated by commas; default: none"`
	} `key:"plugins"`

	MCP struct {
		File string `key:"file" env:"WINDIE_MCP_FILE" is:"file" doc:"file of MCP servers whose tools the gateway uses, in the form that desktop clients have, see docs/mcp.md; default: mcp.json in data_dir"`

		SessionTTL time.Duration `key:"session_ttl" env:"WINDIE_MCP_SESSION_TTL" default:"1h" min:"1m" max:"24h" doc:"how long an MCP client that has a session may say nothing before it has to begin another"`
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

	Memory memorySettings `key:"memory"`

	Embeddings embeddingSettings `key:"embeddings"`

	Runs runSettings `key:"runs"`

	Speech speechSettings `key:"speech"`

	Transcription transcriptionSettings `key:"transcription"`

	Vision struct {
		URL     string        `key:"url" env:"WINDIE_VISION_URL" is:"url" doc:"server of the vision model, up to /chat/completions, as http://127.0.0.1:8000/v1; without it there is none"`
		Model   string        `key:"model" env:"WINDIE_VISION_MODEL" doc:"what the server calls the vision model, as Qwen/Qwen2.5-VL-7B-Instruct"`
		APIKey  secret        `key:"api_key" env:"WINDIE_VISION_API_KEY" doc:"key to the server, if it wants one"`
		Family  string        `key:"family" env:"WINDIE_VISION_FAMILY" doc:"what the model descends from, as qwen2.5-vl; default: what its name says"`
		Timeout time.Duration `key:"timeout" env:"WINDIE_VISION_TIMEOUT" default:"20s" min:"1s" doc:"longest time to ask the vision model about one screen"`
	} `key:"vision"`

	SystemPrompt string `key:"system_prompt" env:"WINDIE_SYSTEM_PROMPT" default:"You are Windie, an assistant that looks at screens and uses tools for its user. Be brief. Say what you did, and when you could not." doc:"what language models are told before a conversation"`
	PromptDir    string `key:"prompt_dir" env:"WINDIE_PROMPT_DIR" is:"folder" doc:"folder of templates that prompts are made of, system.tmpl and repository.tmpl, as docs/agent.md describes; default: the built-in ones"`

	OperatorToken secret `key:"operator_token" env:"WINDIE_OPERATOR_TOKEN" doc:"what a request that changes plugins must bring as its bearer token; without it, only this machine may"`

	OpenID openIDSettings `key:"oidc"`

	Limits limitSettings `key:"limits"`

	Budget budgetSettings `key:"budget"`

	OTLPEndpoint string `key:"otlp_endpoint" env:"WINDIE_OTLP_ENDPOINT" is:"url" doc:"collector of OpenTelemetry to send traces to, as http://collector:4318; default: what OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_ENDPOINT say, and else no traces"`

	S3 struct {
		Endpoint     string        `key:"endpoint" env:"WINDIE_S3_ENDPOINT" doc:"S3-compatible server, as https://s3.example.com; without it artifacts are files in data_dir"`
		Bucket       string        `key:"bucket" env:"WINDIE_S3_BUCKET" doc:"bucket to keep artifacts in"`
		Prefix       string        `key:"prefix" env:"WINDIE_S3_PREFIX" doc:"start of all object names, as windie/"`
		Region       string        `key:"region" env:"WINDIE_S3_REGION" doc:"region of the bucket; default: the server's"`
		AccessKey    string        `key:"access_key" env:"WINDIE_S3_ACCESS_KEY" doc:"access key"`
		SecretKey    secret        `key:"secret_key" env:"WINDIE_S3_SECRET_KEY" doc:"secret key"`
		PathStyle    bool          `key:"path_style" env:"WINDIE_S3_PATH_STYLE" default:"true" doc:"put the bucket into the path and not into the host name"`
		SSE          string        `key:"sse" env:"WINDIE_S3_SSE" doc:"server-side encryption: empty, s3, or kms:KEY-ID"`
		CreateBucket bool          `key:"create_bucket" env:"WINDIE_S3_CREATE_BUCKET" default:"false" doc:"make the bucket if it is not there"`
		PresignTTL   time.Duration `key:"presign_ttl" env:"WINDIE_S3_PRESIGN_TTL" default:"0s" min:"1s" max:"168h" zero:"from here" doc:"redirect downloads to the server with links that are good for so long; 0: serve them from here"`
	} `key:"s3"`

	Log struct {
		Level  string `key:"level" env:"WINDIE_LOG_LEVEL" default:"info" one:"debug info warn error" doc:"debug, info, warn or error"`
		Format string `key:"format" env:"WINDIE_LOG_FORMAT" default:"auto" one:"auto text json" doc:"text, json, or auto: text on a terminal"`
	} `key:"log"`
}

// secret is a setting that cannot be printed by accident.
type secret string

func (s secret) String() string {
	if s == "" {
		return ""
	}
	return "[set]"
}

// GoString keeps the secret from %#v.
func (s secret) GoString() string { return s.String() }

// MarshalText keeps the secret from JSON, YAML and structured logs.
func (s secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// configError lists all problems of the settings.
type configError struct{ problems []string }

func (e *configError) add(bad bool, format string, args ...any) {
	if bad {
		e.problems = append(e.problems, fmt.Sprintf(format, args...))
	}
}

// orNil returns e if it has a problem.
func (e *configError) orNil() error {
	if len(e.problems) == 0 {
		return nil
	}
	return e
}

func (e *configError) Error() string {
	return "the settings have problems:\n  - " + strings.Join(e.problems, "\n  - ")
}

// setting is one field of config.
type setting struct {
	key, env, preset, hosted, doc string
	is                            string // what a text names: file, folder, with ? where nothing has to be there yet; or url
	one                           string // the texts that it may be, separated by spaces
	min, max                      string // of a number or a time; without min 0
	zero                          string // what 0 means, where it may also be 0
	value                         reflect.Value
}

// wrong says what is wrong with the setting's value by itself, empty for nothing.
func (s setting) wrong() string {
	switch v := s.value.Interface().(type) {
	case string:
		return s.wrongText(v)
	case int, int64:
		return s.outside(float64(s.value.Int()), func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
	case float64:
		return s.outside(v, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
	case time.Duration:
		return s.outside(float64(v), func(text string) (float64, error) {
			d, err := time.ParseDuration(text)
			return float64(d), err
		})
	}
	return ""
}

func (s setting) wrongText(text string) string {
	if list := strings.Fields(s.one); len(list) > 0 && !slices.Contains(list, text) {
		return fmt.Sprintf("%q is not one of: %s", text, strings.Join(list, ", "))
	}
	if s.is != "url" {
		return s.wrongPath()
	}
	if text != "" && !isWebURL(text) {
		return fmt.Sprintf("%q is not a URL as https://windie.example.com", text)
	}
	return ""
}

// outside says which values the setting may have if n, which read makes of its text, is none of them.
func (s setting) outside(n float64, read func(text string) (float64, error)) string {
	least, err := read(cmp.Or(s.min, "0"))
	most := math.Inf(1)
	if err == nil && s.max != "" {
		most, err = read(s.max)
	}
	if err != nil || n >= least && n <= most || n == 0 && s.zero != "" {
		return ""
	}
	say := "must be "
	if s.zero != "" {
		say += "0, which is " + s.zero + ", or "
	}
	if s.max == "" {
		return say + "at least " + cmp.Or(s.min, "0")
	}
	return say + "between " + cmp.Or(s.min, "0") + " and " + s.max
}

// wrongPath says what is wrong with what lies at the setting's path, empty for nothing.
func (s setting) wrongPath() string {
	path := s.value.String()
	kind, later := strings.CutSuffix(s.is, "?")
	if kind == "" || path == "" {
		return ""
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && later:
		return ""
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("there is no %s %s; make it, or leave the setting out", kind, path)
	case err == nil && info.IsDir() != (kind == "folder"):
		return fmt.Sprintf("%s is no %s; name one, or leave the setting out", path, kind)
	case err == nil:
		var f *os.File
		if f, err = os.Open(path); err == nil {
			err = f.Close()
		}
	}
	if err != nil {
		return fmt.Sprintf("this user cannot read it: %v", err)
	}
	return ""
}

// flag is how the setting is called on the command line.
func (s setting) flag() string { return strings.NewReplacer(".", "-", "_", "-").Replace(s.key) }

// kind names the type of the setting's values.
func (s setting) kind() string {
	switch s.value.Interface().(type) {
	case bool:
		return "bool"
	case int, int64:
		return "int"
	case float64:
		return "float"
	case time.Duration:
		return "duration"
	case []string:
		return "list"
	}
	return "string"
}

func (s setting) secret() bool { return s.value.Type() == reflect.TypeFor[secret]() }

// settings lists the fields of c in the order declared.
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

// defaultDataDir returns the data folder of a gateway whose settings name none:
// that of the XDG base directory specification, or windie-data without a home.
func defaultDataDir(getenv func(string) string) string {
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "windie")
	}
	if home := getenv("HOME"); home != "" && home != "/" {
		return filepath.Join(home, ".local", "share", "windie")
	}
	return "windie-data"
}

var (
	hostPattern      = regexp.MustCompile(`^([A-Za-z0-9_-]+\.)*[A-Za-z0-9_-]*[A-Za-z_-][A-Za-z0-9_-]*\.?$`) // its last part is no number
	prefixPattern    = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)+$`)
	languagesPattern = regexp.MustCompile(`^[A-Za-z0-9_]+(\+[A-Za-z0-9_]+)*$`)
)

// check lists invalid values. It touches nothing outside the process.
func (c *config) check() []string {
	var p configError
	add := p.add
	if err := c.checkListen(); err != nil {
		add(true, "%v", err)
	}
	c.checkHosting(&p)
	for _, o := range c.AllowedOrigins {
		add(!isOrigin(o), "allowed_origins (WINDIE_ALLOWED_ORIGINS): %q is not an origin as https://app.example.com, file:// or null", o)
	}
	add(c.PathPrefix != "" && !prefixPattern.MatchString(c.PathPrefix), "path_prefix (WINDIE_PATH_PREFIX): %q is not a path as /windie", c.PathPrefix)
	for _, pattern := range c.HTTPTools {
		_, err := path.Match(pattern, "")
		add(err != nil, "http_tools (WINDIE_HTTP_TOOLS): %q is not a pattern as ocr.*", pattern)
	}
	for _, pattern := range c.OpenAITools {
		_, err := path.Match(pattern, "")
		add(err != nil, "openai_tools (WINDIE_OPENAI_TOOLS): %q is not a pattern as ocr.*", pattern)
	}
	add(c.DrainDelay < 0 || c.DrainDelay >= c.DrainTimeout, "drain_delay (WINDIE_DRAIN_DELAY): must be at least 0s, and shorter than drain_timeout, which is %v", c.DrainTimeout)
	for _, s := range settings(c) {
		wrong := s.wrong()
		add(wrong != "", "%s (%s): %s", s.key, s.env, wrong)
	}
	add(c.DataDir == "", "data_dir (WINDIE_DATA_DIR): is empty; name a folder")
	add(c.DatabaseURL != "" && !isPostgresURL(string(c.DatabaseURL)), "database_url (WINDIE_DATABASE_URL): is not a URL as postgres://windie:secret@db.example/windie")
	c.checkOpenID(&p)
	add(engines[c.OCR.Engine] == nil, "ocr.engine (WINDIE_OCR_ENGINE): %q is not one of: %s", c.OCR.Engine, strings.Join(slices.Sorted(maps.Keys(engines)), ", "))
	add(!languagesPattern.MatchString(c.OCR.Languages), "ocr.languages (WINDIE_OCR_LANGUAGES): %q is not a list as eng+deu", c.OCR.Languages)
	add(c.OCR.Kernel != "" && !slices.Contains(lstm.Kernels(), c.OCR.Kernel), "ocr.kernel (WINDIE_OCR_KERNEL): %q is not one that this processor has: %s", c.OCR.Kernel, strings.Join(lstm.Kernels(), ", "))
	add((c.Vision.URL == "") != (c.Vision.Model == ""), "vision.url and vision.model (WINDIE_VISION_URL, WINDIE_VISION_MODEL): one is of no use without the other")
	add(c.Vision.Family != "" && !slices.Contains(vlm.Families(), c.Vision.Family), "vision.family (WINDIE_VISION_FAMILY): %q is not one of: %s", c.Vision.Family, strings.Join(vlm.Families(), ", "))
	for _, host := range c.Plugins.PrivateHosts {
		add(!isHost(strings.TrimPrefix(host, "http://")), "plugins.private_hosts (WINDIE_PLUGIN_PRIVATE_HOSTS): %q is not as registry.lan:5000 or http://registry.lan:5000", host)
	}
	p.problems = slices.Concat(p.problems, c.checkSearch(), c.Memory.check(), c.Embeddings.check(), c.Runs.check(), c.Speech.check(), c.Transcription.check())
	add(c.OperatorToken != "" && len(c.OperatorToken) < minToken, "operator_token (WINDIE_OPERATOR_TOKEN): must have at least %d bytes, as openssl rand -hex 32 gives", minToken)
	c.checkS3(&p)
	return p.problems
}

// Bounds of settings.
const (
	minToken     = 16       // bytes: a token that cannot be guessed
	minScrubRate = 64 << 10 // bytes in a second: less would never end
)

// checkListen refuses an address that other machines reach if no route asks for a token.
func (c *config) checkListen() error {
	const name = "listen (WINDIE_LISTEN): "
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf(name+"%q is not an address with a port, as 127.0.0.1:8765", c.Listen)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return fmt.Errorf(name+"%q is not a port", port)
	}
	ip, err := netip.ParseAddr(host)
	if host != "" && err != nil && !hostPattern.MatchString(host) {
		return fmt.Errorf(name+"%q is neither an IP address, as 127.0.0.1, nor the name of a host", host)
	}
	if host == "localhost" || err == nil && ip.IsLoopback() || c.TrustedNetwork || c.Mode == hostedMode {
		return nil
	}
	return errors.New(name + c.Listen + " can be reached from other machines, and no route asks for a token: " +
		"listen on 127.0.0.1, set WINDIE_MODE=hosted to ask for one, or WINDIE_TRUSTED_NETWORK=true if everybody who can reach it may use it")
}

func isWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && isPort(u.Port()) && u.RawQuery == "" && u.Fragment == ""
}

// isPort reports whether s is empty, or the number of a port that one can connect to.
func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return s == "" || err == nil && n > 0
}

// isHost reports whether s is a host, perhaps with a port.
func isHost(s string) bool {
	u, err := url.Parse("https://" + s)
	return err == nil && u.Host == s && u.Hostname() != "" && isPort(u.Port())
}

func isPostgresURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") && u.Host != "" && isPort(u.Port())
}

func isOrigin(s string) bool {
	if s == originFile || s == originNull {
		return true
	}
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && u.Host != "" && s == u.Scheme+"://"+u.Host
}

// The origins of pages that come from no server. Any page can make its origin null.
const (
	originFile = "file://"
	originNull = "null"
)

// makeDirs makes the data folder, private to this user.
func (c *config) makeDirs() error {
	if err := c.half(); err != nil {
		return err
	}
	err := os.MkdirAll(c.DataDir, 0o700)
	if err == nil {
		err = os.Mkdir(c.tempDir(), 0o700)
		if err == nil {
			err = newfile.InheritAll(c.tempDir())
		} else if info, statErr := os.Stat(c.tempDir()); statErr == nil && info.IsDir() {
			err = nil // it was there
		}
	}
	if err != nil {
		return &configError{[]string{fmt.Sprintf("data_dir (WINDIE_DATA_DIR): cannot make the folder: %v", err)}}
	}
	return nil
}

func (c *config) tempDir() string { return filepath.Join(c.DataDir, "tmp") }
