package gateway

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/reader"
)

func serverForTest(t testing.TB) *Server {
	t.Helper()
	return New(App{Store: new(storetest.Memory), Scenes: perception.NewScenes(reader.New(reader.Config{}), perception.Options{})})
}

var (
	describedFigure = regexp.MustCompile(`fqName: "((?:windie|gen_ai)_[a-z_]+)".*variableLabels: \{([^}]*)\}`)
	documentedRow   = regexp.MustCompile("(?m)^\\| `((?:windie|gen_ai)_[a-z_]+)` \\| (\\w+) \\|([^|]*)\\|")
	word            = regexp.MustCompile(`\w+`)
)

// The page on figures lists all of them with their labels, and no others.
func TestMetricsGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "docs", "operate.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{"windie_build_info": "version go_version"} // in prose
	for _, row := range documentedRow.FindAllStringSubmatch(string(text), -1) {
		listed[row[1]] = strings.Join(word.FindAllString(row[3], -1), " ")
	}
	descs := make(chan *prometheus.Desc, 1000)
	serverForTest(t).metrics.Registry.Describe(descs)
	close(descs)
	there := map[string]bool{}
	for d := range descs {
		m := describedFigure.FindStringSubmatch(d.String())
		if m == nil {
			continue // of Go, or of the process
		}
		there[m[1]] = true
		if labels, ok := listed[m[1]]; !ok || labels != strings.Join(word.FindAllString(m[2], -1), " ") {
			t.Errorf("docs/operate.md has %q for the labels of %s (listed: %v), not %q", labels, m[1], ok, m[2])
		}
	}
	for name := range listed {
		if !there[name] {
			t.Errorf("docs/operate.md lists %s, which there is not", name)
		}
	}
	if len(there) < 25 {
		t.Errorf("only %d figures were compared", len(there))
	}
}

// The kinds of figures on the page are those sent.
func TestMetricsGuideKinds(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "docs", "operate.md"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for _, row := range documentedRow.FindAllStringSubmatch(string(text), -1) {
		kinds[row[1]] = row[2]
	}
	families, err := serverForTest(t).metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, f := range families {
		if kind, ok := kinds[f.GetName()]; ok {
			compared++
			if got := strings.ToLower(f.GetType().String()); got != kind {
				t.Errorf("docs/operate.md calls %s a %s, it is a %s", f.GetName(), kind, got)
			}
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
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
