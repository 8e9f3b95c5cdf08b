package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/process"
)

// repository is a repository with a private directory for git. close removes that directory.
type repository struct {
	work    string // folder of its files
	private string // git's replacement for .git
	git     *os.Root
	head    []byte // content of HEAD before the command
	config  map[string]string
}

// linked are the entries of .git to which the private directory links. Some may be missing.
var linked = []string{"objects", "refs", "packed-refs", "logs", "index", "shallow"}

// underWay are files and folders that exist while the user is in the middle of an operation.
var underWay = []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG"}

// open returns a repository of the working folder. The caller closes it.
func (g *Git) open(ctx context.Context, folder string) (*repository, error) {
	work, err := g.folder(folder)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(filepath.Join(work, ".git"))
	if err != nil {
		return nil, agent.Failf("%s is not a git repository with its own .git folder", folder)
	}
	r := &repository{work: work, git: root}
	if err := r.prepare(ctx, folder); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// prepare creates the private directory.
func (r *repository) prepare(ctx context.Context, folder string) (err error) {
	if err := r.check(); err != nil {
		return err
	}
	if r.head, err = r.read("HEAD"); err != nil {
		return agent.Failf("%s is not a git repository: it has no HEAD", folder)
	}
	if r.private, err = os.MkdirTemp("", "windie-git-"); err != nil {
		return err
	}
	for _, name := range linked {
		if err := os.Symlink(filepath.Join(r.work, ".git", name), filepath.Join(r.private, name)); err != nil {
			return err
		}
	}
	if err := r.configure(ctx); err != nil {
		return err
	}
	if err := r.ignore(ctx); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.private, "HEAD"), r.head, 0o600)
}

// folder returns the path of a repository's files. No part of it below the working folder is a
// link.
func (g *Git) folder(name string) (string, error) {
	clean := path.Clean(filepath.ToSlash(name))
	if !filepath.IsLocal(clean) {
		return "", agent.Failf("%s is not in the working folder", name)
	}
	at := g.dir
	for part := range strings.SplitSeq(clean+"/.git", "/") {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", agent.Failf("%s is not a git repository", name)
		case err != nil:
			return "", agent.Failf("%s cannot be read: %v", name, err)
		case info.Mode().IsRegular() && part == ".git":
			return "", agent.Failf("%s is a linked worktree or a submodule; name the repository that it belongs to", name)
		case !info.IsDir():
			return "", agent.Failf("%s contains a link; links are not followed", name)
		}
	}
	return filepath.Dir(at), nil
}

// check refuses a repository whose data is elsewhere.
func (r *repository) check() error {
	for _, name := range linked {
		info, err := r.git.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && name != "objects" && name != "refs":
		case err != nil:
			return agent.Failf("the repository's .git/%s is missing or unreadable", name)
		case !info.IsDir() && !info.Mode().IsRegular():
			return agent.Failf("the repository's .git/%s is a link; links are not followed", name)
		}
	}
	for _, name := range []string{"objects/info/alternates", "objects/info/http-alternates", "reftable", "commondir"} {
		if _, err := r.git.Lstat(name); err == nil {
			return agent.Failf("the repository has .git/%s: its data is elsewhere, or in an unsupported format", name)
		}
	}
	return errors.Join(r.noLinks("objects", 1), r.noLinks("refs", 100), r.noLinks("logs", 100))
}

// noLinks refuses links in a folder of .git, depth levels deep.
func (r *repository) noLinks(folder string, depth int) error {
	seen := 0
	err := fs.WalkDir(r.git.FS(), folder, func(name string, d fs.DirEntry, err error) error {
		switch seen++; {
		case name == folder && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case seen > MaxRefs:
			return agent.Failf("the repository has more than %d entries in .git/%s", MaxRefs, folder)
		case !d.IsDir() && !d.Type().IsRegular():
			return agent.Failf("the repository's .git/%s is a link; links are not followed", name)
		case d.IsDir() && strings.Count(name, "/") >= depth:
			return fs.SkipDir
		}
		return nil
	})
	return err
}

// read returns a regular file of .git, or its first MaxIgnored+1 bytes.
func (r *repository) read(name string) ([]byte, error) {
	info, err := r.git.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	f, err := r.git.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxIgnored+1))
}

// kept are the repository's settings that git gets too, with patterns for their values.
var kept = map[string]*regexp.Regexp{
	"core.filemode": yesOrNo, "core.ignorecase": yesOrNo, "core.symlinks": yesOrNo, "core.precomposeunicode": yesOrNo,
	"core.autocrlf": regexp.MustCompile(`^(?i:true|false|input)$`), "core.eol": regexp.MustCompile(`^(?i:lf|crlf|native)$`),
	"core.repositoryformatversion": regexp.MustCompile(`^[01]$`), "extensions.objectformat": regexp.MustCompile(`^sha(1|256)$`),
	"extensions.noop": yesOrNo, "user.name": oneLine, "user.email": oneLine,
}

var (
	yesOrNo = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|1|0)?$`)
	oneLine = regexp.MustCompile(`^[^\x00-\x1f\x7f"\\]{0,200}$`)
)

// configure writes the private directory's settings.
func (r *repository) configure(ctx context.Context) error {
	found := map[string]string{"core.repositoryformatversion": "0"}
	text, err := r.read("config")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return agent.Failf("the repository's settings are unreadable")
	}
	if len(text) > MaxIgnored { // settings in the rest would not be checked
		return agent.Failf("the repository's .git/config has more than %d bytes, the limit", MaxIgnored)
	}
	if err := os.WriteFile(filepath.Join(r.private, "theirs"), text, 0o600); err != nil {
		return err
	}
	list, err := settings(ctx, r.private, "--file", filepath.Join(r.private, "theirs"), "--no-includes")
	if err != nil {
		return agent.Failf("the repository's settings are invalid: %v", err)
	}
	for name, value := range list {
		if strings.HasPrefix(name, "extensions.") && kept[name] == nil {
			return agent.Failf("the repository has the unsupported setting %s", name)
		}
		if fits := kept[name]; fits != nil && fits.MatchString(value) {
			found[name] = value
		}
	}
	r.config = found
	var b bytes.Buffer
	b.WriteString("[core]\n\tbare = false\n\tlogAllRefUpdates = true\n")
	for _, name := range slices.Sorted(maps.Keys(found)) {
		section, key, _ := strings.Cut(name, ".")
		fmt.Fprintf(&b, "[%s]\n\t%s = \"%s\"\n", section, key, found[name])
	}
	return os.WriteFile(filepath.Join(r.private, "config"), b.Bytes(), 0o600)
}

// maxSettings limits the list of settings, in bytes.
const maxSettings = 1 << 20

// settings returns the settings that git config lists. It starts no other programs. A setting
// without a value is "true".
func settings(ctx context.Context, dir string, from ...string) (map[string]string, error) {
	env := slices.Concat(environment, searchPath())
	if from[0] == "--global" {
		env = slices.DeleteFunc(env, func(pair string) bool {
			return strings.HasPrefix(pair, "HOME=") || strings.HasPrefix(pair, "GIT_CONFIG_GLOBAL=")
		})
		env = append(env, "HOME="+os.Getenv("HOME"), "XDG_CONFIG_HOME="+os.Getenv("XDG_CONFIG_HOME"))
	}
	got, err := process.Run(ctx, process.Command{Program: "git", Args: slices.Concat([]string{"config"}, from, []string{"-z", "--list"}), Dir: dir, Env: env, Output: maxSettings})
	if err != nil {
		return nil, err
	}
	if got.Cut {
		return nil, fmt.Errorf("the list of settings has more than %d bytes, the limit", maxSettings)
	}
	if got.ExitCode != 0 {
		return nil, errors.New(strings.TrimSpace(got.Output))
	}
	list := map[string]string{}
	for entry := range strings.SplitSeq(got.Output, "\x00") {
		name, value, valued := strings.Cut(entry, "\n")
		if !valued {
			value = "true"
		}
		list[name] = value
	}
	return list, nil
}

// searchPath returns the PATH for git and its helper programs.
func searchPath() []string { return []string{"PATH=" + os.Getenv("PATH")} }

// identify sets the user's name and address for git, from the user's own settings if the repository
// has none.
func (r *repository) identify(ctx context.Context) ([]string, error) {
	name, email := r.config["user.name"], r.config["user.email"]
	if name == "" || email == "" {
		theirs, _ := settings(ctx, r.private, "--global") // if they are missing, git reports that
		name, email = cmp.Or(name, theirs["user.name"]), cmp.Or(email, theirs["user.email"])
	}
	if name == "" || email == "" {
		return nil, agent.Failf("git does not know the user's name and address: the user can set them with git config --global user.name and user.email")
	}
	return []string{"-c", "user.name=" + name, "-c", "user.email=" + email}, nil
}

// ignore writes the names that the user ignores, in all repositories and in this one. The latter
// come last, because the last matching line wins.
func (r *repository) ignore(ctx context.Context) error {
	here, err := r.read("info/exclude")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return agent.Failf("the repository's .git/info/exclude is unreadable")
	}
	everywhere, err := ignoredEverywhere(ctx, r.private)
	if err != nil {
		return agent.Failf("the user's ignore file (core.excludesFile of git) is unreadable: %v", err)
	}
	if len(here) > MaxIgnored || len(everywhere) > MaxIgnored {
		return agent.Failf("an ignore file has more than %d bytes, the limit", MaxIgnored)
	}
	if err := os.Mkdir(filepath.Join(r.private, "info"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.private, "info/exclude"), slices.Concat(everywhere, []byte("\n"), here), 0o600)
}

// ignoredEverywhere returns the file that the user's settings name, or git's default file. A
// missing file ignores nothing.
func ignoredEverywhere(ctx context.Context, private string) ([]byte, error) {
	theirs, _ := settings(ctx, private, "--global") // there may be none
	home := os.Getenv("HOME")
	name, set := theirs["core.excludesfile"]
	switch below, ofHome := strings.CutPrefix(name, "~/"); {
	case !set:
		name = filepath.Join(cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "git/ignore")
	case ofHome:
		name = filepath.Join(home, below)
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxIgnored+1))
}

// busy refuses a commit in the middle of an operation that only the user can end.
func (r *repository) busy() error {
	for _, name := range underWay {
		if _, err := r.git.Lstat(name); err == nil {
			return agent.Failf("a merge, rebase or similar is unfinished in the repository (.git/%s): the user must finish it first", name)
		}
	}
	return nil
}

// keepHead writes HEAD back to the repository, if git has changed it and nobody else has.
func (r *repository) keepHead() error {
	now, err := os.ReadFile(filepath.Join(r.private, "HEAD"))
	if err != nil || bytes.Equal(now, r.head) {
		return err
	}
	lock, err := r.git.OpenFile("HEAD.lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) // like git itself
	if err != nil {
		return agent.Failf("another git process works in the repository: .git/HEAD.lock exists")
	}
	// under the lock: the user's git waits
	if theirs, changed := r.read("HEAD"); changed != nil || !bytes.Equal(theirs, r.head) {
		err = agent.Failf("somebody else changed the repository's HEAD meanwhile; try again")
	} else {
		_, err = lock.Write(now)
	}
	if err = errors.Join(err, lock.Sync(), lock.Close()); err == nil {
		err = r.git.Rename("HEAD.lock", "HEAD")
	}
	if err != nil {
		_ = r.git.Remove("HEAD.lock")
	}
	return err
}

// close removes the private directory.
func (r *repository) close() {
	_ = r.git.Close()
	if r.private != "" {
		_ = os.RemoveAll(r.private)
	}
}
