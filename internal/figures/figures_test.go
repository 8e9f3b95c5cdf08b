package figures

import (
	"fmt"
	"strings"
	"testing"
)

const said = `# TYPE calls_total counter
calls_total{code="OK",origin="ocr"} 3
calls_total{code="OK",origin="parrot"} 4
calls_total{code="TIMEOUT",origin="ocr"} 1
# TYPE running gauge
running 2
# TYPE took histogram
took_bucket{le="1"} 2
took_bucket{le="+Inf"} 4
took_sum 6
took_count 4
`

func Example() {
	now, err := Read(strings.NewReader(said))
	fmt.Println(now.Sum("calls_total", "code", "OK"), now.Values("calls_total", "origin"), err)
	// Output: 7 [ocr parrot] <nil>
}

func TestRead(t *testing.T) {
	t.Parallel()
	now, err := Read(strings.NewReader(said))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"calls_total", nil, 8},
		{"calls_total", []string{"code", "OK", "origin", "ocr"}, 3},
		{"calls_total", []string{"code", "none"}, 0},
		{"running", nil, 2},
		{"took_sum", nil, 6},
		{"took_count", nil, 4},
		{"absent", nil, 0},
	} {
		t.Run(fmt.Sprint(tt.name, tt.labels), func(t *testing.T) {
			t.Parallel()
			if got := now.Sum(tt.name, tt.labels...); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
	if _, err := Read(strings.NewReader("<html>")); err == nil {
		t.Error("a page is taken for figures")
	}
}
