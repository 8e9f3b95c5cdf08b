package mcptools

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"
)

// Time limits for a server: for reading a message, for ending by itself after its input was closed,
// and for ending after SIGTERM.
const (
	writeTimeout = 5 * time.Second
	leaveTimeout = 2 * time.Second
	termTimeout  = time.Second
	moment       = 250 * time.Millisecond // from the end of its output to its own end
)

// Limits of a server's output to the log; the rest is omitted.
const (
	maxLineBytes = 2 << 10
	linesRate    = 10 // lines per second
	linesBurst   = 100
)

// inherited are the environment variables of every server: for finding programs and a home, without
// secrets.
var inherited = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "LANG", "LC_ALL", "TZ", "SYSTEMROOT", "APPDATA"}

// process is the link to a server that is a program. The program has a process group of its own.
type process struct {
	cmd           *exec.Cmd
	in, out, errs *os.File // our ends of its input, output and errors
	print         func(line string)
	ctx           context.Context // ends with the program
	cancel        context.CancelFunc
	exited        chan struct{}
	readers       sync.WaitGroup
	leaving       atomic.Bool
	ending, ended sync.Once
	mu            sync.Mutex
	last          string // last line that it printed
	state         error  // how it ended
	killed        bool   // whether it was killed
}

var (
	_ link           = (*process)(nil)
	_ io.WriteCloser = (*process)(nil)
)

// startProcess starts a server. say gets the lines that it prints, except messages.
func startProcess(spec *Spec, say func(line string)) (*process, error) {
	p := &process{print: say, exited: make(chan struct{})}
	p.cmd = exec.Command(spec.Command, spec.Args...)
	p.cmd.Dir = spec.Dir
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			p.cmd.Env = append(p.cmd.Env, name+"="+value)
		}
	}
	for name, value := range spec.Env {
		p.cmd.Env = append(p.cmd.Env, name+"="+value)
	}
	ownGroup(p.cmd)
	theirs, err := p.pipes()
	if err == nil {
		err = p.cmd.Start()
	}
	for _, file := range theirs {
		file.Close()
	}
	if err != nil {
		p.closeAll()
		return nil, err
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	go p.wait()
	p.readers.Go(p.readErrors)
	return p, nil
}

// pipes creates the pipes, and returns the program's ends.
func (p *process) pipes() (theirs []*os.File, err error) {
	var errIn, errOut, errErrs error
	var in, out, errs *os.File
	in, p.in, errIn = os.Pipe()
	p.out, out, errOut = os.Pipe()
	p.errs, errs, errErrs = os.Pipe()
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, errs
	theirs = slices.DeleteFunc([]*os.File{in, out, errs}, func(f *os.File) bool { return f == nil })
	return theirs, errors.Join(errIn, errOut, errErrs)
}

// wait waits for the program to end, and ends the processes it left behind.
func (p *process) wait() {
	err := p.cmd.Wait()
	killGroup(p.cmd.Process)
	p.mu.Lock()
	p.state = cmp.Or(err, errors.New("exit status 0"))
	p.mu.Unlock()
	// Its remaining output is read. Other processes that hold its output are not waited for.
	soon := time.Now().Add(termTimeout)
	_ = p.out.SetReadDeadline(soon)
	_ = p.errs.SetReadDeadline(soon)
	close(p.exited)
}

func (p *process) readErrors() {
	r := bufio.NewReaderSize(p.errs, maxLineBytes)
	pace := rate.NewLimiter(linesRate, linesBurst)
	for {
		line, more, err := r.ReadLine()
		if len(line) > 0 {
			p.say(line, pace)
		}
		for more && err == nil {
			_, more, err = r.ReadLine()
		}
		if err != nil {
			return
		}
	}
}

func (p *process) say(line []byte, pace *rate.Limiter) {
	p.mu.Lock()
	p.last = string(line[:min(len(line), maxNoteBytes)])
	p.mu.Unlock()
	if pace.Allow() {
		p.print(string(line))
	}
}

func (p *process) transport() mcp.Transport {
	pace := rate.NewLimiter(linesRate, linesBurst)
	out := newMessages(newPaced(p.ctx, p.out), func(line []byte) { p.say(line, pace) })
	return &mcp.IOTransport{Reader: io.NopCloser(out), Writer: p, MaxLineLength: maxMessageBytes}
}

// Write writes a message to the program. If the program does not read the message, Write ends the
// program, because its pipe may contain a partial message.
func (p *process) Write(b []byte) (int, error) {
	_ = p.in.SetWriteDeadline(time.Now().Add(writeTimeout))
	n, err := p.in.Write(b)
	if err != nil {
		p.cut()
	}
	return n, err
}

func (p *process) leave() { p.leaving.Store(true) }

// Close ends the program. If leave was called before, the program gets time to end by itself.
func (p *process) Close() error {
	p.ending.Do(func() {
		p.in.Close()
		if p.leaving.Load() && !p.exits(leaveTimeout) {
			termGroup(p.cmd.Process)
			p.exits(termTimeout)
		}
		if !p.leaving.Load() {
			p.exits(moment) // its end may be the reason why the session failed
		}
		p.cut()
	})
	return nil
}

func (p *process) exits(within time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(within):
		return false
	}
}

func (p *process) cut() {
	p.ended.Do(func() {
		select {
		case <-p.exited: // its group has ended too
		default:
			p.mu.Lock()
			p.killed = true
			p.mu.Unlock()
			killGroup(p.cmd.Process)
		}
		p.exits(termTimeout)
		p.cancel()
		p.closeAll()
		p.readers.Wait()
	})
}

func (p *process) closeAll() {
	for _, file := range []*os.File{p.in, p.out, p.errs} {
		if file != nil {
			file.Close()
		}
	}
}

// cause returns how the program ended, and its last printed line.
func (p *process) cause() error {
	p.exits(moment)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.state == nil || p.killed:
		return nil
	case p.last == "":
		return fmt.Errorf("the program ended: %w", p.state)
	}
	return fmt.Errorf("the program ended: %w; it printed last: %s", p.state, p.last)
}
