//go:build system

package desktop_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/client/computer/x11"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// A person's plain words reach a real program: through the gateway, which finds them on the screen that it was sent.
func TestDesktop(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 1000, 700)
	address, dir := rig.Serve(t), t.TempDir()
	file := openLetter(t, desk, dir)
	questions := strings.Join([]string{
		"click Ada",
		`run mouse_control {"action":"click","text":"Ada"}`,
		`run keyboard_control {"action":"hotkey","keys":["ctrl","a"]}`,
		`run keyboard_control {"action":"type","text":"Dear Zoë, 漢字"}`,
		`run keyboard_control {"action":"hotkey","keys":["ctrl","s"]}`,
		`run read_file {"path":"letter.txt"}`,
		`run write_file {"path":"made.txt","content":"by the agent"}`,
		`run run_shell_command {"command":"exit 3"}`,
		`run screenshot {}`,
		`run window_list {}`,
		`run browser {"action":"read"}`,
	}, "\n")
	var out, calls rig.Output
	args := []string{"desktop", "--gateway", address, "--dir", dir, "--display", desk.Display, "--program", "*", "--yes"}
	if code := rig.Run(t.Context(), args, []string{"WINDIE_DATA_DIR=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, strings.NewReader(questions), &out, &calls); code != 0 {
		t.Fatalf("%d: %s", code, calls.String())
	}
	testkit.EventuallyWithin(t, 10*time.Second, "the letter is saved", func() (string, bool) {
		text, _ := os.ReadFile(file)
		return string(text), strings.HasPrefix(string(text), "Dear Zoë, 漢字")
	})
	if made, err := os.ReadFile(filepath.Join(dir, "made.txt")); err != nil || string(made) != "by the agent" {
		t.Errorf("%s, %v", made, err)
	}
	for _, want := range []string{`screen_do: Clicked on the text "Ada"`, "mouse_control: The mouse did: click at x", "keyboard_control: Typed the text.", "read_file: Dear Zoë", `"exit_code":3`, "screenshot: This is the screen.", `window_list: {"monitors":[{"height":700`} {
		if !strings.Contains(calls.String(), want) {
			t.Errorf("no %s in:\n%s\nanswers:\n%s", want, calls.String(), out.String())
		}
	}
	if strings.Contains(out.String(), "browser is at") {
		t.Error("a browser was driven that is not allowed")
	}
}

// In a terminal a person is asked before something is changed, and what is not allowed is not done.
func TestDesktopAsks(t *testing.T) {
	t.Parallel()
	desk, url, dir := testkit.NewDesk(t, 640, 480), rig.Serve(t), t.TempDir()
	x := rig.InTerminal(t, dir, t.TempDir(), "desktop", "--gateway", url, "--dir", dir, "--display", desk.Display)
	screen := func(text string, times int) {
		t.Helper()
		testkit.Eventually(t, fmt.Sprintf("%q is there %d times", text, times), func() (string, bool) {
			all := x.All()
			return all, strings.Count(all, text) == times
		})
	}
	for i, answer := range []string{"n", "", "Y", "yes"} {
		name := fmt.Sprintf("file%d.txt", i)
		x.Says(`run write_file {"path":"` + name + `","content":"by the agent"}`)
		screen("Allow? [y/N]", i+1)
		x.Says(answer)
		screen("\nwrite_file: ", i+1)
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != (i >= 2) {
			t.Errorf("%s after %q: %v", name, answer, err)
		}
	}
	screen("\nwrite_file: Not run: the user denied it.", 2)
	x.Shows(`write_file {"path":"file3.txt","content":"by the agent"}`, "\nwrite_file: Wrote 12 bytes to file3.txt.")
}

// A yes that was typed before a question is shown does not answer it.
func TestDesktopAsksAnew(t *testing.T) {
	t.Parallel()
	desk, url, dir := testkit.NewDesk(t, 640, 480), rig.Serve(t), t.TempDir()
	x := rig.InTerminal(t, dir, t.TempDir(), "desktop", "--gateway", url, "--dir", dir, "--display", desk.Display)
	x.Says(`run write_file {"path":"file.txt","content":"by the agent"}`)
	x.Says("y")
	x.Says("yes")
	x.Shows("Allow? [y/N]")
	x.Says("n")
	x.Shows("\nwrite_file: Not run: the user denied it.")
	if _, err := os.Stat(filepath.Join(dir, "file.txt")); err == nil {
		t.Error("the file was written")
	}
}

// Half a line that was typed before a question is shown is no part of its answer, nor is what is typed before it can be read.
func TestDesktopAsksWithoutHalfALine(t *testing.T) {
	t.Parallel()
	desk, url, dir := testkit.NewDesk(t, 640, 480), rig.Serve(t), t.TempDir()
	x := rig.InTerminal(t, dir, t.TempDir(), "desktop", "--gateway", url, "--dir", dir, "--display", desk.Display)
	x.Types(`run write_file {"path":"file.txt","content":"by the agent"}`)
	x.Press("Enter", "y")
	x.Shows("Allow? [y/N]")
	x.Press("Enter")
	x.Shows("\nwrite_file: Not run: the user denied it.")
	if _, err := os.Stat(filepath.Join(dir, "file.txt")); err == nil {
		t.Error("the file was written")
	}
}

// Whoever stops while a question is open is not waited for, and hears what came of it.
func TestDesktopStops(t *testing.T) {
	t.Parallel()
	desk, url, dir := testkit.NewDesk(t, 640, 480), rig.Serve(t), t.TempDir()
	x := rig.InTerminal(t, dir, t.TempDir(), "desktop", "--gateway", url, "--dir", dir, "--display", desk.Display)
	x.Says(`run write_file {"path":"file.txt","content":"by the agent"}`)
	x.Shows("Allow? [y/N]")
	x.Press("C-c")
	x.Shows("windie: stopped: the agent has stopped working")
	if _, err := os.Stat(filepath.Join(dir, "file.txt")); err == nil {
		t.Error("the file was written")
	}
}

// A screen that has not changed is sent once, however many questions and answers show it.
func TestDesktopSendsAScreenOnce(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 640, 480)
	address, control := gatewaytest.Behind(t, rig.Serve(t))
	questions := "run screenshot {}\nrun screenshot {}\nclick 600, 400\nrun window_list {}\n"
	var out, calls rig.Output
	args := []string{"desktop", "--gateway", address, "--dir", t.TempDir(), "--display", desk.Display, "--yes"}
	if code := rig.Run(t.Context(), args, []string{"WINDIE_DATA_DIR=" + t.TempDir()}, strings.NewReader(questions), &out, &calls); code != 0 {
		t.Fatalf("%d: %s", code, calls.String())
	}
	if n := strings.Count(calls.String(), "This is the screen."); n != 2 {
		t.Errorf("%d screenshots:\n%s", n, calls.String())
	}
	if n := strings.Count(seen(t, control), `"POST","path":"/api/artifacts/"`); n != 1 {
		t.Errorf("the screen was sent %d times", n)
	}
}

func waitForWindow(t *testing.T, desk *testkit.Desk, title string) {
	t.Helper()
	testkit.Eventually(t, "a window called "+title, func() (string, bool) {
		got := desk.Run("xprop", "-root", "_NET_CLIENT_LIST")
		for field := range strings.FieldsSeq(strings.ReplaceAll(got, ",", " ")) {
			if strings.HasPrefix(field, "0x") && strings.Contains(desk.Run("xprop", "-id", field, "WM_NAME"), title) {
				return got, true
			}
		}
		return got, false
	})
}

// A run of a dashboard is carried out on a screen, with the names of the reference, and pictures of it in the timeline.
func TestDesktopWorker(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 1000, 700)
	address, dir := rig.Serve(t, "WINDIE_RUNS_API_KEY="+rig.RunsKey, "WINDIE_RUNS_LEASE=6s"), t.TempDir()
	file := openLetter(t, desk, dir)
	client := rig.RunsOf(t, address)
	serveDesktop(t, address, dir, desk.Display)
	for _, step := range []string{"run screenshot {}", `run keyboard_control {"action":"type","text":"Run: "}`, `run keyboard_control {"action":"hotkey","keys":["ctrl","s"]}`} {
		r := rig.AskRun(t, client, step)
		_, all := rig.FollowRun(t, client, r.RunID)
		rig.RunEnded(t, client, r.RunID, sdkapi.RunCompleted)
		if !strings.Contains(all, `"screenshot_ref"`) || !strings.Contains(all, "letter.txt") {
			t.Errorf("%s: no picture of the screen in %.1000s", step, all)
		}
	}
	testkit.EventuallyWithin(t, 10*time.Second, "the letter is saved", func() (string, bool) {
		text, _ := os.ReadFile(file)
		return string(text), strings.HasPrefix(string(text), "Run: Dear Ada")
	})
}

// A run on a desktop is watched from outside, and paused: nothing is typed until it is resumed, and then all is, once.
func TestDesktopWorkerPauses(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 1000, 700)
	address, dir := rig.Serve(t, "WINDIE_RUNS_API_KEY="+rig.RunsKey, "WINDIE_RUNS_LEASE=6s"), t.TempDir()
	file := openLetter(t, desk, dir)
	display, err := x11.Open(desk.Display)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(display.Close)
	client := rig.RunsOf(t, address)
	serveDesktop(t, address, dir, desk.Display, "--program", "sh")
	r := rig.AskRun(t, client, rig.Script(t, dir, "touch began; while ! test -e go; do sleep 0.05; done; touch over")+` then type "Run: " then press ctrl+s`)
	made := func(name string) {
		t.Helper()
		testkit.EventuallyWithin(t, 30*time.Second, "the program makes "+name, func() (string, bool) {
			_, err := os.Stat(filepath.Join(dir, name))
			return fmt.Sprint(err), err == nil
		})
	}
	made("began")
	control := func(action string) {
		t.Helper()
		if _, err := client.Runs.Control(t.Context(), r.RunID, sdkapi.RunControlRequest{Action: action}); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "the worker has the command", func() (string, bool) {
			all := eventsOf(t, client, r.RunID)
			return all, strings.Contains(all, sdkapi.RunControlApplied+`{"action":"`+action)
		})
	}
	control(sdkapi.RunPause)
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	made("over")
	testkit.Throughout(t, 2*time.Second, "nothing is typed", func() (string, bool) {
		list, err := display.Windows()
		return fmt.Sprint(list, err), err == nil && !slices.ContainsFunc(list, func(w x11.Window) bool { return strings.HasPrefix(w.Title, "*") })
	})
	control(sdkapi.RunResume)
	_, all := rig.FollowRun(t, client, r.RunID)
	rig.RunEnded(t, client, r.RunID, sdkapi.RunCompleted)
	if !strings.Contains(all, `"screenshot_ref"`) {
		t.Errorf("no picture of the screen in %.1000s", all)
	}
	testkit.EventuallyWithin(t, 10*time.Second, "the letter is saved", func() (string, bool) {
		text, _ := os.ReadFile(file)
		return string(text), strings.TrimSpace(string(text)) == "Run: Dear Ada"
	})
}

// eventsOf returns the types of a run's events so far, and what they hold.
func eventsOf(t *testing.T, client *sdk.Client, run string) (all string) {
	t.Helper()
	page, err := client.Runs.Events(t.Context(), run, 0, 1000)
	if err != nil {
		return err.Error()
	}
	for _, e := range page.Events {
		all += e.EventType + string(e.Payload)
	}
	return all
}

// serveDesktop runs `windie desktop --worker` until the test ends.
func serveDesktop(t *testing.T, address, dir, display string, more ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var out, complaint rig.Output
	ended := make(chan int, 1)
	args := []string{"desktop", "--worker", "--gateway", address, "--dir", dir, "--display", display, "--unattended"}
	args = append(args, more...)
	environ := []string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_RUNS_API_KEY=" + rig.RunsKey, "PATH=" + os.Getenv("PATH")}
	go func() { ended <- rig.Run(ctx, args, environ, nil, &out, &complaint) }()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != 0 || t.Failed() {
			t.Errorf("the desktop ended with %d:\n%s", code, complaint.String())
		}
	})
}

// openLetter opens a letter that begins with "Dear Ada" in an editor on a desk, and returns its file in dir.
func openLetter(t *testing.T, desk *testkit.Desk, dir string) string {
	t.Helper()
	file := filepath.Join(dir, "letter.txt")
	if err := os.WriteFile(file, []byte("Dear Ada"), 0o600); err != nil {
		t.Fatal(err)
	}
	desk.Start("mousepad", "--disable-server", file)
	waitForWindow(t, desk, "letter.txt")
	return file
}

// agentOnce runs windie agent to its end.
func agentOnce(t *testing.T, url, dir, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	args = append([]string{"agent", "--root", dir}, args...)
	if url != "" {
		args = append(args, "--gateway", url)
	}
	return rig.Windie(t, strings.NewReader(stdin), args...)
}

// With --screen the agent sees, clicks and types on the screen of this machine.
func TestAgentScreen(t *testing.T) {
	t.Parallel()
	desk, dir := testkit.NewDesk(t, 1000, 700), t.TempDir()
	file := openLetter(t, desk, dir)
	// The last of what is said cannot be done, which the code is for.
	said := "double click Ada\ntype \"Zoë\"\npress ctrl+s\nclick Nowhere\n"
	code, out, complaint := agentOnce(t, rig.Serve(t), dir, said, "--screen", "--display", desk.Display, "--allow", "screen_*")
	if code != 1 || !strings.Contains(out, `Clicked on the text "Ada"`) || !strings.Contains(out, `no row matches "Nowhere"`) {
		t.Errorf("%d\n%s\n%s", code, out, complaint)
	}
	testkit.EventuallyWithin(t, 10*time.Second, "the letter is saved", func() (string, bool) {
		text, _ := os.ReadFile(file)
		return string(text), string(text) == "Dear Zoë" || string(text) == "Dear Zoë\n"
	})
	if _, out, _ := agentOnce(t, "", dir, "run screen_see {}\n", "--local"); strings.Contains(out, "The screen has") {
		t.Errorf("without --screen: %s", out)
	}
}
