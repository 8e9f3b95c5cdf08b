package main

import (
	"context"
	"strings"
	"time"

	"github.com/windieos/windie/models/speech/transcription"
)

// Values of transcription.provider.
const (
	novaProvider     = "nova"
	realtimeProvider = "openai-realtime"
	uploadProvider   = "openai"
	noProvider       = "off"
)

// check returns the problems of the URL and the model for the chosen provider.
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

// partials is the interval of asking a server of provider openai for the text of an unfinished
// utterance.
const partials = time.Second

// open returns the transcriber of the settings, or nil if there is none.
func (s transcriptionSettings) open() transcription.Transcriber {
	switch s.Provider {
	case novaProvider:
		return transcription.NewNova(s.URL)
	case realtimeProvider:
		return transcription.NewRealtime(transcription.RealtimeOptions{URL: s.URL, Model: s.Model, APIKey: string(s.APIKey)})
	case uploadProvider:
		return transcription.NewUploads(transcription.UploadsOptions{URL: s.URL, Model: s.Model, APIKey: string(s.APIKey), Partials: partials})
	}
	return nil
}

// checkTranscription reports whether the provider responds. It succeeds if transcription is off.
func (c *config) checkTranscription(ctx context.Context) (string, error) {
	t := c.Transcription.open()
	if t == nil {
		return "disabled (WINDIE_TRANSCRIPTION_PROVIDER is off)", nil
	}
	return "enabled: " + t.Name(), t.Ready(ctx)
}
