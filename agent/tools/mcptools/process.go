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

// Time limits for a server.
const (
	writeTimeout = 5 * time.Second        // for reading a message
	leaveTimeout = 2 * time.Second        // for ending by itself after the gateway closed its input
	termTimeout  = time.Second            // for ending after SIGTERM
	moment       = 250 * time.Millisecond // between the end of its output and the end of the program
)

// Limits of a server's output to the log. The gateway omits the rest.
const (
	maxLineBytes = 2 << 10
	linesRate    = 10 // lines per second
	linesBurst   = 100
)

// inherited are the gateway's environment variables that every server gets. Programs need them to find other
// programs and the home folder. None is a secret.
var inherited = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "LANG", "LC_ALL", "TZ", "SYSTEMROOT", "APPDATA"}

// process is the link to a server that is a program. The program has a process group of its own.
type process struct {
	cmd           *exec.Cmd
	in, out, errs *os.File // the gateway's ends of its input, output and errors
	print         func(line string)
	ctx           context.Context // ends with the program
	cancel        context.CancelFunc
	exited        chan struct{}
	readers       sync.WaitGroup
	leaving       atomic.Bool
	ending, ended sync.Once
	mu            sync.Mutex
	last          string // last line that the program printed, except messages
	state         error  // exit status of the program; nil while it runs
	killed        bool   // cut killed the program
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
	p.cmd.Env = []string{} // with nil the program would inherit all variables of the gateway
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

// pipes creates the pipes, and returns the program's ends. The caller closes them, also after an error.
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

// wait waits for the program to end, and kills its remaining child processes.
func (p *process) wait() {
	err := p.cmd.Wait()
	killGroup(p.cmd.Process)
	p.mu.Lock()
	p.state = cmp.Or(err, errors.New("exit status 0"))
	p.mu.Unlock()
	// The readers have this long for the remaining output. Other processes may hold the output open.
	soon := time.Now().Add(termTimeout)
	_ = p.out.SetReadDeadline(soon)
	_ = p.errs.SetReadDeadline(soon)
	close(p.exited)
}

// readErrors prints the program's errors until they end. It cuts a line after maxLineBytes.
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

// say stores a line for cause and prints it. If the program prints faster than pace, say omits the line from the log.
func (p *process) say(line []byte, pace *rate.Limiter) {
	p.mu.Lock()
	p.last = string(line[:min(len(line), maxNoteBytes)])
	p.mu.Unlock()
	if pace.Allow() {
		p.print(string(line))
	}
}

// transport returns the transport over the program's input and output. Its Close is p.Close.
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

// leave makes Close wait for the program to end by itself.
func (p *process) leave() { p.leaving.Store(true) }

// Close ends the program. After a call of leave, the program first gets time to end by itself.
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

// exits waits at most the duration within for the program to end, and reports whether it has ended.
func (p *process) exits(within time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(within):
		return false
	}
}

// cut kills the program and its child processes, and closes the pipes. It waits until readErrors has returned.
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

// closeAll closes the gateway's ends of the pipes. Pipes that could not be created are nil.
func (p *process) closeAll() {
	for _, file := range []*os.File{p.in, p.out, p.errs} {
		if file != nil {
			file.Close()
		}
	}
}

// cause returns the exit status of the program and its last printed line. It returns nil if the program runs
// or if cut killed it.
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
