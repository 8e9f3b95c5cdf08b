package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bom is a list of a program's components in the format of CycloneDX 1.6:
// https://cyclonedx.org/docs/1.6/json/.
type bom struct {
	Schema   string `json:"$schema"`
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Version  int    `json:"version"`
	Metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	} `json:"metadata"`
	Components []component `json:"components"`
}

type component struct {
	Ref      string    `json:"bom-ref"`
	Type     string    `json:"type"`
	Name     string    `json:"name"`
	Version  string    `json:"version,omitempty"`
	PURL     string    `json:"purl,omitempty"`
	Licenses []license `json:"licenses,omitempty"`
	Hashes   []hash    `json:"hashes,omitempty"`
}

type license struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// embedded are the third-party files in every program, with their sources.
var embedded = []struct{ file, name, version, purl, license string }{
	{"gateway/docs/assets/scalar.js", "@scalar/api-reference", "1.72.1", "pkg:npm/%40scalar/api-reference@1.72.1", "MIT"},
}

// sbom writes the list of a program's components: the linked modules and third-party files.
func (r *release) sbom(p program) error {
	b, err := r.bomOf(p)
	if err != nil {
		return err
	}
	return r.file(p.title+".cdx.json", func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "\t")
		enc.SetEscapeHTML(false)
		return enc.Encode(b)
	})
}

// bomOf returns the components of a program, sorted by reference. It reads the linked modules from the built file.
func (r *release) bomOf(p program) (*bom, error) {
	info, err := buildinfo.ReadFile(p.file)
	if err != nil {
		return nil, err
	}
	b := &bom{Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1}
	b.Metadata.Timestamp = r.time.Format("2006-01-02T15:04:05Z")
	b.Metadata.Component = component{Ref: p.title, Type: "application", Name: "windie", Version: r.version, PURL: "pkg:golang/" + info.Main.Path + "@v" + r.version, Licenses: licensed("Apache-2.0")}
	b.Components = append(b.Components, module("std", strings.TrimPrefix(info.GoVersion, "go")))
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		b.Components = append(b.Components, module(m.Path, m.Version))
	}
	files, err := r.embeddedFiles()
	if err != nil {
		return nil, err
	}
	b.Components = append(b.Components, files...)
	slices.SortFunc(b.Components, func(a, b component) int { return cmp.Compare(a.Ref, b.Ref) })
	return b, nil
}

// module returns the component of a Go module.
func module(path, version string) component {
	purl := "pkg:golang/" + path + "@" + version
	return component{Ref: purl, Type: "library", Name: path, Version: version, PURL: purl}
}

// licensed returns the license with an SPDX id.
func licensed(id string) []license {
	var l license
	l.License.ID = id
	return []license{l}
}

// embeddedFiles returns the third-party files, and the npm packages of the console.
func (r *release) embeddedFiles() ([]component, error) {
	var all []component
	for _, e := range embedded {
		data, err := os.ReadFile(filepath.Join(r.root, e.file))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		all = append(all, component{e.purl, "data", e.name, e.version, e.purl, licensed(e.license), []hash{{"SHA-256", hex.EncodeToString(sum[:])}}})
	}
	data, err := os.ReadFile(filepath.Join(r.root, "gateway/console/pages/vendor/vendor.json"))
	if err != nil {
		return nil, err
	}
	var vendored []struct{ Package, Version, Licence string }
	if err := json.Unmarshal(data, &vendored); err != nil {
		return nil, fmt.Errorf("gateway/console/pages/vendor/vendor.json: %w", err)
	}
	for _, v := range vendored {
		purl := "pkg:npm/" + strings.Replace(v.Package, "@", "%40", 1) + "@" + v.Version
		all = append(all, component{Ref: purl, Type: "library", Name: v.Package, Version: v.Version, PURL: purl, Licenses: licensed(v.Licence)})
	}
	return all, nil
}
