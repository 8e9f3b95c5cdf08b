package openai_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors/doorstest"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
)

// mute is a voice that fails.
type mute struct{ err error }

func (m mute) Name() string                { return "mute" }
func (m mute) Ready(context.Context) error { return nil }
func (m mute) Speak(context.Context, string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) { yield(nil, m.err) }
}

// A voice that takes too long is reported as such, and not as one that fails.
func TestVoiceFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		err    error
		status int
		want   string
	}{
		{"it takes too long", fmt.Errorf("espeak-ng: %w", context.DeadlineExceeded), http.StatusGatewayTimeout, string(sdkapi.Timeout)},
		{"it fails", errors.New("secret"), http.StatusServiceUnavailable, string(sdkapi.ModelUnavailable)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := gatewaytest.Start(t, gateway.App{Models: doorstest.ModelAlone{Model: &doorstest.Obedient{Left: make(chan struct{}, 1)}}, Store: new(storetest.Memory), Voice: mute{tt.err}})
			status, answer := doorstest.AskWith(t, http.MethodPost, url+sdkapi.OpenAISpeechPath, `{"model":"tts-1","voice":"x","input":"hello"}`)
			if status != tt.status || !strings.Contains(answer, `"`+tt.want+`"`) || !strings.Contains(answer, "the voice mute") || strings.Contains(answer, "secret") {
				t.Errorf("%d %s; want %d %s", status, answer, tt.status, tt.want)
			}
		})
	}
}
