package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/windieos/windie/client/computer/process"
)

// TestTalk writes to a running program and reads its answers, apart from its errors. The program
// must end with the context.
func TestTalk(t *testing.T) {
	t.Parallel()
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := process.Run(ctx, process.Command{
			Program: "sh", Args: []string{"-c", `while read line; do echo "heard $line"; done`}, Dir: t.TempDir(), Env: os.Environ(), In: theirIn, Out: theirOut, Time: process.MaxTalk + time.Hour,
		})
		_, _ = theirIn.Close(), theirOut.Close()
		ended <- err
	}()
	answers := bufio.NewScanner(out)
	for i := range 3 {
		fmt.Fprintln(in, i)
		if !answers.Scan() || answers.Text() != fmt.Sprintf("heard %d", i) {
			t.Errorf("got %q, %v", answers.Text(), answers.Err())
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if answers.Scan() {
		t.Errorf("it goes on: %q", answers.Text())
	}
	_, _ = in.Close(), out.Close()
}

// TestTalkComplains checks that the result has the standard error of a program, but not its
// standard output.
func TestTalkComplains(t *testing.T) {
	t.Parallel()
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	got, err := process.Run(t.Context(), process.Command{Program: "sh", Args: []string{"-c", "echo said; echo complained >&2; exit 4"}, Env: os.Environ(), In: in, Out: out})
	said, _ := os.ReadFile(out.Name())
	if err != nil || got.ExitCode != 4 || got.Output != "complained\n" || string(said) != "said\n" {
		t.Errorf("%+v, %v, %q", got, err, said)
	}
}

// TestEnvironment checks that programs get no secret variables, except those named in keep.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	all := []string{"PATH=/bin", "ANTHROPIC_API_KEY=1", "MY_TOKEN=2", "WINDIE_MODE=local"}
	for name, c := range map[string]struct{ keep, want []string }{
		"none":  {nil, []string{"PATH=/bin"}},
		"a key": {[]string{"ANTHROPIC_API_KEY"}, []string{"PATH=/bin", "ANTHROPIC_API_KEY=1"}},
		"all":   {[]string{"*"}, all},
	} {
		t.Run(name, func(t *testing.T) {
			got := process.Environment(all, c.keep)
			if !slices.Equal(got[:len(c.want)], c.want) || !slices.Contains(got, "TERM=dumb") {
				t.Errorf("got %q", got)
			}
		})
	}
}
