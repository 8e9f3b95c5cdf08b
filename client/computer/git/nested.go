package git

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"

	"github.com/windieos/windie/agent"
)

// nestedPattern matches the line of git ls-files for a repository within a repository, whether it
// is in the index (a submodule) or not.
var nestedPattern = regexp.MustCompile(`(?s)^160000 [0-9a-f]+ [0-3]\t(.+)$|^(.+)/$`)

// checkNested refuses paths that contain a repository. git add would run git there, with that
// repository's settings and the filters that they name.
func (r *repository) checkNested(ctx context.Context, paths []string) error {
	list, err := os.Create(filepath.Join(r.private, "list"))
	if err != nil {
		return err
	}
	defer list.Close()
	args := append([]string{"ls-files", "--cached", "--others", "--stage", "--exclude-standard", "-z"}, paths...)
	if _, err := r.runIn(ctx, r.work, list, args...); err != nil {
		return err
	}
	if _, err := list.Seek(0, 0); err != nil {
		return err
	}
	lines := bufio.NewScanner(list)
	lines.Split(untilZero)
	for lines.Scan() {
		if found := nestedPattern.FindSubmatch(lines.Bytes()); found != nil {
			return agent.Failf("%s%s is a separate repository and cannot be staged here; leave it out of paths", found[1], found[2])
		}
	}
	return lines.Err()
}

// untilZero is a bufio.SplitFunc for text separated by zero bytes.
func untilZero(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
