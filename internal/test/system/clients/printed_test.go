//go:build system

package clients_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// printedRunners run the document's examples: Python's has await outside of functions, and TypeScript's leaves the agent
// awake, which keeps the program from ending.
var printedRunners = map[string]string{
	"example.py": `import ast, asyncio, sys
code = compile(open("example.py").read(), "example.py", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
names = {}
async def main():
    await eval(code, names)
    done = asyncio.Event()
    names["agent"].on("streaming-complete", lambda _: done.set())
    await asyncio.wait_for(done.wait(), 15)
    assert names["prompt"]["system_prompt"] and names["tool_schemas"] and names["query_plan"] and names["message_id"]
    print("done")
    await names["agent"].aclose()
asyncio.run(main())
`,
	"example.mjs": "await import('./example.mjs');\nconsole.log('done');\nprocess.exit(0);\n",
}

// printedTools are the modules of the examples' tool, save_note.
var printedTools = map[string]string{
	"tools.py":  "def save_note(text):\n    open('notes', 'a').write(text + '\\n')\n    return 'kept'\n",
	"tools.mjs": "import { appendFileSync } from 'node:fs';\nexport const save_note = ({ text }) => { appendFileSync('notes', text + '\\n'); return 'kept'; };\n",
}

// putFiles writes texts into a folder, by their paths.
func putFiles(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The examples of the clients' document run as they are printed there, but for the address and the folder.
func TestPrintedExamplesRun(t *testing.T) {
	t.Parallel()
	commands, project, python := runtimesOf(t)
	env := doorstest.ClientsGateways(t)
	url := doorstest.ValueOf(env, "WINDIE_TEST_LOCAL")
	env = append(env, "PYTHONPATH="+python, "PYTHONDONTWRITEBYTECODE=1")
	for language, file := range map[string]string{"typescript": "example.mjs", "python": "example.py"} {
		t.Run(language, func(t *testing.T) {
			folder := t.TempDir()
			printed, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), "gateway", "testdata", "documented", file))
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{
				file:                       strings.NewReplacer("https://api.windieos.com", url, "/Users/me/project", folder).Replace(string(printed)),
				"run" + filepath.Ext(file): printedRunners[file], "my_project/tools" + filepath.Ext(file): printedTools["tools"+filepath.Ext(file)],
			}
			putFiles(t, folder, files)
			copyFile(t, doorstest.ValueOf(env, "WINDIE_TEST_CARD"), filepath.Join(folder, "shot.png"))
			if err := os.Symlink(filepath.Join(project, "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
				t.Fatal(err)
			}
			exampleSays(t, folder, env, "", "(?s)done\n$", slices.Concat(commands[language], []string{"run" + filepath.Ext(file)})...)
			if notes, _ := os.ReadFile(filepath.Join(folder, "notes")); strings.Count(string(notes), "\n") != 3 {
				t.Errorf("the tool kept %q", notes)
			}
		})
	}
}
