package perception_test

import (
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// An animated WebP is called that, and not damaged.
func TestAnimatedWebP(t *testing.T) {
	t.Parallel()
	head := "RIFF\x2c\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"
	for name, tt := range map[string]struct{ data, want string }{
		"animated":  {head + "\x02\x00\x00\x00\x0f\x00\x00\x0f\x00\x00ANIM\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00", "animated WebP"},
		"still":     {head + "\x10\x00\x00\x00\x0f\x00\x00\x0f\x00\x00VP8L\x00\x00\x00\x00", "damaged or incomplete"},
		"cut short": {head, "damaged or incomplete"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := perception.Decode(t.Context(), []byte(tt.data))
			if fault.CodeOf(err) != sdkapi.InvalidImage || !strings.Contains(fault.From(err).Message, tt.want) {
				t.Errorf("%v", err)
			}
		})
	}
}
