//go:build system

package clients_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// generators are the folders with what `make deps-system` installs for them, and with their locks.
type generators struct{ installed, locks string }

func generatorsOf(t *testing.T) generators {
	t.Helper()
	root := testkit.RepoRoot(t)
	g := generators{filepath.Join(root, ".tools", "generators"), filepath.Join(root, "internal", "test", "system", "clients", "testdata", "generators")}
	for _, program := range []string{g.node("openapi-ts"), filepath.Join(g.installed, "python", "stamp")} {
		if _, err := os.Stat(program); err != nil {
			testkit.Skip(t, "generators of clients", "make deps-system")
		}
	}
	if _, err := exec.LookPath("java"); err != nil {
		testkit.Skip(t, "java", "make deps-system")
	}
	return g
}

// node returns the path of a program of npm's.
func (g generators) node(name string) string {
	return filepath.Join(g.installed, "node_modules", ".bin", name)
}

// goModule makes dir a module that has what generated Go clients import.
func (g generators) goModule(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"go.mod", "go.sum"} {
		copyFile(t, filepath.Join(g.locks, "go", name), filepath.Join(dir, name))
	}
}

// requests is a program that leaves out the fields of requests that have defaults.
const requests = `import type { components } from './schema';
type Schemas = components['schemas'];
export const text: Schemas['OCRTextRequest'] = { image: { artifact_id: 'a' }, text: 'Check out' };
export const elements: Schemas['ScreenElementsRequest'] = { image: { artifact_id: 'a' } };
export const prompt: Schemas['PromptStart'] = { input: 'hello' };
`

// generatedClients generate a client from the document in a file, in an empty folder, and compile it.
var generatedClients = map[string]func(t *testing.T, g generators, document, dir string){
	"oapi-codegen": func(t *testing.T, g generators, document, dir string) {
		g.goModule(t, dir)
		runIn(t, filepath.Join(g.locks, "go"), os.Environ(), "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "client", "-o", filepath.Join(dir, "client.go"), document)
		runIn(t, dir, os.Environ(), "go", "build", "-mod=mod", ".")
	},
	"openapi-typescript": func(t *testing.T, g generators, document, dir string) {
		runIn(t, dir, os.Environ(), g.node("openapi-typescript"), document, "-o", "schema.ts")
		if err := os.WriteFile(filepath.Join(dir, "use.ts"), []byte(requests), 0o600); err != nil {
			t.Fatal(err)
		}
		runIn(t, dir, os.Environ(), g.node("tsc"), "--strict", "--noEmit", "schema.ts", "use.ts")
	},
	"hey-api": func(t *testing.T, g generators, document, dir string) {
		runIn(t, dir, os.Environ(), g.node("openapi-ts"), "-i", document, "-o", "client", "-c", "@hey-api/client-fetch")
		runIn(t, dir, os.Environ(), g.node("tsc"), "--strict", "--noEmit", "--target", "es2022", "--module", "preserve", "--lib", "es2022,dom,dom.iterable", "client/index.ts")
	},
	"openapi-python-client": func(t *testing.T, g generators, document, dir string) {
		env := append(os.Environ(), "PYTHONPATH="+filepath.Join(g.installed, "python"), "PYTHONDONTWRITEBYTECODE=1")
		// Its types of content do not include audio, for which the setting is.
		settings := filepath.Join(dir, "settings.json")
		if err := os.WriteFile(settings, []byte(`{"content_type_overrides": {"audio/pcm": "application/octet-stream", "audio/wav": "application/octet-stream"}, "post_hooks": []}`), 0o600); err != nil {
			t.Fatal(err)
		}
		runIn(t, dir, env, "python3", "-m", "openapi_python_client", "generate", "--path", document, "--output-path", "client", "--config", settings, "--fail-on-warning")
		runIn(t, filepath.Join(dir, "client"), env, "python3", "-c", "import glob, importlib\nfor name in glob.glob('*/api/*/*.py'): importlib.import_module(name[:-3].replace('/', '.'))")
	},
	"openapi-generator": func(t *testing.T, g generators, document, dir string) {
		jar := filepath.Join(g.installed, "python", "openapi_generator_cli", "openapi-generator.jar")
		runIn(t, dir, os.Environ(), "java", "-jar", jar, "generate", "-g", "go", "-i", document, "-o", dir, "--additional-properties=enumClassPrefix=true")
		if err := os.RemoveAll(filepath.Join(dir, "test")); err != nil { // its tests need a module more
			t.Fatal(err)
		}
		g.goModule(t, dir)
		runIn(t, dir, os.Environ(), "go", "build", "-mod=mod", ".")
	},
}

// Generators make clients of both forms of the document, which compile.
func TestGeneratedClientsCompile(t *testing.T) {
	t.Parallel()
	g, env := generatorsOf(t), doorstest.ClientsGateways(t)
	for form, path := range map[string]string{"3.1": "/openapi.json", "3.0": "/openapi-3.0.json"} {
		document, _ := doorstest.DocumentOf(t, doorstest.ValueOf(env, "WINDIE_TEST_LOCAL")+path)
		for name, generate := range generatedClients {
			t.Run(strings.Join([]string{name, form}, " "), func(t *testing.T) {
				generate(t, g, document, t.TempDir())
			})
		}
	}
}
