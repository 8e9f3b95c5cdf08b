package shelf

import (
	"context"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/windieos/windie/wasmtools/source"
)

// Newer returns the tag of the newest version that the registry of a plugin has, and the reference to it; both are
// empty if none is newer than the version here. Tags that are versions count, as 1.2 or v1.2.0; of
// versions before a release only if the one here is before a release too.
func (s *Shelf) Newer(ctx context.Context, name string) (tag, reference string, err error) {
	e, err := s.Get(name)
	if err != nil {
		return "", "", err
	}
	ref, err := source.Parse(e.Reference)
	if err != nil {
		return "", "", err
	}
	tags, err := s.cfg.Fetcher.Tags(ctx, ref)
	if err != nil {
		return "", "", err
	}
	here := e.Current.Version
	if !isVersion(here) || isVersion(ref.Tag) && older(here, ref.Tag) { // some authors count in tags alone
		here = ref.Tag
	}
	if !isVersion(here) {
		return "", "", nil
	}
	early := semver.Prerelease(vVersion(here)) != ""
	newest := here
	for _, t := range tags {
		if !isVersion(t) || !older(newest, t) || !early && semver.Prerelease(vVersion(t)) != "" {
			continue
		}
		ref.Tag, ref.Digest = t, ""
		if _, err := source.Parse(ref.String()); err == nil { // a registry may list anything
			newest, tag, reference = t, t, ref.String()
		}
	}
	return tag, reference, nil
}

// isVersion reports whether a text is a version as 1.2 or v1.2.0. A number alone does not count: as a tag it names the last
// version that begins with it, a day, or a commit.
func isVersion(text string) bool {
	return strings.Contains(text, ".") && semver.IsValid(vVersion(text))
}

// vVersion returns a version as package semver writes one.
func vVersion(text string) string { return "v" + strings.TrimPrefix(text, "v") }
