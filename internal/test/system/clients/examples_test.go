//go:build system

package clients_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// exampleTime is how long an example may take.
const exampleTime = 20 * time.Second

// endedRun makes a run that has ended, and returns its id.
func endedRun(t *testing.T, url string) string {
	t.Helper()
	client := doorstest.ClientOf(t, url, sdk.WithRunsKey(doorstest.TestRunsKey))
	made, err := client.Runs.Create(t.Context(), sdkapi.RunRequest{WorkspaceID: "examples", AgentID: "a", Query: "do it", Queue: true})
	if err == nil {
		_, err = client.Runs.Control(t.Context(), made.Run.RunID, sdkapi.RunControlRequest{Action: "stop"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return made.Run.RunID
}

// runtimesOf returns how the examples of each language are run, with the packages as they are published, and where.
func runtimesOf(t *testing.T) (commands map[string][]string, project, python string) {
	t.Helper()
	project = packed(t, sdkTools(t))
	bin, _ := pythonTools(t)
	python = filepath.Join(pythonSource(t), "src")
	return map[string][]string{"typescript": {newNode(t)}, "python": {filepath.Join(bin, "python")}}, project, python
}

// examplePrograms is how the examples of one language are run.
type examplePrograms struct {
	dir     string
	env     []string
	command func(name string) []string // of click-target, agent or watch-run
}

// examplesIn prepares the examples of a language, with the package as it is published.
func examplesIn(t *testing.T, language string) (p examplePrograms) {
	t.Helper()
	scripts := os.DirFS(filepath.Join(testkit.RepoRoot(t), "examples", "clients"))
	switch language {
	case "go":
		p.dir = t.TempDir()
		runIn(t, testkit.RepoRoot(t), os.Environ(), "go", "build", "-o", p.dir, "./examples/click-target", "./examples/agent", "./examples/watch-run")
		p.command = func(name string) []string { return []string{filepath.Join(p.dir, name)} }
	case "typescript":
		node := newNode(t)
		p.dir = packed(t, sdkTools(t))
		p.command = func(name string) []string { return []string{node, filepath.Join(language, name+".mjs")} }
	case "python":
		bin, _ := pythonTools(t)
		p.dir = t.TempDir()
		p.env = []string{"PYTHONPATH=" + filepath.Join(pythonSource(t), "src"), "PYTHONDONTWRITEBYTECODE=1"}
		p.command = func(name string) []string {
			return []string{filepath.Join(bin, "python"), filepath.Join(language, strings.ReplaceAll(name, "-", "_")+".py")}
		}
	}
	if err := os.CopyFS(p.dir, scripts); err != nil {
		t.Fatal(err)
	}
	return p
}

// The examples of all clients do what they say, at the gateway of WINDIE_URL.
func TestExamplesOfClients(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"go", "typescript", "python"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			p, env := examplesIn(t, language), doorstest.ClientsGateways(t)
			url := doorstest.ValueOf(env, "WINDIE_TEST_LOCAL")
			env = slices.Concat(env, p.env, []string{"WINDIE_URL=" + url, "WINDIE_RUNS_KEY=" + doorstest.TestRunsKey, "USER=ada"})
			for _, tt := range []struct {
				name        string
				args        []string
				input, want string
			}{
				{"click-target", []string{doorstest.ValueOf(env, "WINDIE_TEST_CARD"), "Check out"}, "", "^\\d+,\\d+(\tCheck out)?\n$"},
				{"agent", []string{"Keep three notes"}, "yes\nyes\nyes\n", "(?s)All three notes are kept.\n(- note [123]\n){3}$"},
				{"watch-run", []string{endedRun(t, url)}, "", "(?s)^1 run-created .*run-ended .*\nstopped\n$"},
			} {
				t.Run(tt.name, func(t *testing.T) {
					exampleSays(t, p.dir, env, tt.input, tt.want, append(p.command(tt.name), tt.args...)...)
				})
				t.Run(tt.name+" without arguments", func(t *testing.T) {
					exampleRefuses(t, p.dir, env, p.command(tt.name)...)
				})
			}
			t.Run("watch-run without a key", func(t *testing.T) {
				exampleRefuses(t, p.dir, append(env, "WINDIE_RUNS_KEY="), append(p.command("watch-run"), "run")...)
			})
		})
	}
}

// exampleRefuses runs a command that lacks an argument, which must say how it is used, and end with 2.
func exampleRefuses(t *testing.T, dir string, env []string, command ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), exampleTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) || failed.ExitCode() != 2 || !strings.HasPrefix(string(out), "usage: ") {
		t.Errorf("%v: %v, want exit status 2 and the usage\n%s", command, err, out)
	}
}

// exampleSays runs a command that reads input, and checks what it prints.
func exampleSays(t *testing.T, dir string, env []string, input, want string, command ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), exampleTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = time.Second // for what it has started itself
	var failures strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = dir, env, strings.NewReader(input), &failures
	out, err := cmd.Output()
	if err != nil || !regexp.MustCompile(want).Match(out) {
		t.Errorf("%v: %v\n%s\n%s", command, err, out, failures.String())
	}
}

// Before the programs of a README: what they take from the program around them.
var preludes = map[string]string{
	"ts": "const click = () => {}, confirm = () => true, print = () => {}, notes = [], approvalKey = process.env.WINDIE_TEST_APPROVAL_KEY;\n",
	"python": "import os\nfrom windie import AgentClient, Windie\n" +
		"click, input, notes, key = (lambda *_: None), (lambda *_: 'yes'), [], os.environ['WINDIE_TEST_APPROVAL_KEY']\n",
}

// programBlock finds a program, and what it is said to print.
var programBlock = regexp.MustCompile("(?s)```(ts|python)\n(.*?)```(?:\n```text\n(.*?)```)?")

// readmeProgram returns a program of a README as it can be run.
func readmeProgram(language, text, url, folder, root string) string {
	text = strings.NewReplacer("http://127.0.0.1:8765", url, "/home/ada/project", folder, "../windie", root).Replace(text)
	if language == "ts" {
		if !strings.Contains(text, "import ") {
			text = "import { Windie } from '@windie/sdk';\n" + text
		}
		return preludes[language] + text + "\nprocess.exit(0);\n"
	}
	if strings.Contains(text, "await ") {
		text = "import asyncio\nasync def main():\n    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ") + "\nasyncio.run(main())\n"
	}
	return preludes[language] + text
}

// The programs of the clients' pages run as they stand there, but for the address and the folder.
func TestReadmesOfClients(t *testing.T) {
	t.Parallel()
	commands, project, python := runtimesOf(t)
	env := doorstest.ClientsGateways(t)
	url := doorstest.ValueOf(env, "WINDIE_TEST_LOCAL")
	env = append(env, "WINDIE_URL="+url, "WINDIE_BIN="+windieProgram(t), "WINDIE_DATA_DIR="+t.TempDir(), "PYTHONPATH="+python, "PYTHONDONTWRITEBYTECODE=1")
	copyFile(t, doorstest.ValueOf(env, "WINDIE_TEST_CARD"), filepath.Join(project, "shot.png"))
	for page, count := range map[string]int{"sdk/typescript/README.md": 4, "sdk/python/README.md": 4, "README.md": 1} {
		text, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), page))
		if err != nil {
			t.Fatal(err)
		}
		programs := programBlock.FindAllStringSubmatch(string(text), -1)
		if len(programs) != count {
			t.Errorf("%s has %d programs, want %d", page, len(programs), count)
		}
		for i, program := range programs {
			t.Run(fmt.Sprintf("%s %d", page, i+1), func(t *testing.T) {
				language, ending := "typescript", "mjs"
				if program[1] == "python" {
					language, ending = "python", "py"
				}
				file := fmt.Sprintf("readme%d.%s", i, ending)
				if err := os.WriteFile(filepath.Join(project, file), []byte(readmeProgram(program[1], program[2], url, t.TempDir(), testkit.RepoRoot(t))), 0o600); err != nil {
					t.Fatal(err)
				}
				exampleSays(t, project, env, "", regexp.QuoteMeta(program[3]), append(slices.Clone(commands[language]), file)...)
			})
		}
	}
}
