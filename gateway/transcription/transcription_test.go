package transcription_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models/speech/transcription"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// microphone connects to /ws/transcription, and reads the status.
func microphone(t *testing.T, url string, header http.Header) *websocket.Conn {
	t.Helper()
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(url, "http")+sdkapi.TranscriptionPath, header)
	if err != nil {
		t.Fatal(err, resp)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	var status sdkapi.TranscriptionStatusMessage
	if err := conn.ReadJSON(&status); err != nil || status.Type != sdkapi.TranscriptionStatus || len(status.ClientID) != 32 {
		t.Fatalf("%+v, %v", status, err)
	}
	return conn
}

// silence is a frame of silence at 16 kHz, of n bytes in all.
func silence(n int) []byte {
	const meta = `{"sampleRate":16000}`
	frame := append(binary.LittleEndian.AppendUint32(nil, uint32(len(meta))), meta...)
	return append(frame, make([]byte, n-len(frame))...)
}

// A message may have a mebibyte, and no byte more.
func TestTranscriptionMessageAtItsEdge(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{Store: gatewaytest.Store(t, false), Transcriber: doorstest.Transcribing(t)})
	conn := microphone(t, url, nil)
	if err := conn.WriteMessage(websocket.BinaryMessage, silence(sdkapi.MaxTranscriptionMessage)); err != nil {
		t.Fatal(err)
	}
	_ = conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"set_langs"}`))
	var m sdkapi.TranscriptionStatusMessage
	if err := conn.ReadJSON(&m); err != nil || m.Type != sdkapi.TranscriptionStatus {
		t.Fatalf("after a message of the greatest length: %+v, %v", m, err)
	}
	_ = conn.WriteMessage(websocket.BinaryMessage, silence(sdkapi.MaxTranscriptionMessage+2))
	if _, _, err := conn.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseMessageTooBig) {
		t.Errorf("a longer one: %v", err)
	}
}

// A client that sends too many messages gets the reason, and its connection stays open.
func TestTranscriptionMessagesAreLimited(t *testing.T) {
	t.Parallel()
	cfg := gateway.App{Store: gatewaytest.Store(t, false), Transcriber: doorstest.Transcribing(t), Limits: quota.Limits{AddressRequests: 2}, LimitWindow: 24 * time.Hour}
	conn := microphone(t, gatewaytest.Start(t, cfg), nil) // the first request
	for _, want := range []sdkapi.Code{"", sdkapi.RateLimited, sdkapi.RateLimited} {
		if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"set_langs"}`)); err != nil {
			t.Fatal(err)
		}
		var m sdkapi.TranscriptionErrorMessage
		if err := conn.ReadJSON(&m); err != nil || m.Code != want {
			t.Fatalf("%+v, %v; want the code %q", m, err, want)
		}
	}
}

// unreachable is a transcriber whose server does not answer.
type unreachable struct{ transcription.Transcriber }

// ended is a listener that has given up.
type ended struct{ transcription.Listener }

func (unreachable) Listen(context.Context, func(transcription.Event)) transcription.Listener {
	return ended{}
}

func (ended) Wait() error {
	return fault.New("test", sdkapi.TranscriptionUnavailable, "the server is away").Because(errors.New("10.0.0.7 refused"))
}

// When the transcription server is away for too long, the client gets the reason, without its cause, and can connect again.
func TestTranscriptionGivesUp(t *testing.T) {
	t.Parallel()
	conn := microphone(t, gatewaytest.Start(t, gateway.App{Store: gatewaytest.Store(t, false), Transcriber: unreachable{doorstest.Transcribing(t)}}), nil)
	var m sdkapi.TranscriptionErrorMessage
	if err := conn.ReadJSON(&m); err != nil || m.Code != sdkapi.TranscriptionUnavailable || m.Message != "the server is away" {
		t.Errorf("%+v, %v", m, err)
	}
	_, _, err := conn.ReadMessage()
	if end, ok := errors.AsType[*websocket.CloseError](err); !ok || end.Code != websocket.CloseTryAgainLater || end.Text != "the server is away" {
		t.Errorf("the connection ended with %v", err)
	}
}

// A client that sends more sound than it may waits, and loses nothing.
func TestTranscriptionWaits(t *testing.T) {
	t.Parallel()
	cfg := gateway.App{Store: gatewaytest.Store(t, false), Transcriber: doorstest.Transcribing(t), Limits: quota.Limits{AddressSound: 2}, LimitWindow: 2 * time.Second}
	conn := microphone(t, gatewaytest.Start(t, cfg), nil)
	began := time.Now()
	for range 3 {
		if err := conn.WriteMessage(websocket.BinaryMessage, silence(32024)); err != nil {
			t.Fatal(err)
		}
	}
	_ = conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"set_langs"}`))
	var m sdkapi.TranscriptionStatusMessage
	if err := conn.ReadJSON(&m); err != nil || m.Type != sdkapi.TranscriptionStatus || time.Since(began) < time.Second {
		t.Errorf("%+v, %v after %v", m, err, time.Since(began))
	}
}

// When a token is revoked, its microphone is off; and without one there is none in hosted mode.
func TestTranscriptionHosted(t *testing.T) {
	t.Parallel()
	ids := gatewaytest.Identity(t)
	url := gatewaytest.Start(t, gateway.App{Store: gatewaytest.Store(t, true), Identity: ids, Hosted: true, Transcriber: doorstest.Transcribing(t)})
	install, token := doorstest.Registered(t, ids)
	conn := microphone(t, url, http.Header{"Authorization": {"Bearer " + token}})
	if err := ids.Revoke(t.Context(), install.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.ReadMessage(); !websocket.IsCloseError(err, sdkapi.WSCloseRevoked) {
		t.Errorf("it ended with %v", err)
	}
	_, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(url, "http")+sdkapi.TranscriptionPath, nil)
	if err == nil || resp == nil || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %v, %v", resp, err)
	}
}
