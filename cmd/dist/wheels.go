package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strings"
)

// The wheels with which Python's installers start the program: `uvx windie mcp`. A wheel has the program for one platform and no
// Python code. Its name is windie, as at npm; the Python client is windie-sdk.

// wheelTags are the platforms of wheels. The programs for Linux are static, so any C library is right. macOS 12 is the oldest
// that Go supports.
var wheelTags = map[string]string{
	"linux/amd64":   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
	"linux/arm64":   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
	"darwin/amd64":  "macosx_12_0_x86_64",
	"darwin/arm64":  "macosx_12_0_arm64",
	"windows/amd64": "win_amd64",
	"windows/arm64": "win_arm64",
}

// wheel writes the wheel of a program. A platform without a tag has no wheel.
func (r *release) wheel(p program, extras []extra) error {
	platform, ok := wheelTags[p.os+"/"+p.arch]
	if !ok {
		return nil
	}
	data, err := os.ReadFile(p.file)
	if err != nil {
		return err
	}
	title := "windie-" + pythonVersion(r.version)
	info := title + ".dist-info"
	members := []member{
		{path.Join(title+".data", "scripts", p.name), 0o755, data},
		{path.Join(info, "METADATA"), 0o644, r.wheelMetadata(extras)},
		{path.Join(info, "WHEEL"), 0o644, wheelFormat(platform)},
	}
	for _, e := range extras {
		if e.path == "LICENSE" || e.path == "NOTICE" {
			members = append(members, member{path.Join(info, "licenses", e.path), 0o644, e.data})
		}
	}
	members = append(members, wheelRecord(path.Join(info, "RECORD"), members))
	return r.file(title+"-py3-none-"+platform+".whl", func(w io.Writer) error { return writeZip(w, members, r.time) })
}

// wheelMetadata returns the text about the package, in version 2.4 of its format. Its description is the README; registries of
// MCP servers look for the server's name there.
func (r *release) wheelMetadata(extras []extra) []byte {
	lines := []string{
		"Metadata-Version: 2.4", "Name: windie", "Version: " + pythonVersion(r.version), "Summary: " + summary,
		"Project-URL: Homepage, " + homepage, "License-Expression: " + licence,
	}
	var readme []byte
	for _, e := range extras {
		switch e.path {
		case "LICENSE", "NOTICE":
			lines = append(lines, "License-File: "+e.path)
		case "README.md":
			readme = e.data
		}
	}
	lines = append(lines, "Description-Content-Type: text/markdown")
	return fmt.Appendf(nil, "%s\n\n%s\n<!-- mcp-name: %s -->\n", strings.Join(lines, "\n"), readme, serverName)
}

// wheelFormat returns the text about the wheel itself, with a line for each platform.
func wheelFormat(platform string) []byte {
	text := []byte("Wheel-Version: 1.0\nGenerator: windie-dist\nRoot-Is-Purelib: false\n")
	for tag := range strings.SplitSeq(platform, ".") {
		text = fmt.Appendf(text, "Tag: py3-none-%s\n", tag)
	}
	return text
}

// wheelRecord returns the list of members with their checksums and sizes. The list itself has neither.
func wheelRecord(name string, members []member) member {
	var text []byte
	for _, m := range sorted(members) {
		sum := sha256.Sum256(m.data)
		text = fmt.Appendf(text, "%s,sha256=%s,%d\n", m.path, base64.RawURLEncoding.EncodeToString(sum[:]), len(m.data))
	}
	return member{name, 0o644, append(text, name+",,\n"...)}
}

// preRelease matches the end of versions that Python spells in its own way.
var preRelease = regexp.MustCompile(`^(\d+\.\d+\.\d+)-(alpha|beta|rc)\.(\d+)$`)

// pythonVersion returns a version in Python's spelling: 1.2.0-rc.1 is 1.2.0rc1. Other suffixes become a local version, such as
// 1.2.0+test, which package indexes refuse.
func pythonVersion(version string) string {
	if m := preRelease.FindStringSubmatch(version); m != nil {
		return m[1] + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[m[2]] + m[3]
	}
	number, suffix, local := strings.Cut(version, "-")
	if !local {
		return version
	}
	return number + "+" + strings.ToLower(strings.ReplaceAll(suffix, "-", "."))
}
