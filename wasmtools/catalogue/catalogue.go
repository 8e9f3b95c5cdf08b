// Package catalogue reads and makes lists of plugins that anybody can host as static files.
//
//	index, err := catalogue.Open(raw, signature, key, time.Now())
//	choice, err := index.Choose("weather", "", "1.4.0")
//
// # Words
//
// An index lists plugins with their versions, where each is and what its digest is. It is one JSON
// file, signed by the catalogue's key (file.minisig, in the form of minisign). Its serial number grows
// with each change, so that nobody can serve an old one, and it expires, so that nobody can keep a
// client on one for ever. A version that is yanked is not installed any more.
package catalogue

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/sign"
)

// Index is a catalogue.
type Index struct {
	V       int                `json:"v"`      // 1
	Serial  int64              `json:"serial"` // grows with each change
	Issued  time.Time          `json:"issued"`
	Expires time.Time          `json:"expires"`
	Plugins map[string]*Plugin `json:"plugins"` // by name
}

// Plugin is a plugin of a catalogue.
type Plugin struct {
	Description string              `json:"description,omitempty"`
	Key         string              `json:"key,omitempty"` // that signs its versions; empty if they are not signed
	Versions    map[string]*Version `json:"versions"`
}

// Version is a version of a plugin.
type Version struct {
	At          string          `json:"at"`     // a reference; one without a scheme is beside the index
	Digest      string          `json:"digest"` // as "sha256:…"
	Tools       []string        `json:"tools,omitempty"`
	Permissions json.RawMessage `json:"permissions,omitempty"` // that it would like
	MinGateway  string          `json:"min_gateway,omitempty"` // the oldest gateway that can serve it
	Yanked      string          `json:"yanked,omitempty"`      // why it is not installed any more; empty if it is
}

// Bounds of an index.
const (
	MaxIndexBytes = 8 << 20
	MaxPlugins    = 10_000
	MaxVersions   = 500 // of a plugin
	maxAhead      = 24 * time.Hour
)

// SignatureEnding is what the name of an index's signature has behind that of the index.
const SignatureEnding = ".minisig"

func refuse(format string, args ...any) *fault.Error {
	return fault.New("catalogue.Open", sdkapi.ValidationError, format, args...)
}

// Open reads an index that the public key signed, and that is valid now. Nothing of it is looked at
// before its signature.
func Open(raw, signature []byte, key string, now time.Time) (*Index, error) {
	if len(raw) > MaxIndexBytes {
		return nil, fault.New("catalogue.Open", sdkapi.PayloadTooLarge, "the catalogue has %d bytes, of at most %d", len(raw), MaxIndexBytes)
	}
	if key == "" {
		return nil, refuse("no key for the catalogue is set; put the one that its publisher prints into WINDIE_PLUGIN_CATALOGUE_KEY")
	}
	if err := sign.Check(key, raw, signature); err != nil {
		return nil, refuse("the catalogue cannot be trusted: %s", fault.From(err).Message).Because(err)
	}
	var i Index
	if err := json.Unmarshal(raw, &i); err != nil {
		return nil, refuse("the catalogue is not valid JSON; ask whoever publishes it").Because(err)
	}
	if i.V != 1 {
		return nil, refuse("the catalogue has the form %d, and this program knows 1; update the gateway", i.V)
	}
	return &i, i.check(now)
}

func (i *Index) check(now time.Time) error {
	switch {
	case !now.Before(i.Expires):
		return refuse("the catalogue expired at %s: it may be an old one that somebody serves; ask whoever publishes it for a new one, and check this machine's clock", i.Expires.Format(time.RFC3339))
	case i.Issued.After(now.Add(maxAhead)):
		return refuse("the catalogue is of %s, which is yet to come; check this machine's clock", i.Issued.Format(time.RFC3339))
	case i.Serial < 1:
		return refuse("the catalogue has the number %d; expected 1 or more", i.Serial)
	case len(i.Plugins) > MaxPlugins:
		return refuse("the catalogue has %d plugins, of at most %d", len(i.Plugins), MaxPlugins)
	}
	for name, p := range i.Plugins {
		if p == nil || len(p.Versions) == 0 || len(p.Versions) > MaxVersions {
			return refuse("the catalogue's plugin %.64q must have 1 to %d versions", name, MaxVersions)
		}
		for version, v := range p.Versions {
			if v == nil || v.At == "" || !strings.HasPrefix(v.Digest, "sha256:") || !semver.IsValid("v"+version) {
				return refuse("the catalogue's %.64q %.64q needs a number as 1.2.0, a place and a digest", name, version)
			}
		}
	}
	return nil
}

// Choice is a version of a plugin.
type Choice struct {
	Name, Number string
	Plugin       *Plugin
	Version      *Version
}

// Choose returns a version of a plugin: the one that is asked for, or the newest that is not yanked and
// that a gateway of a version can serve. A gateway without a number can serve all.
func (i *Index) Choose(name, version, gateway string) (*Choice, error) {
	p := i.Plugins[name]
	if p == nil {
		return nil, fault.New("catalogue.Choose", sdkapi.NotFound, "the catalogue has no plugin %.64q; windie plugin search lists what it has", name)
	}
	if version != "" {
		v := p.Versions[version]
		if v == nil {
			return nil, fault.New("catalogue.Choose", sdkapi.NotFound, "the catalogue's %s has no version %.64q; it has: %.300s", name, version, strings.Join(p.Numbers(), ", "))
		}
		return &Choice{name, version, p, v}, v.usable(name, version, gateway)
	}
	var why error
	for _, number := range p.Numbers() {
		v := p.Versions[number]
		err := v.usable(name, number, gateway)
		if err == nil {
			return &Choice{name, number, p, v}, nil
		}
		if why == nil {
			why = err
		}
	}
	return nil, why
}

// usable refuses a version that is yanked, or needs a newer gateway.
func (v *Version) usable(name, number, gateway string) error {
	if v.Yanked != "" {
		return refuse("%s %s was taken back: %.300s; install another version", name, number, v.Yanked)
	}
	g := "v" + strings.TrimPrefix(gateway, "v")
	if need := "v" + strings.TrimPrefix(v.MinGateway, "v"); v.MinGateway != "" && semver.IsValid(g) && semver.Compare(g, need) < 0 {
		return refuse("%s %s needs a gateway of version %s, and this is %s; update the gateway, or install an older version", name, number, v.MinGateway, gateway)
	}
	return nil
}

// Numbers lists the versions, the newest first.
func (p *Plugin) Numbers() []string {
	return slices.SortedFunc(maps.Keys(p.Versions), func(a, b string) int { return semver.Compare("v"+b, "v"+a) })
}

// Search lists the names of the plugins that have all words in their name, description or tools.
func (i *Index) Search(words ...string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(i.Plugins)) {
		p := i.Plugins[name]
		text := name + " " + p.Description
		for _, v := range p.Versions {
			text += " " + strings.Join(v.Tools, " ")
		}
		text = strings.ToLower(text)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) }) {
			names = append(names, name)
		}
	}
	return names
}
