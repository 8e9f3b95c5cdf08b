package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The names under which this program starts itself as a supervisor, and as the guard above it.
const (
	supervisor = "windie-supervisor"
	guard      = "windie-guard"
)

// The files of a guard and its supervisor besides their standard ones.
const (
	controlFile = 3 // end of file, when the caller closes it or dies, ends the program
	reportFile  = 4 // file for the supervisor's report
)

// Times of a supervisor.
const (
	politeTime = 300 * time.Millisecond // for programs to end after a polite signal
	countEvery = time.Second            // interval of counting the processes
	guardTime  = 5 * time.Second        // after which a guard replaces a supervisor that does not end
	lateTime   = 10 * time.Second       // after which a guard that does not end is killed
)

// supervised reports whether Supervise was called, so that this program can start itself as a
// supervisor.
var supervised atomic.Bool

// Supervise must be called first in main. In a supervisor or its guard it does not return.
func Supervise() {
	supervised.Store(true)
	switch {
	case len(os.Args) <= 2:
	case os.Args[0] == guard:
		os.Exit(watchOver(os.Args[1:]))
	case os.Args[0] == supervisor:
		os.Exit(supervise(os.Args[1], os.Args[2:]))
	}
}

// report is a supervisor's report when all processes have ended.
type report struct {
	Code  int    `json:"code"`
	Why   string `json:"why,omitempty"`
	Error string `json:"error,omitempty"` // why the program did not start
}

// start runs a program under a supervisor, and waits until every process that it started has ended.
func start(ctx context.Context, c Command, out io.Writer) (ending, error) {
	if !supervised.Load() {
		return startGroup(ctx, c, out)
	}
	program, err := lookUp(c)
	if err != nil {
		return ending{}, err
	}
	control, hold, err := os.Pipe()
	if err != nil {
		return ending{}, err
	}
	defer hold.Close()
	answer, tell, err := os.Pipe()
	if err != nil {
		return ending{}, errors.Join(err, control.Close())
	}
	defer answer.Close()
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = append([]string{guard, program, c.Program}, c.Args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay, cmd.ExtraFiles = c.Dir, c.Env, waitAfter, []*os.File{control, tell}
	c.connect(cmd, out)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = cmd.Start()
	err = errors.Join(err, control.Close(), tell.Close())
	if err != nil {
		return ending{}, err
	}
	defer context.AfterFunc(ctx, func() {
		_ = hold.Close()
		_ = answer.SetReadDeadline(time.Now().Add(lateTime))
	})()
	var said report
	err = json.NewDecoder(answer).Decode(&said)
	if err != nil {
		_ = cmd.Process.Kill()
	}
	_ = cmd.Wait() // its report counts, not its exit code
	switch {
	case err != nil:
		return ending{code: -1, why: "the program's supervisor was killed"}, nil
	case said.Error != "":
		return ending{}, errors.New(said.Error)
	}
	return ending{said.Code, said.Why}, nil
}

// lookUp returns the path of a program.
func lookUp(c Command) (string, error) {
	if filepath.Base(c.Program) != c.Program {
		at := c.Program
		if !filepath.IsAbs(at) {
			at = filepath.Join(c.Dir, at)
		}
		return exec.LookPath(at)
	}
	path, err := exec.LookPath(c.Program)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// watchOver is the guard: it starts a supervisor, and ends the remaining processes if the
// supervisor is killed. The supervisor in turn outlives its guard. So processes remain only if both
// are killed at once.
func watchOver(args []string) int {
	control, answer, stop, err := begin()
	if err != nil {
		return answer.say(report{Error: "the supervisor cannot start: " + err.Error()})
	}
	below, err := os.StartProcess("/proc/self/exe", append([]string{supervisor}, args...), &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr, control, answer.File},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM},
	})
	if err != nil {
		return answer.say(report{Error: "the supervisor cannot start: " + err.Error()})
	}
	_ = os.Stdin.Close()
	ended, empty := make(chan syscall.WaitStatus, 1), make(chan struct{})
	go reap(below.Pid, ended, empty)
	select {
	case <-ended:
	case <-stop:
		select {
		case <-ended:
		case <-time.After(guardTime):
		}
	}
	sweep(os.Getpid(), empty)
	return 0
}

// answering is the file for a supervisor's report.
type answering struct{ *os.File }

// say writes a report, and returns the exit code.
func (a answering) say(r report) int {
	_ = json.NewEncoder(a).Encode(r)
	return 0
}

// begin turns this process into a supervisor or a guard. control is the caller's file; answer is
// for the report. stop is closed when the caller closes its end of control, or a signal arrives.
func begin() (control *os.File, answer answering, stop <-chan struct{}, err error) {
	runtime.LockOSThread() // a program's death signal follows the thread that started it
	unix.CloseOnExec(controlFile)
	unix.CloseOnExec(reportFile)
	control, answer = os.NewFile(controlFile, "control"), answering{os.NewFile(reportFile, "report")}
	asked, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		_, _ = control.Read(make([]byte, 1))
		cancel()
	}()
	return control, answer, asked.Done(), errors.Join(
		// orphaned descendants become children of this process
		unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0),
		// so that no descendant gains privileges and all can be killed
		unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
}

// supervise is the supervisor: it runs a program, and ends when none of its processes is left.
func supervise(program string, args []string) int {
	_, answer, stop, err := begin()
	if err != nil {
		return answer.say(report{Error: "the supervisor cannot start: " + err.Error()})
	}
	main, err := os.StartProcess(program, args, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return answer.say(report{Error: err.Error()})
	}
	_ = os.Stdin.Close()
	ended, empty := make(chan syscall.WaitStatus, 1), make(chan struct{})
	go reap(main.Pid, ended, empty)
	r := watch(main.Pid, ended, stop)
	sweep(os.Getpid(), empty)
	return answer.say(r)
}

// watch waits until the program ends, is stopped, or has started too many processes.
func watch(pid int, ended <-chan syscall.WaitStatus, stop <-chan struct{}) report {
	count := time.NewTicker(countEvery)
	defer count.Stop()
	for {
		select {
		case status := <-ended:
			if status.Signaled() {
				return report{Code: -1, Why: "the program was ended by the signal " + unix.SignalName(status.Signal())}
			}
			return report{Code: status.ExitStatus()}
		case <-count.C:
			if n := len(descendants(os.Getpid())); n > MaxProcesses {
				return report{Code: -1, Why: fmt.Sprintf("the program had started %d processes; the limit is %d", n, MaxProcesses)}
			}
		case <-stop:
			_ = syscall.Kill(-pid, syscall.SIGTERM)
			select {
			case <-ended:
			case <-time.After(politeTime):
			}
			return report{Code: -1}
		}
	}
}

// reap waits for all children. It sends the status of the child pid to ended, and closes empty when
// there are no children. Then there are no descendants either: an orphan is a child.
func reap(pid int, ended chan<- syscall.WaitStatus, empty chan<- struct{}) {
	for {
		var status syscall.WaitStatus
		switch got, err := syscall.Wait4(-1, &status, 0, nil); {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			close(empty)
			return
		case got == pid:
			ended <- status
		}
	}
}

// sweep kills all descendants of a process until there are none. It first stops each, so that they
// start no others meanwhile.
func sweep(root int, empty <-chan struct{}) {
	for {
		all := descendants(root)
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGSTOP)
		}
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-empty:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// descendants lists the processes below one, except those that have ended and wait to be reaped.
func descendants(root int) (list []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, e := range entries {
		var pid, parent int
		var state string
		if _, err := fmt.Sscan(e.Name(), &pid); err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		_, rest, _ := cutLast(string(stat), ')') // the name in brackets may contain anything
		if _, err := fmt.Sscan(rest, &state, &parent); err == nil && state != "Z" && state != "X" {
			children[parent] = append(children[parent], pid)
		}
	}
	for todo := children[root]; len(todo) > 0; todo = todo[1:] {
		list = append(list, todo[0])
		todo = append(todo, children[todo[0]]...)
	}
	return list
}

// cutLast cuts a text around its last c.
func cutLast(s string, c byte) (before, after string, found bool) {
	if i := strings.LastIndexByte(s, c); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}
