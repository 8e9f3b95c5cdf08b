// Package transcription serves the WebSocket that turns speech into text.
package transcription

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/sockets"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/speech/transcription"
	"github.com/windieos/windie/sdkapi"
)

// Parts returns the part that transcribes speech. Without a transcriber it still serves the
// WebSocket, which then fails with a message that says what to configure.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	id := "transcription"
	if app.Transcriber == nil {
		id = ""
	}
	d := &door{core: core, transcriber: app.Transcriber}
	return []gateway.Part{gateway.PartOf(id, d.add)}
}

// door holds what the handlers of this package need.
type door struct {
	core        *gateway.Server
	transcriber transcription.Transcriber
}

const op = "gateway.transcription"

// add registers the WebSocket. check runs before each upgrade.
func (s *door) add() { s.core.Socket(sdkapi.TranscriptionPath, s.check, s.serve) }

// check fails with TRANSCRIPTION_UNAVAILABLE if the gateway has no transcriber.
func (s *door) check() error {
	if s.transcriber == nil {
		return fault.New(op, sdkapi.TranscriptionUnavailable, "this gateway has no speech recognition; its operator can set WINDIE_TRANSCRIPTION_PROVIDER")
	}
	return nil
}

// receiveTime is the maximum time between two messages of a client.
const receiveTime = sdkapi.TranscriptionReceiveTimeoutSecs * time.Second

// speaker is a client on its WebSocket.
type speaker struct {
	*door
	ctx      context.Context
	socket   *sockets.Conn
	request  *gateway.Request
	id       string
	listener transcription.Listener
	sound    time.Duration // sound that is not charged yet
}

// serve handles one client.
func (s *door) serve(ctx context.Context, socket *sockets.Conn, r *gateway.Request) {
	socket.Limit(sdkapi.MaxTranscriptionMessage)
	id := uuid.New()
	c := &speaker{door: s, ctx: ctx, socket: socket, request: r, id: hex.EncodeToString(id[:])}
	ctx, cancel := context.WithCancel(ctx)
	c.send(sdkapi.TranscriptionStatusMessage{Type: sdkapi.TranscriptionStatus, ClientID: c.id})
	c.listener = s.transcriber.Listen(ctx, c.tell)
	given := make(chan struct{})
	go func() {
		defer close(given)
		if err := c.listener.Wait(); err != nil {
			c.fail(err)
			socket.Finish(websocket.CloseTryAgainLater, fault.From(err).Message)
		}
	}()
	c.receive()
	cancel()
	<-given
}

// receive handles the client's messages until the connection ends.
func (c *speaker) receive() {
	for {
		raw, sound, err := c.socket.ReceiveAny(receiveTime)
		switch {
		case err != nil:
			c.socket.FinishSilent(err, websocket.CloseNormalClosure, fmt.Sprintf("the client sent nothing for %v; connect again", receiveTime))
			return
		case sound:
			frame, err := transcription.ParseFrame(raw)
			if err != nil {
				c.fail(err)
			} else if c.hear(frame) != nil {
				return // the listener has ended, and serve reports its error
			}
		default:
			if err := c.control(raw); err != nil {
				c.fail(err)
			}
		}
	}
}

// hear passes a frame of sound to the listener. At the limit of sound per minute it waits. It fails
// if the listener or the connection has ended.
func (c *speaker) hear(frame transcription.Frame) error {
	for c.sound += frame.Time(); c.sound >= time.Second; {
		err := c.request.Quota.TakeSound(1)
		if err == nil {
			c.sound -= time.Second
			continue
		}
		if err := background.Sleep(c.ctx, time.Duration(max(1, fault.From(err).Details.RetryAfter))*time.Second); err != nil {
			return err
		}
	}
	return c.listener.Hear(frame)
}

// language matches a language tag such as "en" (BCP 47), or "auto".
var language = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$`)

// control handles a text message, which is a command.
func (c *speaker) control(raw []byte) error {
	if err := c.request.Quota.TakeMessages(1); err != nil {
		return err
	}
	var m sdkapi.TranscriptionControl
	if err := json.Unmarshal(raw, &m); err != nil {
		return fault.New(op, sdkapi.MalformedBody, "invalid message: expected JSON, for example {\"type\":\"start_over\"}").Because(err)
	}
	switch m.Type {
	case sdkapi.TranscriptionStartOver:
		c.listener.StartOver()
	case sdkapi.TranscriptionSetLangs:
		for _, said := range [][2]string{{"source_language", m.SourceLanguage}, {"target_language", m.TargetLanguage}} {
			if field, code := said[0], said[1]; code != "" && !language.MatchString(code) {
				return fault.New(op, sdkapi.ValidationError, "%s must be the code of a language, for example en", field).At(field, "expected the code of a language, for example en")
			}
		}
		c.listener.Speak(transcription.Languages{Source: m.SourceLanguage, Target: m.TargetLanguage})
		c.send(sdkapi.TranscriptionStatusMessage{Type: sdkapi.TranscriptionStatus, ClientID: c.id, SourceLanguage: m.SourceLanguage, TargetLanguage: m.TargetLanguage})
	default:
		return fault.New(op, sdkapi.ValidationError, "unknown message type %.64q; expected the text message set_langs or start_over, or a binary message with audio", m.Type)
	}
	return nil
}

// tell sends an event of the transcriber to the client.
func (c *speaker) tell(e transcription.Event) {
	switch e := e.(type) {
	case transcription.Text:
		c.send(sdkapi.TranscriptionRealtimeMessage{Type: sdkapi.TranscriptionRealtime, Text: e.Text, Translation: e.Translation, IsFinal: e.Final})
	case transcription.Ended:
		c.send(sdkapi.TranscriptionEndMessage{Type: sdkapi.TranscriptionUtteranceEnd})
	case transcription.Failed:
		c.fail(e.Err)
	}
}

// fail sends an error to the client, and logs its cause.
func (c *speaker) fail(err error) {
	f := fault.From(err)
	if f.Cause != nil {
		c.core.Log.Warn("transcription failed", slog.String("request_id", c.request.ID), slog.Any("err", err))
	}
	told := c.core.Failure(c.ctx, err).ErrorResponse.Error
	c.send(sdkapi.TranscriptionErrorMessage{Type: sdkapi.TranscriptionFailure, Message: told.Message, Code: told.Code})
}

// send sends a message to the client. It logs an error, since receive notices a broken connection itself.
func (c *speaker) send(message any) {
	if err := c.socket.Send(message); err != nil {
		c.core.Log.Debug("cannot send a message to the client", slog.String("request_id", c.request.ID), slog.Any("err", err))
	}
}
