package gateway

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"

	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/sdkapi"
)

// addMetrics adds the route of the metrics, which only operators may read.
func (s *Server) addMetrics() {
	s.App.Use(sdkapi.MetricsPath, Recognize)
	figures := adaptor.HTTPHandler(s.metrics.Handler())
	AddRaw(s, huma.Operation{
		OperationID: "metrics", Method: http.MethodGet, Path: sdkapi.MetricsPath, Tags: []string{"gateway"}, Security: AsksForOperator,
		Summary:     "Get metrics",
		Description: "Returns metrics in the text format of Prometheus, each with a help line.",
		Responses: map[string]*huma.Response{"200": {Description: "The metrics.", Content: map[string]*huma.MediaType{
			fiber.MIMETextPlain: {Schema: &huma.Schema{Type: huma.TypeString}},
		}}},
		Errors: []int{401, 403},
	}, func(c *fiber.Ctx) error {
		if err := s.checkOperator(c.UserContext()); err != nil {
			return err
		}
		return figures(c)
	})
}

// sources returns the functions and services from which the metrics are read.
func (s *Server) sources() metrics.Sources {
	from := metrics.Sources{
		Version: s.app.Version, InFlight: s.open.now, Draining: s.Draining.Load, Scenes: s.app.Scenes, Finder: s.app.Finder,
		Shared: s.app.Pools, Tools: s.app.Tools, Plugins: s.app.Plugins, Journal: s.app.Journal, Audit: s.app.Audit, Ledger: s.app.Ledger, Refused: s.limits.Refused,
		Damage: s.app.Damage, Kept: s.app.Kept,
	}
	if from.Sessions = s.app.Sessions; s.app.Models != nil {
		from.Models = s.app.Models.Figures
	}
	if s.app.State != nil {
		from.Pools = s.app.State.Pools
	}
	return from
}
