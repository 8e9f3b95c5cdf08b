package main

import (
	"context"
	"strings"
	"time"

	"github.com/windieos/windie/models/speech/transcription"
)

// transcriptionSettings choose what makes text of speech at /ws/transcription, see docs/models.md.
type transcriptionSettings struct {
	Provider     string        `key:"provider" env:"WINDIE_TRANSCRIPTION_PROVIDER" default:"off" one:"nova openai-realtime openai off" doc:"what makes text of speech: nova is a Nova gateway, openai-realtime a server that speaks OpenAI's realtime protocol, openai one with OpenAI's route /audio/transcriptions, as whisper.cpp or speaches, off nothing"`
	URL          string        `key:"url" env:"WINDIE_TRANSCRIPTION_URL" doc:"that server: of openai up to /audio/transcriptions, as http://127.0.0.1:8000/v1; default of nova: ws://127.0.0.1:5026; of openai-realtime: wss://api.openai.com/v1/realtime"`
	Model        string        `key:"model" env:"WINDIE_TRANSCRIPTION_MODEL" doc:"what that server calls its model, as whisper-1; default of openai-realtime: gpt-live-transcribe"`
	SessionModel string        `key:"session_model" env:"WINDIE_TRANSCRIPTION_SESSION_MODEL" doc:"model of the session of openai-realtime; default: none, and the session is for transcription alone"`
	APIKey       secret        `key:"api_key" env:"WINDIE_TRANSCRIPTION_API_KEY" doc:"key to that server, if it wants one"`
	Silence      time.Duration `key:"silence" env:"WINDIE_TRANSCRIPTION_SILENCE" default:"500ms" min:"100ms" max:"5s" doc:"silence that ends an utterance; a Nova gateway has its own"`
	Partials     time.Duration `key:"partials" env:"WINDIE_TRANSCRIPTION_PARTIALS" default:"1s" min:"200ms" max:"15s" zero:"none" doc:"how often openai is asked for the text of an utterance that is still said, which it bills each time; 0: only once it has ended"`
}

// What transcription.provider may be.
const (
	novaProvider     = "nova"
	realtimeProvider = "openai-realtime"
	uploadProvider   = "openai"
	noProvider       = "off"
)

func (s transcriptionSettings) check() []string {
	var p configError
	p.add(s.Provider == uploadProvider && (s.URL == "" || s.Model == ""), "transcription.url and transcription.model (WINDIE_TRANSCRIPTION_URL, WINDIE_TRANSCRIPTION_MODEL): are needed with transcription.provider %s", uploadProvider)
	socket := isWebURL("http"+strings.TrimPrefix(s.URL, "ws")) && strings.HasPrefix(s.URL, "ws")
	example, fits := "ws://127.0.0.1:5026", socket
	switch s.Provider {
	case uploadProvider:
		example, fits = "http://127.0.0.1:8000/v1", isWebURL(s.URL)
	case noProvider:
		fits = socket || isWebURL(s.URL)
	}
	p.add(s.URL != "" && !fits, "transcription.url (WINDIE_TRANSCRIPTION_URL): %q is not a URL, such as %s", s.URL, example)
	return p.problems
}

// open returns what makes text of speech, nil for nothing.
func (s transcriptionSettings) open() transcription.Transcriber {
	switch s.Provider {
	case novaProvider:
		return transcription.NewNova(s.URL)
	case realtimeProvider:
		return transcription.NewRealtime(transcription.RealtimeOptions{URL: s.URL, Model: s.Model, SessionModel: s.SessionModel, APIKey: string(s.APIKey), Silence: s.Silence})
	case uploadProvider:
		return transcription.NewUploads(transcription.UploadsOptions{URL: s.URL, Model: s.Model, APIKey: string(s.APIKey), Silence: s.Silence, Partials: s.Partials})
	}
	return nil
}

func (c *config) checkTranscription(ctx context.Context) (string, error) {
	t := c.Transcription.open()
	if t == nil {
		return "is off; WINDIE_TRANSCRIPTION_PROVIDER chooses what makes text of speech", nil
	}
	return "is done by " + t.Name(), t.Ready(ctx)
}
