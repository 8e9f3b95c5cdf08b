package git_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/git"
	"github.com/windieos/windie/client/computer/process"
	"github.com/windieos/windie/internal/test/testkit"
)

func TestMain(m *testing.M) {
	process.Supervise()
	goleak.VerifyTestMain(m)
}

type arguments map[string]any

// call calls a tool, and returns its output, or behind "failed: " why there is no output.
func call(ctx context.Context, t testing.TB, dir, name string, in arguments) string {
	t.Helper()
	tools := agent.NewRegistry()
	for _, tool := range git.New(dir, git.Rules{}).Tools() {
		if err := tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	result, err := tools.Invoke(ctx, name, agent.Call{Arguments: raw})
	switch {
	case err != nil:
		return "failed: " + err.Error()
	case result.IsError:
		return "failed: " + result.Content[0].Text
	}
	var out git.Output
	if err := json.Unmarshal(result.Structured, &out); err != nil {
		t.Fatal(err)
	}
	return out.Output
}

// plainly runs the git of the machine as its user would.
func plainly(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

func put(t testing.TB, dir, name, text string, mode os.FileMode) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// has fails unless git printed a text; hasNot fails if it did.
func has(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%s\nhas no %s", got, want)
	}
}

func hasNot(t *testing.T, got, never string) {
	t.Helper()
	if strings.Contains(got, never) {
		t.Errorf("%s\nhas %q", got, never)
	}
}

// repository makes one with a commit.
func repository(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		testkit.Skip(t, "git", "install the package git")
	}
	dir := t.TempDir()
	plainly(t, dir, "init", "-q", "-b", "main", ".")
	plainly(t, dir, "config", "user.name", "Ada")
	plainly(t, dir, "config", "user.email", "ada@example.com")
	put(t, dir, "a.txt", "one\n", 0o600)
	put(t, dir, "b.flt", "one\n", 0o600)
	put(t, dir, "sub/c.txt", "c\n", 0o600)
	plainly(t, dir, "add", ".")
	plainly(t, dir, "commit", "-qm", "the first")
	return dir
}

// The tools do what the user's own git sees, and the other way round.
func TestGit(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	put(t, dir, "a.txt", "one\ntwo\n", 0o600)
	put(t, dir, "new file", "n\n", 0o600)
	for _, step := range []struct {
		tool string
		in   arguments
		want string
	}{
		{"git.status", arguments{}, "## main\n M a.txt\n?? \"new file\"\n"},
		{"git.diff", arguments{}, "+two\n"},
		{"git.diff", arguments{"stat": true, "paths": []string{"sub"}}, ""},
		{"git.add", arguments{"paths": []string{"a.txt", "new file"}}, "## main\nM  a.txt\nA  \"new file\"\n"},
		{"git.diff", arguments{"staged": true, "stat": true}, "a.txt"},
		{"git.commit", arguments{"message": "Two\n\nas well"}, "[main "},
		{"git.log", arguments{}, "    Two (HEAD -> main)\n"},
		{"git.log", arguments{"commits": 1, "patch": true}, "+two"},
		{"git.show", arguments{"what": "HEAD~1:a.txt"}, "one\n"},
		{"git.show", arguments{}, "+two"},
		{"git.branch", arguments{"name": "topic"}, "* topic"},
		{"git.branch", arguments{"name": "old", "from": "HEAD~1"}, "  old "},
		{"git.branches", arguments{}, "* topic"},
		{"git.diff", arguments{"from": "old", "to": "topic"}, "+two"},
		{"git.branch", arguments{"name": "topic"}, "failed: git branch: fatal: "},
		{"git.commit", arguments{"message": "nothing"}, "failed: git "},
		{"git.show", arguments{"what": "--output=/tmp/x"}, "failed: \"--output=/tmp/x\" is not a commit"},
		{"git.log", arguments{"from": "--all"}, "failed: "},
		{"git.branch", arguments{"name": "-D"}, "failed: "},
		{"git.branch", arguments{"name": "a..b"}, "failed: \"a..b\" is not a valid branch name"},
		{"git.diff", arguments{"paths": []string{"/etc/passwd", "/dev/null"}}, "failed: /etc/passwd is not in the repository"},
		{"git.diff", arguments{"paths": []string{"../x", "a.txt"}}, "failed: ../x is not in the repository"},
		{"git.add", arguments{"paths": []string{"sub/../../x"}}, "failed: "},
		{"git.status", arguments{"repository": ".."}, "failed: .. is not in the working folder"},
		{"git.status", arguments{"repository": "sub"}, "failed: sub is not a git repository"},
	} {
		has(t, call(t.Context(), t, dir, step.tool, step.in), step.want)
	}
	for _, check := range [][2]string{
		{plainly(t, dir, "log", "-1", "--format=%an <%ae> %B"), "Ada <ada@example.com> Two\n\nas well"},
		{plainly(t, dir, "status", "--short", "--branch"), "## topic\n"},
		{plainly(t, dir, "fsck", "--strict"), ""},
		{plainly(t, dir, "reflog", "-3"), "commit: Two"},
	} {
		has(t, check[0], check[1])
	}
}

// Programs that a repository names, in each place that is known to run them.
func hostile(t testing.TB, dir string) (ran func() string) {
	t.Helper()
	base := t.TempDir()
	marks, mark := filepath.Join(base, "marks"), filepath.Join(base, "mark")
	put(t, base, "mark", "#!/bin/sh\necho \"$1\" >>"+marks+"\ncat\n", 0o700)
	for _, key := range []string{
		"core.fsmonitor", "filter.x.clean", "filter.x.smudge", "filter.y.process", "diff.x.textconv", "diff.x.command", "diff.external", "core.pager", "pager.log",
		"pager.diff", "gpg.program", "core.sshCommand", "core.editor", "sequence.editor", "credential.helper", "interactive.diffFilter", "core.askPass", "merge.x.driver",
		"core.alternateRefsCommand", "uploadpack.packObjectsHook", "trailer.sign.command", "gpg.ssh.program", "core.gitProxy", "diff.tool", "web.browser",
	} {
		plainly(t, dir, "config", key, mark+" "+key)
	}
	for key, value := range map[string]string{
		"alias.status": "!" + mark + " alias", "alias.st": "!" + mark + " alias", "commit.gpgSign": "true", "log.showSignature": "true", "core.worktree": "/",
		"include.path": "theirs", "core.hooksPath": filepath.Join(dir, "hooks"), "core.attributesFile": filepath.Join(dir, ".gitattributes"),
		"core.untrackedCache": "true", "submodule.recurse": "true", "diff.ignoreSubmodules": "none", "gc.auto": "1", "commit.template": "/etc/passwd",
	} {
		plainly(t, dir, "config", key, value)
	}
	put(t, dir, ".git/theirs", "[core]\n\tfsmonitor = "+mark+" included\n[filter \"z\"]\n\tclean = "+mark+" included\n", 0o600)
	put(t, dir, ".git/info/attributes", "sub/* filter=z\n", 0o600)
	put(t, dir, ".gitattributes", "*.txt filter=x diff=x merge=x\n*.flt filter=y\n", 0o600)
	for _, folder := range []string{".git/hooks", "hooks"} {
		for _, hook := range []string{
			"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman",
			"pre-auto-gc", "post-rewrite", "post-merge", "pre-rebase",
		} {
			put(t, dir, folder+"/"+hook, "#!/bin/sh\n"+mark+" "+hook+" </dev/null\n", 0o700)
		}
	}
	return func() string {
		text, _ := os.ReadFile(marks)
		_ = os.Remove(marks)
		return string(text)
	}
}

// No program that a repository names runs: hooks, filters, textconv, aliases, fsmonitor, and all the others.
func TestNoProgramsRun(t *testing.T) {
	t.Parallel()
	trapped := repository(t)
	ran := hostile(t, trapped)
	plainly(t, trapped, "config", "--unset", "core.worktree")
	put(t, trapped, "a.txt", "changed\n", 0o600)
	for _, args := range [][]string{{"status"}, {"diff"}, {"add", "-A"}, {"commit", "-m", "x"}, {"log", "-p", "-1"}, {"st"}, {"branch", "x"}} { // the trap works
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = trapped
		_ = cmd.Run()
	}
	got := ran()
	for _, what := range []string{"filter.x.clean", "included", "alias", "pre-commit", "diff.x.command", "diff.x.textconv", "filter.y.process", "post-index-change", "reference-transaction"} {
		has(t, got, what)
	}
	dir := repository(t)
	ran = hostile(t, dir)
	touch := func(n int) {
		put(t, dir, "a.txt", fmt.Sprint("changed ", n, "\n"), 0o600)
		put(t, dir, "b.flt", fmt.Sprint("changed ", n, "\n"), 0o600)
	}
	calls := 0
	for n, step := range []struct {
		tool string
		in   arguments
	}{
		{"git.status", arguments{}}, {"git.diff", arguments{}}, {"git.diff", arguments{"stat": true}}, {"git.diff", arguments{"from": "HEAD"}},
		{"git.add", arguments{"paths": []string{"."}}}, {"git.diff", arguments{"staged": true}}, {"git.commit", arguments{"message": "second"}},
		{"git.log", arguments{"patch": true}}, {"git.log", arguments{}}, {"git.show", arguments{}}, {"git.show", arguments{"what": "HEAD:a.txt"}},
		{"git.branches", arguments{}}, {"git.branch", arguments{"name": "x"}}, {"git.branch", arguments{"name": "y", "from": "HEAD~1"}},
		{"git.add", arguments{"paths": []string{"a.txt", "b.flt"}}}, {"git.commit", arguments{"message": "third"}}, {"git.status", arguments{}},
	} {
		touch(n)
		hasNot(t, call(t.Context(), t, dir, step.tool, step.in), "failed: ")
		hasNot(t, "ran: "+ran(), "\n")
		calls++
	}
	t.Logf("%d calls", calls)
}

// A repository within the repository, in the index or not yet, names a filter, which never runs.
func TestNested(t *testing.T) {
	t.Parallel()
	for _, staged := range []bool{false, true} {
		t.Run(fmt.Sprint("staged ", staged), func(t *testing.T) {
			t.Parallel()
			dir, marks := repository(t), filepath.Join(t.TempDir(), "marks")
			inner := filepath.Join(dir, "deep/inner")
			put(t, inner, "x.txt", "x\n", 0o600)
			plainly(t, inner, "init", "-q", ".")
			plainly(t, inner, "add", ".")
			plainly(t, inner, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "inner")
			put(t, dir, ".gitmodules", "[submodule \"inner\"]\n\tpath = deep/inner\n\turl = x\n\tignore = none\n", 0o600)
			if staged {
				plainly(t, dir, "add", "deep")
			}
			put(t, inner, ".gitattributes", "* filter=x\n", 0o600)
			plainly(t, inner, "config", "filter.x.clean", "sh -c 'echo ran >>"+marks+"; cat'")
			put(t, inner, "x.txt", "y\n", 0o600)
			put(t, dir, "a.txt", "changed\n", 0o600)
			for _, step := range []struct {
				tool string
				in   arguments
				want string
			}{
				{"git.add", arguments{"paths": []string{"."}}, "failed: deep/inner is a separate repository"},
				{"git.add", arguments{"paths": []string{"a.txt", "deep"}}, "failed: deep/inner is a separate repository"},
				{"git.add", arguments{"paths": []string{"deep/inner/x.txt"}}, ""},
				{"git.add", arguments{"paths": []string{"a.txt", ".gitmodules"}}, "M  a.txt"},
				{"git.status", arguments{}, "M  a.txt"},
				{"git.diff", arguments{"from": "HEAD"}, "+changed"},
				{"git.diff", arguments{"staged": true}, "+changed"},
				{"git.commit", arguments{"message": "second"}, "[main "},
				{"git.commit", arguments{"message": "third"}, "failed: git commit: nothing is staged"},
				{"git.log", arguments{"patch": true}, "+changed"},
			} {
				t.Run(step.tool, func(t *testing.T) {
					has(t, call(t.Context(), t, dir, step.tool, step.in), step.want)
					if _, err := os.Stat(marks); err == nil {
						t.Fatalf("%v: the filter ran", step.in)
					}
				})
			}
			plainly(t, dir, "status")
			if _, err := os.Stat(marks); staged && err != nil {
				t.Error("the user's own git does not run the filter: the test shows nothing")
			}
		})
	}
}

// What the user's git ignores by settings of the user's is neither listed nor staged.
func TestIgnored(t *testing.T) {
	dir, home := repository(t), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	for _, name := range []string{"local.env", "everywhere.env", "set.env", "kept.env"} {
		put(t, dir, name, "secret\n", 0o600)
	}
	put(t, dir, ".git/info/exclude", "local.env\n!kept.env", 0o600)
	put(t, home, ".config/git/ignore", "everywhere.env\nkept.env", 0o600)
	put(t, home, "ignored", "set.env", 0o600)
	for settings, want := range map[string]string{
		"":                                     "?? kept.env\n?? set.env\n",
		"[core]\n\texcludesFile = ~/ignored\n": "?? everywhere.env\n?? kept.env\n",
		"[core]\n\texcludesFile = " + filepath.ToSlash(home) + "/ignored\n":   "?? everywhere.env\n?? kept.env\n",
		"[core]\n\texcludesFile = " + filepath.ToSlash(home) + "/not there\n": "?? everywhere.env\n?? kept.env\n?? set.env\n",
		"[core]\n\texcludesFile = /dev/zero\n":                                "?? everywhere.env\n?? kept.env\n?? set.env\n",
	} {
		t.Run(settings, func(t *testing.T) {
			put(t, home, ".gitconfig", settings, 0o600)
			if got := call(t.Context(), t, dir, "git.status", arguments{}); got != "## main\n"+want {
				t.Errorf("%s; want %s", got, want)
			}
		})
	}
	put(t, home, ".config/git/ignore", "", 0o600)
	put(t, home, ".gitconfig", "", 0o600)
	put(t, dir, ".git/info/exclude", "local.env\n"+strings.Repeat("#", git.MaxIgnored-10), 0o600)
	if got := call(t.Context(), t, dir, "git.add", arguments{"paths": []string{"."}}); strings.Contains(got, "local.env") || !strings.Contains(got, "A  kept.env") {
		t.Error(got)
	}
	put(t, dir, ".git/info/exclude", "local.env\n"+strings.Repeat("#", git.MaxIgnored-9), 0o600)
	has(t, call(t.Context(), t, dir, "git.add", arguments{"paths": []string{"."}}), "failed: an ignore file has more than 1048576 bytes")
}

// Repositories whose data is elsewhere are refused.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, dir, outside string){
		"objects": func(t *testing.T, dir, outside string) { swap(t, dir+"/.git/objects", outside) },
		"a folder of objects": func(t *testing.T, dir, outside string) {
			_ = os.RemoveAll(dir + "/.git/objects/ab")
			swap(t, dir+"/.git/objects/ab", outside)
		},
		"refs":      func(t *testing.T, dir, outside string) { swap(t, dir+"/.git/refs", outside) },
		"a ref":     func(t *testing.T, dir, _ string) { swap(t, dir+"/.git/refs/heads/x", "/etc/passwd") },
		"the index": func(t *testing.T, dir, outside string) { swap(t, dir+"/.git/index", outside+"/index") },
		"logs":      func(t *testing.T, dir, outside string) { swap(t, dir+"/.git/logs", outside) },
		"HEAD":      func(t *testing.T, dir, _ string) { swap(t, dir+"/.git/HEAD", "/etc/passwd") },
		"config":    func(t *testing.T, dir, _ string) { swap(t, dir+"/.git/config", "/etc/passwd") },
		"git":       func(t *testing.T, dir, outside string) { swap(t, dir+"/.git", outside) },
		"git file": func(t *testing.T, dir, outside string) {
			swap(t, dir+"/.git", outside)
			_ = os.Remove(dir + "/.git")
			put(t, dir, ".git", "gitdir: "+outside+"\n", 0o600)
		},
		"alternates": func(t *testing.T, dir, outside string) {
			put(t, dir, ".git/objects/info/alternates", outside+"\n", 0o600)
		},
		"partial clone": func(t *testing.T, dir, _ string) { plainly(t, dir, "config", "extensions.partialClone", "origin") },
		"worktree config": func(t *testing.T, dir, _ string) {
			plainly(t, dir, "config", "extensions.worktreeConfig", "true")
		},
		"bad config": func(t *testing.T, dir, _ string) { put(t, dir, ".git/config", "[core", 0o600) },
		"a pipe":     func(t *testing.T, dir, _ string) { pipe(t, dir+"/.git/HEAD") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, outside := repository(t), t.TempDir()
			spoil(t, dir, outside)
			for _, tool := range []string{"git.status", "git.branches"} {
				if got := call(t.Context(), t, dir, tool, arguments{}); !strings.HasPrefix(got, "failed: ") || strings.Contains(got, "panic") || strings.Contains(got, "root:") {
					t.Errorf("%s: %s", tool, got)
				}
			}
			call(t.Context(), t, dir, "git.add", arguments{"paths": []string{"."}})
			call(t.Context(), t, dir, "git.commit", arguments{"message": "x"})
			if left, _ := os.ReadDir(outside); len(left) > 1 {
				t.Errorf("written outside: %v", left)
			}
		})
	}
}

// swap puts a link in place of a file or folder, which moves into the folder that it leads to.
func swap(t *testing.T, at, to string) {
	t.Helper()
	if _, err := os.Lstat(at); err == nil {
		if err := os.Rename(at, filepath.Join(t.TempDir(), "moved")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// While a merge is under way nothing is committed; without a name neither.
func TestRefusals(t *testing.T) {
	dir := repository(t)
	temporary := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("TMPDIR", temporary)
	t.Setenv("XDG_CONFIG_HOME", "")
	put(t, dir, "a.txt", "two\n", 0o600)
	call(t.Context(), t, dir, "git.add", arguments{"paths": []string{"."}})
	plainly(t, dir, "config", "--unset", "user.email")
	if got := call(t.Context(), t, dir, "git.commit", arguments{"message": "x"}); !strings.Contains(got, "git config --global") {
		t.Error(got)
	}
	put(t, os.Getenv("HOME"), ".gitconfig", "[user]\n\temail = me@example.com\n[core]\n\tfsmonitor = /bin/false\n", 0o600)
	put(t, dir, ".git/MERGE_HEAD", plainly(t, dir, "rev-parse", "HEAD"), 0o600)
	if got := call(t.Context(), t, dir, "git.commit", arguments{"message": "x"}); !strings.Contains(got, "MERGE_HEAD") {
		t.Error(got)
	}
	if err := os.Remove(filepath.Join(dir, ".git/MERGE_HEAD")); err != nil {
		t.Fatal(err)
	}
	if got := call(t.Context(), t, dir, "git.commit", arguments{"message": "x"}); strings.HasPrefix(got, "failed: ") {
		t.Error(got)
	}
	if got := plainly(t, dir, "log", "-1", "--format=%an <%ae>"); got != "Ada <me@example.com>\n" {
		t.Error(got)
	}
	if left, _ := filepath.Glob(filepath.Join(temporary, "windie-git-*")); len(left) > 0 {
		t.Errorf("private folders are left: %q", left)
	}
	if got := len(git.New(dir, git.Rules{ReadOnly: true}).Tools()); got != 5 {
		t.Errorf("%d tools read only", got)
	}
}

// Settings beyond the limits would not be checked, so git refuses such a repository.
func TestTooManySettings(t *testing.T) {
	t.Parallel()
	const unsupported = "[extensions]\n\tworktreeConfig = true\n"
	for name, tt := range map[string]struct{ more, want string }{
		"at the limit":        {"", "a.txt"}, // filled up below
		"a file that is long": {strings.Repeat("#", git.MaxIgnored) + "\n" + unsupported, "failed: the repository's .git/config has more than 1048576 bytes"},
		"a list that is long": {"[a \"" + strings.Repeat("b", 5000) + "\"]\n" + strings.Repeat("c = d\n", 1000) + unsupported, "failed: the repository's settings are invalid: the list of settings has more than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repository(t)
			config, err := os.ReadFile(filepath.Join(dir, ".git", "config"))
			if err != nil {
				t.Fatal(err)
			}
			if tt.more == "" {
				tt.more = strings.Repeat("#", git.MaxIgnored-len(config))
			}
			put(t, dir, "a.txt", "two\n", 0o600)
			put(t, dir, ".git/config", string(config)+tt.more, 0o600)
			has(t, call(t.Context(), t, dir, "git.status", arguments{}), tt.want)
		})
	}
}
