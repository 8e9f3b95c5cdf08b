package transcription

import (
	"context"
	"errors"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Recorder is a Transcriber that also transcribes whole recordings.
type Recorder interface {
	// Transcribe returns the text of a recording. It fails with TRANSCRIPTION_ERROR if the server
	// refuses the recording, and with TRANSCRIPTION_UNAVAILABLE if the server does not respond.
	Transcribe(ctx context.Context, r Recording) (string, error)
}

// Recording is a sound file to transcribe.
type Recording struct {
	Name     string // file name, whose extension gives the format
	Data     []byte
	Language string // code of the spoken language, such as "en"; empty: unknown
	Before   string // text that was spoken before the recording, which helps the model; may be empty
}

var _ Recorder = (*Uploads)(nil)

// recordingTime limits the transcription of one recording.
const recordingTime = 10 * time.Minute

// Transcribe implements Recorder.
func (u *Uploads) Transcribe(ctx context.Context, r Recording) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, recordingTime)
	defer cancel()
	text, err := u.send(ctx, r)
	if answer, is := errors.AsType[*answerError](err); is && answer.final() {
		return "", fault.New(op, sdkapi.TranscriptionError, "the transcription server refuses this recording; send it as WAV and set its language").Because(err)
	}
	if err != nil {
		return "", away(err)
	}
	return text, nil
}
