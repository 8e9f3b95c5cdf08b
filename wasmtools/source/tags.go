package source

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/windieos/windie/internal/fault"
)

// MaxTags is how many tags of a plugin are looked at.
const MaxTags = 10_000

// Tags lists the tags that the registry of a reference has for the plugin, or the mirror in its place; none
// for a reference of another kind. The error is a fault that says what to do.
func (f *Fetcher) Tags(ctx context.Context, ref Reference) ([]string, error) {
	if ref.Kind != Registry {
		return nil, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.cfg.Time, errSlow)
	defer cancel()
	if f.cfg.Mirror != "" {
		return f.mirrorTags(ctx, ref)
	}
	place, err := f.registry(ref)
	if err != nil {
		return nil, err
	}
	list, err := place.tags(ctx)
	if err != nil {
		return nil, f.reader(place).failed(ctx, "the list of tags of "+ref.Source(), err)
	}
	return list, nil
}

func (f *Fetcher) mirrorTags(ctx context.Context, ref Reference) ([]string, error) {
	dir := f.mirrored(ref)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, refuse("there is no folder %s", dir).Because(err)
	}
	defer root.Close()
	return folderLayout(root, "the folder "+dir).tags(ctx)
}

// noTag is the error for a tag that a place does not have: the error lists the tags that the place has.
func noTag(ctx context.Context, p place, name, tag string, because error) *fault.Error {
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
