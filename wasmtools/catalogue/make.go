package catalogue

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/windieos/windie/wasmtools/sign"
)

// Entry is a version to list.
type Entry struct {
	Name, Number, Description, Key string
	Version
}

// Make returns an index of versions after the one before, which may be nil, valid for a time. Versions
// that were there before and are not among the entries stay; a version never gets another digest, and one that was
// yanked stays so.
func Make(before *Index, entries []Entry, yanked map[string]string, now time.Time, valid time.Duration) (*Index, error) {
	i := &Index{V: 1, Serial: 1, Issued: now.UTC().Truncate(time.Second), Plugins: map[string]*Plugin{}}
	i.Expires = i.Issued.Add(valid)
	if before != nil {
		i.Serial = before.Serial + 1
		maps.Copy(i.Plugins, before.Plugins)
	}
	for _, e := range entries {
		if err := i.add(e); err != nil {
			return nil, err
		}
	}
	for _, at := range slices.Sorted(maps.Keys(yanked)) {
		name, number, _ := strings.Cut(at, "@")
		p := i.Plugins[name]
		if p == nil || p.Versions[number] == nil {
			return nil, refuse("%.100q is to be taken back, and is not in the catalogue; name it as weather@1.2.0", at)
		}
		p.Versions[number].Yanked = yanked[at]
	}
	return i, i.check(now)
}

func (i *Index) add(e Entry) error {
	if !semver.IsValid("v" + e.Number) {
		return refuse("the plugin %s has the version %.64q; put a number as 1.2.0 into its manifest, or give pack --version", e.Name, e.Number)
	}
	p := i.Plugins[e.Name]
	if p == nil {
		p = &Plugin{Versions: map[string]*Version{}}
		i.Plugins[e.Name] = p
	}
	v := e.Version
	if old := p.Versions[e.Number]; old != nil {
		if old.Digest != e.Digest {
			return refuse("%s %s is in the catalogue with another digest; a version never changes: give the new one a new number", e.Name, e.Number)
		}
		v.Yanked = old.Yanked
	}
	if newest := p.Numbers(); len(newest) == 0 || semver.Compare("v"+e.Number, "v"+newest[0]) >= 0 {
		p.Description, p.Key = e.Description, e.Key
	}
	p.Versions[e.Number] = &v
	return nil
}

// Signed returns the text of an index and its signature by the private key in a file.
func (i *Index) Signed(keyFile, password string) (raw, signature []byte, err error) {
	key, err := sign.ReadKey(keyFile, password)
	if err != nil {
		return nil, nil, err
	}
	raw, err = json.MarshalIndent(i, "", "  ")
	if err != nil {
		return nil, nil, err
	}
	raw = append(raw, '\n')
	return raw, sign.Detached(key, raw, fmt.Sprintf("windie plugin catalogue %d", i.Serial)), nil
}
