package speech

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// ESpeakOptions configure espeak-ng. The zero value is useful.
type ESpeakOptions struct {
	Program string // name or path of the program; default "espeak-ng"
	Voice   string // name of a voice in the list of espeak-ng --voices, for example "de"; default "en"
	Speed   int    // speaking speed, in words per minute; default 175
}

// ESpeak is a Voice that uses the program espeak-ng, which speaks many languages without a network.
// It runs one process per text, and limits the number of concurrent processes. Make an ESpeak with
// NewESpeak.
type ESpeak struct {
	opts  ESpeakOptions
	slots chan struct{}
}

// NewESpeak returns a Voice that uses espeak-ng. To check that the program is installed, call
// Ready.
func NewESpeak(opts ESpeakOptions) *ESpeak {
	if opts.Program == "" {
		opts.Program = "espeak-ng"
	}
	if opts.Voice == "" {
		opts.Voice = "en"
	}
	if opts.Speed == 0 {
		opts.Speed = 175
	}
	return &ESpeak{opts, make(chan struct{}, 2*runtime.NumCPU())}
}

// Name implements Voice.
func (e *ESpeak) Name() string { return "espeak-ng, voice " + e.opts.Voice }

// voiceName matches a voice name that is safe on espeak-ng's command line.
var voiceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9+_/-]{0,63}$`)

// Ready implements Voice.
func (e *ESpeak) Ready(ctx context.Context) error {
	if !voiceName.MatchString(e.opts.Voice) {
		return fmt.Errorf("invalid voice %q; espeak-ng --voices lists the voices", e.opts.Voice)
	}
	if _, err := exec.LookPath(e.opts.Program); err != nil {
		return fmt.Errorf("espeak-ng is not installed; install your system's package espeak-ng: %w", err)
	}
	for _, err := range e.Speak(ctx, "a") {
		if err != nil {
			return fmt.Errorf("espeak-ng cannot speak with the voice %s; espeak-ng --voices lists the voices: %w", e.opts.Voice, err)
		}
	}
	return nil
}

// Limits of a process.
const (
	processTime = 20 * time.Second // time limit for a text, far more than it needs
	maxSound    = 2 * Rate * 60 * 30
	headerBytes = 44 // size of a WAV file's header
)

// Speak implements Voice.
func (e *ESpeak) Speak(ctx context.Context, text string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		text := clean(text)
		if text == "" {
			return
		}
		sound, err := e.sound(ctx, text)
		if err != nil {
			yield(nil, err)
			return
		}
		yield(sound, nil)
	}
}

// sound returns the whole sound of a text. espeak-ng needs only milliseconds for it.
func (e *ESpeak) sound(ctx context.Context, text string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, processTime)
	defer cancel()
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	cmd := exec.CommandContext(ctx, e.opts.Program, "--stdin", "--stdout", "-b", "1", "-z", "-v", e.opts.Voice, "-s", strconv.Itoa(e.opts.Speed))
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(text), time.Second
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &limited{&out, maxSound}, &limited{&complaint, 4096}
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil { // err says only that the process was killed
			return nil, fmt.Errorf("espeak-ng: %w", ctx.Err())
		}
		return nil, fmt.Errorf("espeak-ng: %w: %s", err, strings.TrimSpace(complaint.String()))
	}
	return samples(out.Bytes())
}

// samples returns the sound of a WAV file. The length in its header is wrong, because the file was
// streamed.
func samples(wav []byte) ([]byte, error) {
	if len(wav) < headerBytes || string(wav[:4]) != "RIFF" || string(wav[36:40]) != "data" {
		return nil, errors.New("espeak-ng returned no sound")
	}
	if rate := int(wav[24]) | int(wav[25])<<8 | int(wav[26])<<16; rate != Rate {
		return nil, fmt.Errorf("espeak-ng returned sound with a sample rate of %d Hz, not %d Hz", rate, Rate)
	}
	sound := wav[headerBytes:]
	return sound[:len(sound)&^1], nil
}

// clean removes parts that espeak-ng would misread: zero bytes, which end a text, and [[…]], which
// are phonemes.
func clean(text string) string {
	return strings.TrimSpace(strings.NewReplacer("\x00", "", "[[", "[", "]]", "]").Replace(strings.ToValidUTF8(text, "")))
}

// limited writes at most n bytes and discards the rest.
type limited struct {
	to io.Writer
	n  int
}

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	part := p[:min(len(p), l.n)]
	l.n -= len(part)
	_, err := l.to.Write(part)
	return len(p), err
}
