//go:build system

package vlm_test

import (
	"context"
	"errors"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/perception/vlm"
)

// A caller that leaves gets that error, also in the second look; a second look that
// takes too long leaves the first.
func TestTimeRunsOut(t *testing.T) {
	t.Parallel()
	screen := screenWith(image.Pt(200, 100), image.Pt(50, 50), 20)
	replies := []modelstest.Reply{{Text: []string{`[{"point": [250, 500]}]`}}, {Fault: modelstest.Silence}}
	s := modelstest.Serve(t, modelstest.OpenAI, replies...)
	got, err := open(t, vlm.Config{URL: s.URL, Model: "gemini", Looks: vlm.LooksTwice, Timeout: 3 * time.Second}).Locate(t.Context(), screen, "it")
	if err != nil || got.Point != image.Pt(100, 25) || got.Confidence != 0.3 || got.Took < 3*time.Second || !strings.Contains(got.Doubt, "too long") {
		t.Errorf("%+v, %v", got, err)
	}
	s = modelstest.Serve(t, modelstest.OpenAI, replies...)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, err = open(t, vlm.Config{URL: s.URL, Model: "gemini", Looks: vlm.LooksTwice}).Locate(ctx, screen, "it")
	if _, missed := errors.AsType[*vlm.Miss](err); missed || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
