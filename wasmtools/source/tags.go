package source

import (
	"context"
	"fmt"
	"strings"

	"github.com/windieos/windie/internal/fault"
)

// MaxTags is the maximum number of tags of a plugin that Tags reads.
const MaxTags = 10_000

// Tags lists the plugin's tags in its registry. For a reference to a file, the list is empty. The
// error is a fault whose message says what to do.
func (f *Fetcher) Tags(ctx context.Context, ref Reference) ([]string, error) {
	if ref.IsFile() {
		return nil, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.cfg.Time, errSlow)
	defer cancel()
	repository, err := f.registry(ref)
	if err != nil {
		return nil, err
	}
	list, err := repository.tags(ctx)
	if err != nil {
		return nil, f.reader(repository).failed(ctx, "the list of tags of "+ref.Source(), err)
	}
	return list, nil
}

// noTag returns the fault for a missing tag. It lists the tags of the repository.
func (p repository) noTag(ctx context.Context, tag string, because error) *fault.Error {
	name := registryScheme + p.Reference.String()
	list, err := p.tags(ctx)
	if err != nil || len(list) == 0 {
		return refuse("%s has no version %q; check the name and the tag", name, tag).Because(because)
	}
	has := make([]string, len(list))
	for i, tag := range list {
		has[i] = fmt.Sprintf("%.64q", tag)
	}
	return refuse("%s has no version %q; it has: %.300s", name, tag, strings.Join(has, ", ")).Because(because)
}
