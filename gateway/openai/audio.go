package openai

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/speech"
	"github.com/windieos/windie/models/speech/pcm"
	"github.com/windieos/windie/models/speech/transcription"
	"github.com/windieos/windie/sdkapi"
)

const (
	// In bytes: JSON may take 12 bytes to escape a character.
	maxSpeechBody = 12*sdkapi.MaxOpenAISpeech + 4<<10
	// In Hz: the sample rate of the format pcm, which OpenAI's clients expect.
	pcmRate = 24000
	// Maximum time to speak a text or to transcribe a recording.
	soundTime = 10 * time.Minute
)

// addSpeech adds the route for speech.
func (s *door) addSpeech() {
	post[sdkapi.OpenAISpeech](s, sdkapi.OpenAISpeechPath, maxSpeechBody, huma.Operation{
		OperationID: "openai-speech", Summary: "Speak a text",
		Description: "Compatible with OpenAI's speech route. Returns the text as speech in the gateway's voice, as WAV or PCM.",
		Responses: map[string]*huma.Response{"200": {Description: "The audio.", Content: map[string]*huma.MediaType{
			"audio/wav": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}, "audio/pcm": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		}}},
		Errors: []int{400, 403, 408, 413, 415, 422, 429, 502, 503, 504},
	}, s.speak)
}

// speak returns the speech for a text.
func (s *door) speak(ctx context.Context, in *rawBody) (*huma.StreamResponse, error) {
	var body sdkapi.OpenAISpeech
	if err := read(in.RawBody, &body); err != nil {
		return nil, err
	}
	switch n := utf8.RuneCountInString(body.Input); {
	case n == 0 || n > sdkapi.MaxOpenAISpeech:
		return nil, invalid("body.input", "expected 1 to %d characters", sdkapi.MaxOpenAISpeech)
	case body.ResponseFormat != "" && body.ResponseFormat != "wav" && body.ResponseFormat != "pcm":
		return nil, invalid("body.response_format", "expected wav or pcm: the gateway has no encoder for %q", body.ResponseFormat)
	case body.Speed != nil && *body.Speed != 1:
		return nil, invalid("body.speed", "expected 1: the gateway's voice has one speed")
	}
	if s.voice == nil {
		return nil, fault.New(op, sdkapi.FeatureUnavailable, "this gateway has no voice; its operator can install espeak-ng or set WINDIE_SPEECH_VOICE")
	}
	_, ctx, err := charged(ctx)
	if err != nil {
		return nil, err
	}
	ctx, stop := gateway.UntilClientLeaves(ctx)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, soundTime)
	defer cancel()
	var sound []byte
	for piece, err := range s.voice.Speak(ctx, body.Input) {
		if err != nil {
			return nil, s.unspoken(err)
		}
		sound = append(sound, piece...)
	}
	kind, file := "audio/wav", []byte(nil)
	if body.ResponseFormat == "pcm" {
		resampled := pcm.NewResampler(speech.Rate, pcmRate)
		kind, file = "audio/pcm", pcm.Encode(append(resampled.Write(pcm.Decode(sound)), resampled.End()...))
	} else {
		file = pcm.WAV(pcm.Decode(sound), speech.Rate)
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		c.SetHeader("Content-Type", kind)
		_, _ = c.BodyWriter().Write(file) // writing to memory cannot fail
	}}, nil
}

// unspoken returns the error of the voice for the caller.
func (s *door) unspoken(err error) error {
	switch fault.CodeOf(err) {
	case sdkapi.Canceled:
		return err
	case sdkapi.Timeout:
		return fault.New(op, sdkapi.Timeout, "the voice %s took too long to speak the text; send a shorter text", s.voice.Name()).Because(err)
	}
	return fault.New(op, sdkapi.ModelUnavailable, "the voice %s failed to speak; the gateway's log has the reason", s.voice.Name()).Because(err)
}

// addTranscriptions adds the route for transcriptions. It adds the fields of the form to the API
// document, because transcribe reads the form itself.
func (s *door) addTranscriptions() {
	doc := huma.Operation{
		OperationID: "openai-transcription", Method: http.MethodPost, Path: sdkapi.OpenAITranscriptionsPath, Tags: []string{tag},
		Summary:      "Transcribe a recording",
		Description:  "Compatible with OpenAI's transcriptions route. The gateway sends the file unchanged to its transcription server, which decides the accepted formats.",
		MaxBodyBytes: -1, BodyReadTimeout: -1,
		Responses: map[string]*huma.Response{"200": gateway.JSONResponse[sdkapi.OpenAITranscript](s.core, "The transcription. With response_format text, only the text.")},
		Errors:    []int{400, 403, 408, 413, 415, 422, 429, 502, 503, 504},
	}
	gateway.Register(s.core, doc, s.transcribe)
	s.core.API.OpenAPI().Paths[doc.Path].Post.RequestBody = gateway.FormBody(map[string]string{
		"file": "The recording, of at most 25 MiB.", "model": "Passed over: the gateway has one.", "language": "What is spoken, as en.",
		"prompt": "Text before the recording, which helps.", "response_format": "json or text.", "temperature": "Passed over.",
	})
}

// recording is the form of a transcription request.
type recording struct {
	name, language, prompt, format string
	data                           []byte
}

// maxField is the maximum size of a form field other than the file, in bytes.
const maxField = 4 << 10

// transcribe returns the text of a recording.
func (s *door) transcribe(ctx context.Context, in *gateway.UploadInput) (*huma.StreamResponse, error) {
	recorder, can := s.transcriber.(transcription.Recorder)
	if !can {
		return nil, fault.New(op, sdkapi.FeatureUnavailable, "this gateway's speech recognition does not accept files: connect to %s, or ask the operator to set WINDIE_TRANSCRIPTION_PROVIDER=openai", sdkapi.TranscriptionPath)
	}
	r, err := recordingOf(in)
	if err != nil {
		return nil, err
	}
	_, ctx, err = charged(ctx)
	if err != nil {
		return nil, err
	}
	// In one piece: second by second, a refused recording would pay, and a long one never pass.
	if err := gateway.RequestOf(ctx).Quota.TakeSound(secondsOf(r.data)); err != nil {
		return nil, err
	}
	ctx, stop := gateway.UntilClientLeaves(ctx)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, soundTime)
	defer cancel()
	text, err := recorder.Transcribe(ctx, transcription.Recording{Name: r.name, Data: r.data, Language: r.language, Before: r.prompt})
	if err != nil {
		return nil, err
	}
	if r.format == "text" {
		return &huma.StreamResponse{Body: func(c huma.Context) {
			c.SetHeader("Content-Type", "text/plain; charset=utf-8")
			_, _ = c.BodyWriter().Write([]byte(text + "\n")) // writing to memory cannot fail
		}}, nil
	}
	return answerJSON(sdkapi.OpenAITranscript{Text: text}), nil
}

// recordingOf parses the form of a request.
func recordingOf(in *gateway.UploadInput) (*recording, error) {
	form, err := gateway.OpenForm(in, sdkapi.MaxOpenAISound)
	if err != nil {
		return nil, err
	}
	r := &recording{format: "json"}
	for {
		part, err := gateway.NextPart(form)
		if err != nil {
			return nil, err
		}
		if part == nil {
			break
		}
		if err := r.take(part); err != nil {
			return nil, err
		}
	}
	if len(r.data) == 0 {
		return nil, invalid("body.file", "expected a recording")
	}
	if r.format != "json" && r.format != "text" {
		return nil, invalid("body.response_format", "expected json or text, not %q", r.format)
	}
	return r, nil
}

// take reads one field of the form. It ignores unknown fields.
func (r *recording) take(part *multipart.Part) error {
	name := part.FormName()
	if name == "file" {
		file := gateway.NewFileReader(part, sdkapi.MaxOpenAISound)
		data, err := io.ReadAll(file)
		r.name, r.data = part.FileName(), data
		return errors.Join(file.Err, err)
	}
	text, err := io.ReadAll(io.LimitReader(part, maxField+1))
	if err != nil {
		return err
	}
	if len(text) > maxField {
		return invalid("body."+name, "expected at most %d bytes", maxField)
	}
	switch name {
	case "language":
		r.language = string(text)
	case "prompt":
		r.prompt = string(text)
	case "response_format":
		r.format = string(text)
	}
	return nil
}

// The assumed bytes per second of compressed sound whose length cannot be read, since the gateway
// does not decode it.
const (
	compressedRate = 4000 // 32 kbit/s: most recordings have more, and are charged for longer than they play
	leastRate      = 750  // 6 kbit/s: for codecs of speech whose packets cannot be read
)

// secondsOf returns the charge for a recording in seconds, at least 1. It is the playing time for
// uncompressed WAVE, for Opus in Ogg or WebM, for MP3 and for M4A. Otherwise it is estimated from
// the size, with leastRate for speech codecs and compressedRate for others.
func secondsOf(data []byte) int {
	if rate := sampleRate(data); rate > 0 {
		return max(1, len(data)/rate)
	}
	plays, unread := transcription.FileLength(data)
	rate := compressedRate
	for _, name := range []string{"OpusHead", "A_OPUS", "Speex   ", "#!AMR"} {
		if bytes.Contains(data, []byte(name)) {
			rate = leastRate
		}
	}
	return max(1, int(plays.Seconds()+float64(unread)/float64(rate)))
}

// The limits of an uncompressed WAVE. A file that claims more is charged like a compressed
// recording.
const (
	mostHertz    = 384_000
	mostChannels = 8
)

// sampleRate returns the bytes per second of an uncompressed WAVE, or 0 for another recording. It
// computes them from the fields that decoders use. It ignores the header's own byte rate, as
// decoders do.
func sampleRate(data []byte) int {
	const (
		pcm, float, aLaw, muLaw, extensible = 1, 3, 6, 7, 0xFFFE // format codes
		head                                = 36                 // bytes up to the end of the fields below
	)
	if len(data) < head || string(data[:4]) != "RIFF" || string(data[8:16]) != "WAVEfmt " {
		return 0
	}
	number := binary.LittleEndian.Uint16
	channels, hertz, bits := int(number(data[22:])), binary.LittleEndian.Uint32(data[24:]), int(number(data[34:]))
	if hertz > mostHertz || channels > mostChannels || bits%8 != 0 || bits > 64 {
		return 0
	}
	switch number(data[20:]) {
	case pcm, float, aLaw, muLaw, extensible:
		return int(hertz) * channels * bits / 8
	}
	return 0
}
