package gateway

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
)

func serverForTest(t testing.TB) *Server {
	t.Helper()
	return New(App{Store: new(storetest.Memory), Scenes: perception.NewScenes(reader.New(reader.Config{}), perception.Options{})})
}

// What counting a request adds to it: to compare with what a request of the
// cheapest route takes, BenchmarkCheapRoute.
func BenchmarkMeasure(b *testing.B) {
	s := serverForTest(b)
	app := fiber.New()
	app.Get("/measured/:id", func(c *fiber.Ctx) error {
		s.metrics.LearnRoutes(app)
		start := time.Now()
		for b.Loop() {
			s.measure(c, time.Since(start), true, "me-1")
		}
		return nil
	})
	if _, err := app.Test(httptest.NewRequest(http.MethodGet, "/measured/7", nil), -1); err != nil {
		b.Fatal(err)
	}
}
