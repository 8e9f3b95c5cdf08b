//go:build system

package guides_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A new plugin is built, tested and packed as its CI does it, without a network, and as it stands.
func TestToolNewPassesItsCI(t *testing.T) {
	t.Parallel()
	r := newPupil(t)
	for language, heading := range map[string]string{"go": "Go", "rust": "Rust", "assemblyscript": "AssemblyScript", "c": "C", "js": "JavaScript"} {
		t.Run(language, func(t *testing.T) {
			r := r
			r.t = t
			r.need(t, heading)
			dir := filepath.Join(r.dir, language, "notes")
			kit := ""
			if language == "go" { // the published kit needs the network
				kit = " --kit " + r.root
			}
			r.run(r.dir, "windie tool new "+language+" "+dir+kit)
			if language == "assemblyscript" { // in place of npm install
				r.run(dir, "ln -s "+filepath.Join(r.root, ".tools", "assemblyscript", "node_modules")+" node_modules; cp "+
					filepath.Join(r.root, "examples", "plugins", "table", "package-lock.json")+" .")
			}
			wantWorkflow(t, filepath.Join(dir, ".github", "workflows", "plugin.yml"))
			r.run(r.dir, "sh "+filepath.Join(dir, "ci.sh")+" --licences MIT")
			r.run(dir, "windie plugin inspect dist/notes.tar | grep 'notes.count'")
		})
	}
}

// wantWorkflow checks that a workflow checks the plugin out into a folder of its name and runs its script there.
func wantWorkflow(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses, Run string
				Folder    string            `yaml:"working-directory"`
				With      map[string]string `yaml:"with"`
			}
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	out, ran := false, false
	for _, step := range workflow.Jobs["plugin"].Steps {
		out = out || strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["path"] == "notes"
		ran = ran || out && step.Run == "sh ci.sh" && step.Folder == "notes"
	}
	if !ran {
		t.Errorf("the workflow does not run the script:\n%s", text)
	}
}
