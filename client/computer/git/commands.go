package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/agent"
)

// in runs a git command in a repository of the working folder.
func (g *Git) in(ctx context.Context, in In, args ...string) (Output, error) {
	r, err := g.open(ctx, in.Repository)
	if err != nil {
		return Output{}, err
	}
	defer r.close()
	return r.run(ctx, args...)
}

type statusInput struct {
	In
}

// status runs git status in its short form, without looking into submodules.
func (g *Git) status(ctx context.Context, _ agent.Call, in statusInput) (Output, error) {
	return g.in(ctx, in.In, "status", "--short", "--branch", "--ignore-submodules=all")
}

type diffInput struct {
	In
	Staged bool     `json:"staged,omitempty" doc:"Show the staged changes (default: the unstaged changes)."`
	From   string   `json:"from,omitempty" maxLength:"256" doc:"Old commit to compare."`
	To     string   `json:"to,omitempty" maxLength:"256" doc:"New commit to compare (default: the current files). If you set it, also set \"from\"."`
	Paths  []string `json:"paths,omitempty" maxItems:"1000" doc:"Paths to compare, relative to the repository (default: all)."`
	Stat   bool     `json:"stat,omitempty" doc:"Return only the names of changed files and, for each file, the number of changed lines."`
}

// plain are flags of commands that show changes: run no programs, use no colours.
var plain = []string{"--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all"}

// diff runs git diff. It fails if To is set without From.
func (g *Git) diff(ctx context.Context, _ agent.Call, in diffInput) (Output, error) {
	args := append([]string{"diff"}, plain...)
	if in.Staged {
		args = append(args, "--cached")
	}
	if in.Stat {
		args = append(args, "--stat")
	}
	for _, ref := range []string{in.From, in.To} {
		if err := checkRef(ref); err != nil {
			return Output{}, err
		}
		if ref != "" {
			args = append(args, ref)
		}
	}
	if in.To != "" && in.From == "" {
		return Output{}, agent.Failf("to requires from")
	}
	only, err := paths(in.Paths)
	if err != nil {
		return Output{}, err
	}
	return g.in(ctx, in.In, append(args, only...)...)
}

type logInput struct {
	In
	From    string   `json:"from,omitempty" default:"HEAD" maxLength:"256" doc:"Commit, branch, or range such as main..topic."`
	Commits int      `json:"commits,omitempty" minimum:"1" maximum:"200" default:"20"`
	Patch   bool     `json:"patch,omitempty" doc:"Include the changes of each commit."`
	Paths   []string `json:"paths,omitempty" maxItems:"1000" doc:"Only commits that change these paths."`
}

// log runs git log, newest commit first, with at most MaxCommits commits.
func (g *Git) log(ctx context.Context, _ agent.Call, in logInput) (Output, error) {
	if err := checkRef(in.From); err != nil {
		return Output{}, err
	}
	only, err := paths(in.Paths)
	if err != nil {
		return Output{}, err
	}
	args := append([]string{"log", "--no-show-signature", "--date=iso-strict", "--format=commit %h %ad %an%n    %s%d", "-n", strconv.Itoa(min(in.Commits, MaxCommits))}, plain...)
	if in.Patch {
		args = append(args, "--patch")
	}
	return g.in(ctx, in.In, slices.Concat(args, []string{in.From}, only)...)
}

type showInput struct {
	In
	What string `json:"what,omitempty" default:"HEAD" maxLength:"4096" doc:"Commit to show, or commit:path to show the commit's version of a file." example:"HEAD~1:README.md"`
}

// show runs git show for a commit, or for a file of a commit in the form commit:path.
func (g *Git) show(ctx context.Context, _ agent.Call, in showInput) (Output, error) {
	if err := checkRef(in.What); err != nil {
		return Output{}, err
	}
	args := slices.Concat([]string{"show", "--no-show-signature"}, plain, []string{in.What, "--"})
	return g.in(ctx, in.In, args...)
}

type addInput struct {
	In
	Paths []string `json:"paths" minItems:"1" maxItems:"1000" doc:"Paths to stage, relative to the repository. A dot stages all changes."`
}

// add stages changes, deletions included, and returns the status afterwards. It refuses paths that contain another
// repository.
func (g *Git) add(ctx context.Context, _ agent.Call, in addInput) (Output, error) {
	what, err := paths(in.Paths)
	if err != nil {
		return Output{}, err
	}
	r, err := g.open(ctx, in.Repository)
	if err != nil {
		return Output{}, err
	}
	defer r.close()
	if err := r.checkNested(ctx, what); err != nil {
		return Output{}, err
	}
	if _, err := r.run(ctx, append([]string{"add", "--all"}, what...)...); err != nil {
		return Output{}, err
	}
	return r.run(ctx, "status", "--short", "--branch", "--ignore-submodules=all")
}

type commitInput struct {
	In
	Message string `json:"message" minLength:"1" maxLength:"65536" doc:"Commit message: a first line that says what changed, then an empty line, then the reason."`
}

// commit commits the staged changes, without hooks and signature. It fails while a merge or a similar operation is
// unfinished.
func (g *Git) commit(ctx context.Context, _ agent.Call, in commitInput) (Output, error) {
	if strings.ContainsRune(in.Message, 0) {
		return Output{}, agent.Failf("message: a text without NUL bytes")
	}
	r, err := g.open(ctx, in.Repository)
	if err != nil {
		return Output{}, err
	}
	defer r.close()
	if err := r.busy(); err != nil {
		return Output{}, err
	}
	who, err := r.identify(ctx)
	if err != nil {
		return Output{}, err
	}
	none := filepath.Join(r.private, "none")
	if err := os.Mkdir(none, 0o700); err != nil {
		return Output{}, err
	}
	// Run without the files: they may contain other repositories, whose changes git would look up.
	out, err := r.runIn(ctx, none, nil, append(who, "commit", "--no-verify", "--no-gpg-sign", "--cleanup=strip", "--message="+in.Message)...)
	if err != nil {
		if _, changed := r.run(ctx, "diff", "--cached", "--quiet", "--ignore-submodules=none", "--no-ext-diff"); changed == nil {
			err = agent.Failf("git commit: nothing is staged; stage changes with git.add first")
		}
		return Output{}, err
	}
	return out, r.keepHead()
}

type branchesInput struct {
	In
}

// branches lists all branches, those of remotes included, with their last commits.
func (g *Git) branches(ctx context.Context, _ agent.Call, in branchesInput) (Output, error) {
	return g.in(ctx, in.In, "branch", "--list", "--all", "--verbose", "--no-color")
}

type branchInput struct {
	In
	Name string `json:"name" minLength:"1" maxLength:"256"`
	From string `json:"from,omitempty" maxLength:"256" doc:"Commit where the branch starts. If it is set, git does not switch to the branch. Without it, the branch starts at the current commit, and git switches to the branch."`
}

// branch creates a branch. With From it only creates it there; without, it also switches to it, which changes no file.
func (g *Git) branch(ctx context.Context, _ agent.Call, in branchInput) (Output, error) {
	for _, ref := range []string{in.Name, in.From} {
		if err := checkRef(ref); err != nil {
			return Output{}, err
		}
	}
	r, err := g.open(ctx, in.Repository)
	if err != nil {
		return Output{}, err
	}
	defer r.close()
	if _, err := r.run(ctx, "check-ref-format", "--branch", in.Name); err != nil {
		return Output{}, agent.Failf("%q is not a valid branch name", in.Name)
	}
	who, err := r.identify(ctx) // for the log of the branch
	if err != nil {
		who = []string{"-c", "user.name=windie", "-c", "user.email=windie@localhost"}
	}
	if in.From != "" {
		if _, err := r.run(ctx, append(who, "branch", "--no-track", in.Name, in.From)...); err != nil {
			return Output{}, err
		}
		return r.run(ctx, "branch", "--list", "--verbose", "--no-color")
	}
	if err := r.busy(); err != nil {
		return Output{}, err
	}
	if _, err := r.run(ctx, append(who, "branch", "--no-track", in.Name)...); err != nil {
		return Output{}, err
	}
	if _, err := r.run(ctx, append(who, "symbolic-ref", "-m", "windie: create branch", "HEAD", "refs/heads/"+in.Name)...); err != nil {
		return Output{}, err
	}
	if err := r.keepHead(); err != nil {
		return Output{}, err
	}
	return r.run(ctx, "branch", "--list", "--verbose", "--no-color")
}
