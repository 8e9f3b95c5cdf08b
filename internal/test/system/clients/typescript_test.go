//go:build system

package clients_test

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// maxBundle bounds the whole TypeScript client as a page loads it, in bytes, compressed.
const maxBundle = 15 << 10

// testedVersion is that of the packages that tests install, and npmVersion how npm and Python spell it.
const testedVersion, npmVersion, pythonVersion = "v1.2.3-rc.4", "1.2.3-rc.4", "1.2.3rc4"

// packed packs the TypeScript client as it is published and installs it into an empty project, which it returns.
func packed(t *testing.T, bin string) (project string) {
	t.Helper()
	source, out, env := filepath.Join(testkit.RepoRoot(t), "sdk", "typescript"), t.TempDir(), os.Environ()
	runIn(t, testkit.RepoRoot(t), env, "scripts/packages.sh", testedVersion, out, "typescript")
	tarball := filepath.Join(out, "windie-sdk-"+npmVersion+".tgz")
	runIn(t, out, env, filepath.Join(bin, "publint"), "--strict", tarball)
	runIn(t, out, env, filepath.Join(bin, "attw"), tarball, "--profile", "esm-only", "--no-emoji", "--no-color")
	project = t.TempDir()
	to := filepath.Join(project, "node_modules", "@windie", "sdk")
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	runIn(t, to, env, "tar", "-xzf", tarball, "--strip-components", "1")
	if err := os.CopyFS(filepath.Join(project, "test"), os.DirFS(filepath.Join(source, "test"))); err != nil {
		t.Fatal(err)
	}
	return project
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The TypeScript client, built as it would be published, keeps the rules of packages, fits strict programs,
// is small, and does against real gateways what its tests say.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	bin, node := sdkTools(t), newNode(t)
	project, env := packed(t, bin), doorstest.ClientsGateways(t)
	t.Run("version", func(t *testing.T) {
		const program = "import { VERSION } from '@windie/sdk'; console.log(VERSION)"
		if out := runIn(t, project, env, node, "--input-type=module", "-e", program); strings.TrimSpace(out) != npmVersion {
			t.Error(out)
		}
	})
	t.Run("types", func(t *testing.T) {
		t.Parallel()
		runIn(t, project, env, filepath.Join(bin, "tsc"), "-p", "test")
	})
	t.Run("size", func(t *testing.T) {
		t.Parallel()
		out := filepath.Join(t.TempDir(), "bundle.js")
		runIn(t, project, env, filepath.Join(bin, "esbuild"), filepath.Join("node_modules", "@windie", "sdk", "dist", "index.js"), "--bundle", "--minify", "--format=esm", "--platform=browser", "--outfile="+out)
		bundle, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		var size counter
		z, _ := gzip.NewWriterLevel(&size, gzip.BestCompression)
		if _, err := z.Write(bundle); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		if size > maxBundle {
			t.Errorf("the client has %d bytes compressed, more than %d", size, maxBundle)
		}
		t.Logf("%d bytes compressed", size)
	})
	env = append(env, "WINDIE_BIN="+windieProgram(t))
	for _, file := range []string{"coverage", "perception", "routes", "prompts", "agent", "local-runtime"} {
		t.Run(file, func(t *testing.T) { // one after the other: they steer one proxy
			out := runIn(t, project, env, node, "--test", "--test-timeout=90000", "--test-reporter=spec", filepath.Join("test", file+".test.mjs"))
			if testing.Verbose() {
				t.Log(out)
			}
		})
	}
}

// counter counts what is written.
type counter int

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
