package shelf

import (
	"context"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/windieos/windie/wasmtools/source"
)

// Newer finds the newest version of a plugin in its registry. It returns the tag of this version,
// and the reference to it. Both are empty if no version is newer than the installed version. Newer
// ignores tags that are not versions; 1.2 and v1.2.0 are versions. It ignores pre-releases, unless
// the installed version is a pre-release.
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
	// some authors put the version only in tags
	if !isVersion(here) || isVersion(ref.Tag) && older(here, ref.Tag) {
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

// isVersion reports whether text is a version such as 1.2 or v1.2.0. A single number does not
// count: as a tag it names the latest version with that prefix, a day, or a commit.
func isVersion(text string) bool {
	return strings.Contains(text, ".") && semver.IsValid(vVersion(text))
}

// vVersion returns a version in the form of package semver.
func vVersion(text string) string { return "v" + strings.TrimPrefix(text, "v") }
