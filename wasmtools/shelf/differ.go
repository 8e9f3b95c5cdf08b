package shelf

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/author"
)

// differences collects the differences of a change.
type differences struct{ c *Change }

// add records a difference that needs no consent of its own.
func (d differences) add(format string, args ...any) {
	d.c.Differs = append(d.c.Differs, fmt.Sprintf(format, args...))
}

// grow records a difference that needs a consent of its own.
func (d differences) grow(format string, args ...any) {
	d.c.Grew = append(d.c.Grew, fmt.Sprintf(format, args...))
}

// versions compares the digest, the number and the signer. A lower version needs a consent of its
// own, because it may bring back an old fault.
func (d differences) versions(before, after Version) {
	d.add("digest: %s, was %s", after.Digest, before.Digest)
	if before.Version != after.Version {
		d.add("version: %s, was %s", cmp.Or(after.Version, "not given"), cmp.Or(before.Version, "not given"))
	}
	if before.Version == after.Version && after.Version != "" {
		d.add("version: %s again, with other content: the publisher changed it without a new number", after.Version)
	}
	if older(after.Version, before.Version) {
		d.grow("the version %s is older than %s", after.Version, before.Version)
	}
	if before.Key != after.Key {
		d.add("signed by: %s, was %s", cmp.Or(after.Key, "nobody"), cmp.Or(before.Key, "nobody"))
	}
}

// older reports whether version a is lower than b. It is false if one is not a version such as
// 1.2.0.
func older(a, b string) bool {
	a, b = vVersion(a), vVersion(b)
	return semver.IsValid(a) && semver.IsValid(b) && semver.Compare(a, b) < 0
}

// permissions compares the permissions that two manifests request.
func (d differences) permissions(before, after wasmtools.Manifest) {
	had, has := wishes(before), wishes(after)
	for _, w := range has {
		if !slices.Contains(had, w) {
			d.grow("it requests %s", w)
		}
	}
	for _, w := range had {
		if !slices.Contains(has, w) {
			d.add("permissions: it no longer asks for %s", w)
		}
	}
	was, is := limits(before.Limits), limits(after.Limits)
	for _, name := range slices.Sorted(maps.Keys(is)) {
		switch {
		case is[name] > was[name]:
			d.grow("it requests %s of %d, was %d", name, is[name], was[name])
		case is[name] < was[name]:
			d.add("limits: %s of %d, was %d", name, is[name], was[name])
		}
	}
	if after.Isolation != before.Isolation {
		if after.Isolation == wasmtools.Reuse {
			d.grow("it requests the isolation reuse")
		} else {
			d.add("isolation: %s, was %s", cmp.Or(string(after.Isolation), "the default"), cmp.Or(string(before.Isolation), "the default"))
		}
	}
}

// wishes lists the permissions that a manifest requests, each as a text. The texts of two
// permissions are equal only if the permissions are equal.
func wishes(m wasmtools.Manifest) (list []string) {
	p := m.Permissions
	add := func(kind string, v any) { list = append(list, kind+" "+string(jsonOf(v))) }
	for _, rule := range p.HTTP {
		add("http", rule)
	}
	for _, mount := range p.FS {
		add("fs", mount)
	}
	for _, name := range p.Env {
		add("env", name)
	}
	for _, name := range p.Tools {
		add("tools", name)
	}
	if p.KV != nil {
		add("kv", p.KV)
	}
	if p.Clock == nil || *p.Clock {
		list = append(list, "the time")
	}
	if p.Random == nil || *p.Random {
		list = append(list, "random numbers")
	}
	return list
}

// jsonOf returns v as JSON. It panics if v has no JSON form.
func jsonOf(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot fail: it came from JSON
	}
	return raw
}

// limits returns the limits that a manifest asks for, with defaults for the others.
func limits(l wasmtools.Limits) map[string]int64 {
	all, asked := map[string]int64{}, map[string]int64{}
	_ = json.Unmarshal(jsonOf(wasmtools.Defaults()), &all) // cannot fail: they are numbers
	_ = json.Unmarshal(jsonOf(l), &asked)
	for name, n := range asked {
		if n != 0 {
			all[name] = n
		}
	}
	return all
}

// settings compares the values of settings by key.
func (d differences) settings(before, after map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if was, ok := before[key]; !ok || was != after[key] {
			d.add("setting %s: %.200q, was %.200q", key, after[key], was)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[key]; !ok {
			d.add("setting %s: gone", key)
		}
	}
}

// tools compares the tools of two versions.
func (d differences) tools(before, after []author.ToolSeen) {
	was := map[string]author.ToolSeen{}
	for _, t := range before {
		was[t.Name] = t
	}
	for _, t := range after {
		old, known := was[t.Name]
		delete(was, t.Name)
		if !known {
			d.add("tool %s: new, %s: %.200s", t.Name, t.Risk, t.Description)
			continue
		}
		if old.Risk != t.Risk {
			d.add("tool %s: %s, was %s", t.Name, t.Risk, old.Risk)
			if t.Risk == agent.Safe {
				d.grow("the tool %s is now safe, was %s: its calls no longer need an approval", t.Name, old.Risk)
			}
		}
		if old.Description != t.Description {
			d.add("tool %s: described as %.300q, was %.300q", t.Name, t.Description, old.Description)
		}
		for _, line := range schemaLines(old.Input, t.Input) {
			d.add("tool %s: takes %s", t.Name, line)
		}
		for _, line := range schemaLines(old.Output, t.Output) {
			d.add("tool %s: gives %s", t.Name, line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		d.add("tool %s: gone", name)
	}
}
