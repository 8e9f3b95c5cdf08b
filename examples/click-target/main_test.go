package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

func TestClickTarget(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Scenes: gatewaytest.Scenes(t)})
	picture := filepath.Join(t.TempDir(), "overlay.png")
	var out strings.Builder
	if err := run(t.Context(), &out, url, "screen.png", "Check out", picture); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "1106,586\tCheck out\n" {
		t.Errorf("printed %q", got)
	}
	data, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if _, h, err := perception.Decode(t.Context(), data); err != nil || h.Width != 1280 {
		t.Errorf("the overlay: %+v, %v", h, err)
	}
}

func TestAmbiguousTarget(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Scenes: gatewaytest.Scenes(t)})
	var out strings.Builder
	err := run(t.Context(), &out, url, "screen.png", "Add to cart", "")
	if !errors.Is(err, &sdkapi.Error{Code: sdkapi.AmbiguousMatch}) || strings.Count(out.String(), "Add to cart?") != 2 {
		t.Errorf("%v\n%s", err, out.String())
	}
}
