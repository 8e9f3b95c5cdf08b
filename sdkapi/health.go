package sdkapi

// Paths of the health routes.
const (
	HealthPath = "/health" // GET reports whether the gateway runs, and which parts of it work
	ReadyPath  = "/ready"  // GET reports whether the gateway accepts requests
)

// Health is the response of HealthPath and ReadyPath.
type Health struct {
	Healthy  bool    `json:"healthy" doc:"Whether every part of the gateway works. At /ready, also whether the gateway accepts requests."`
	Version  string  `json:"version" doc:"The gateway's version." example:"0.1.0"`
	UptimeMS int64   `json:"uptime_ms" doc:"Milliseconds since the gateway started."`
	Checks   []Check `json:"checks" doc:"One check for each part of the gateway."`
}

// Check reports whether one part of the gateway works.
type Check struct {
	Name    string `json:"name" example:"ocr"`
	OK      bool   `json:"ok"`
	Message string `json:"message" doc:"State of the part, or what is missing and how to fix it." example:"windie avx2 (eng)"`
}

// MetricsPath serves the gateway's metrics in the format of Prometheus.
const MetricsPath = "/metrics"
