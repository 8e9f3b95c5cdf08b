package tools

import (
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// What a tool says of its failure is passed on, but not at any length, and never
// with half a character.
func TestToolFailedIsBounded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		said, want string
	}{
		"the most": {strings.Repeat("x", maxToolMessage), strings.Repeat("x", maxToolMessage)},
		"one more": {strings.Repeat("x", maxToolMessage+1), strings.Repeat("x", maxToolMessage) + "…"},
		"cut within a character": {
			strings.Repeat("x", maxToolMessage-1) + "éé", strings.Repeat("x", maxToolMessage-1) + "…",
		},
		"white space": {" \n", "the tool t.t failed and gave no reason"},
	} {
		t.Run(name, func(t *testing.T) {
			err := toolFailed("t.t", agent.Result{IsError: true, Content: []agent.Part{agent.Text(tt.said)}})
			if got := fault.From(err); got.Code != sdkapi.ToolError || got.Message != tt.want {
				t.Errorf("%s: %s of %d bytes", name, got.Code, len(got.Message))
			}
		})
	}
}

// What a tool says beside its answer is in the answer.
func TestEncodeResultWithMeta(t *testing.T) {
	t.Parallel()
	var to fasthttp.Response
	err := encodeResult(&to, agent.Result{Structured: []byte(`{"a":1}`), Meta: []byte(`{"trace":"t1"}`)})
	if got := to.Body(); err != nil || string(got) != `{"result":{"a":1},"_meta":{"trace":"t1"}}` {
		t.Errorf("%s, %v", got, err)
	}
}

// An answer that is no UTF-8 is still JSON.
func TestEncodeResultOfBadText(t *testing.T) {
	t.Parallel()
	var to fasthttp.Response
	err := encodeResult(&to, agent.Result{Structured: []byte("\"a\xffb\"")})
	if got := to.Body(); err != nil || string(got) != "{\"result\":\"a\uFFFDb\"}" {
		t.Errorf("%q, %v", got, err)
	}
}
