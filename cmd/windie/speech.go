package main

import (
	"context"
	"log/slog"

	"github.com/windieos/windie/models/speech"
)

// speechSettings choose what speaks to clients at /ws whose user has speech on, see docs/models.md.
type speechSettings struct {
	Voice  string `key:"voice" env:"WINDIE_SPEECH_VOICE" default:"auto" one:"auto espeak openai off" doc:"what speaks answers: espeak is the program espeak-ng, openai a server that speaks OpenAI's protocol, off nothing, auto espeak where it is installed"`
	Name   string `key:"name" env:"WINDIE_SPEECH_NAME" doc:"which of its voices; default: en of espeak, alloy of openai"`
	Speed  int    `key:"speed" env:"WINDIE_SPEECH_SPEED" default:"175" min:"80" max:"450" doc:"words a minute of espeak"`
	URL    string `key:"url" env:"WINDIE_SPEECH_URL" is:"url" doc:"server of the voice openai, up to /audio/speech, as http://127.0.0.1:8000/v1"`
	Model  string `key:"model" env:"WINDIE_SPEECH_MODEL" doc:"what that server calls its model, as tts-1"`
	APIKey secret `key:"api_key" env:"WINDIE_SPEECH_API_KEY" doc:"key to that server, if it wants one"`
	Rate   int    `key:"rate" env:"WINDIE_SPEECH_RATE" default:"24000" min:"8000" max:"48000" doc:"sample rate of that server's PCM, in Hz"`
}

// What speech.voice may be.
const (
	autoVoice   = "auto"
	espeakVoice = "espeak"
	openaiVoice = "openai"
	noVoice     = "off"
)

func (s speechSettings) check() []string {
	var p configError
	p.add(s.Voice == openaiVoice && (s.URL == "" || s.Model == ""), "speech.url and speech.model (WINDIE_SPEECH_URL, WINDIE_SPEECH_MODEL): are needed with speech.voice %s", openaiVoice)
	return p.problems
}

// open returns the voice of the settings, nil if they have it off.
func (s speechSettings) open() speech.Voice {
	switch s.Voice {
	case noVoice:
		return nil
	case openaiVoice:
		return speech.NewServer(speech.ServerOptions{URL: s.URL, Model: s.Model, Voice: s.Name, APIKey: string(s.APIKey), Rate: s.Rate})
	}
	return speech.NewESpeak(speech.ESpeakOptions{Voice: s.Name, Speed: s.Speed})
}

// voice returns what speaks to clients, nil for nothing.
func (c *config) voice(ctx context.Context, log *slog.Logger) speech.Voice {
	voice := c.Speech.open()
	if voice == nil || c.Speech.Voice == openaiVoice { // whose server may come later
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

func (c *config) checkSpeech(ctx context.Context) (string, error) {
	voice := c.Speech.open()
	if voice == nil {
		return "is off", nil
	}
	err := voice.Ready(ctx)
	if err != nil && c.Speech.Voice == autoVoice {
		return "is off, as there is no voice: install your system's package espeak-ng", nil
	}
	return "is spoken by " + voice.Name(), err
}
