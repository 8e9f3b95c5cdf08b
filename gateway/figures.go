package gateway

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"

	"github.com/windieos/windie/sdkapi"
)

func (s *Server) addMetrics() {
	s.app.Use(sdkapi.MetricsPath, recognize)
	figures := adaptor.HTTPHandler(s.metrics.handler())
	plain(s, huma.Operation{
		OperationID: "metrics", Method: http.MethodGet, Path: sdkapi.MetricsPath, Tags: []string{"gateway"}, Security: asksForOperator,
		Summary:     "Tell the gateway's figures",
		Description: "Answers in the text form of Prometheus; docs/metrics.md explains each figure.",
		Responses: map[string]*huma.Response{"200": {Description: "The figures.", Content: map[string]*huma.MediaType{
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

// sources are what the server's figures are asked of.
func (s *Server) sources() Sources {
	from := Sources{
		Version: s.cfg.Version, InFlight: s.open.now, Draining: s.draining.Load, Scenes: s.cfg.Scenes, Finder: s.cfg.Finder,
		Tools: s.cfg.Tools, Plugins: s.cfg.Plugins, Journal: s.cfg.Journal, Audit: s.cfg.Audit,
	}
	if s.cfg.State != nil {
		from.Pools = s.cfg.State.Pools
	}
	return from
}
