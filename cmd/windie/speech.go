package main

import (
	"context"
	"log/slog"

	"github.com/windieos/windie/models/speech"
)

// Values of speech.voice.
const (
	autoVoice   = "auto"
	espeakVoice = "espeak"
	openaiVoice = "openai"
	noVoice     = "off"
)

// check returns the settings that the voice openai needs and that are empty.
func (s speechSettings) check() []string {
	var p configError
	p.add(s.Voice == openaiVoice && (s.URL == "" || s.Model == ""), "speech.url and speech.model (WINDIE_SPEECH_URL, WINDIE_SPEECH_MODEL): are needed with speech.voice %s", openaiVoice)
	return p.problems
}

// open returns the voice of the settings, or nil if speech is off.
func (s speechSettings) open() speech.Voice {
	switch s.Voice {
	case noVoice:
		return nil
	case openaiVoice:
		return speech.NewServer(speech.ServerOptions{URL: s.URL, Model: s.Model, Voice: s.Name, APIKey: string(s.APIKey)})
	}
	return speech.NewESpeak(speech.ESpeakOptions{Voice: s.Name})
}

// voice returns the voice for clients, or nil if there is none.
func (c *config) voice(ctx context.Context, log *slog.Logger) speech.Voice {
	voice := c.Speech.open()
	if voice == nil || c.Speech.Voice == openaiVoice { // its server may start later
		return voice
	}
	if err := voice.Ready(ctx); err != nil {
		if c.Speech.Voice != autoVoice {
			log.Warn("answers cannot be spoken", slog.Any("err", err))
		}
		return nil
	}
	return voice
}

// checkSpeech reports whether answers can be spoken. A missing voice is a failure only if the
// settings name one.
func (c *config) checkSpeech(ctx context.Context) (string, error) {
	voice := c.Speech.open()
	if voice == nil {
		return "disabled (WINDIE_SPEECH_VOICE is off)", nil
	}
	err := voice.Ready(ctx)
	if err != nil && c.Speech.Voice == autoVoice {
		return "disabled (no voice is installed): install your system's package espeak-ng", nil
	}
	return "enabled: " + voice.Name(), err
}
