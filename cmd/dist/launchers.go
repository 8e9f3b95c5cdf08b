package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The files with which other installers start the program: npm's packages, Python's wheels (wheels.go), a bundle for desktop
// clients of MCP per platform, and the description for registries of MCP servers. They use the platform names of Node.js.

//go:embed launcher.cjs
var launcher []byte

const (
	summary    = "Finds what to click on a screen, and controls this computer for agents."
	licence    = "Apache-2.0"
	homepage   = "https://github.com/windieos/windie"
	serverName = "io.github.windieos/windie" // in registries of MCP servers
	npmProgram = "@windie/cli-"              // start of the names of npm's packages with the program
)

// arguments are the arguments with which MCP clients start the program.
var arguments = []string{"mcp", "--computer"}

// nodePlatform returns Node's names of the system and the processor.
func (p program) nodePlatform() (system, processor string) {
	system, processor = p.os, p.arch
	if system == "windows" {
		system = "win32"
	}
	if processor == "amd64" {
		processor = "x64"
	}
	return system, processor
}

// object is a JSON object.
type object = map[string]any

// launchers writes the files for the built programs.
func (r *release) launchers(programs []program, extras []extra) error {
	optional, packages := object{}, []object{{
		"registryType": "npm", "identifier": "windie", "version": r.version, "runtimeHint": "npx",
		"transport": object{"type": "stdio"}, "packageArguments": described(arguments),
	}, {
		"registryType": "pypi", "identifier": "windie", "version": pythonVersion(r.version), "runtimeHint": "uvx",
		"transport": object{"type": "stdio"}, "packageArguments": described(arguments),
	}}
	for _, p := range programs {
		system, processor := p.nodePlatform()
		optional[npmProgram+system+"-"+processor] = r.version
		data, err := os.ReadFile(p.file)
		if err != nil {
			return err
		}
		if err := r.npmPackage(object{
			"name": npmProgram + system + "-" + processor, "description": "The program of the package windie for one platform.",
			"os": []string{system}, "cpu": []string{processor},
		}, []member{{"bin/" + p.name, 0o755, data}}, extras); err != nil {
			return err
		}
		if err := r.wheel(p, extras); err != nil {
			return err
		}
		sum, err := r.bundle(p, system, data)
		if err != nil {
			return err
		}
		packages = append(packages, object{
			"registryType": "mcpb", "identifier": r.download(p.title + ".mcpb"), "fileSha256": sum,
			"transport": object{"type": "stdio"},
		})
	}
	if err := r.npmPackage(object{
		"name": "windie", "description": summary, "bin": object{"windie": "bin/windie.cjs"}, "optionalDependencies": optional,
		"mcpName": serverName, "engines": object{"node": ">=18"},
	}, []member{{"bin/windie.cjs", 0o755, launcher}}, extras); err != nil {
		return err
	}
	return r.file("server.json", func(w io.Writer) error {
		_, err := w.Write(indented(object{
			"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
			"name":    serverName, "title": "Windie", "description": summary, "version": r.version,
			"repository": object{"url": homepage, "source": "github"}, "packages": packages,
		}))
		return err
	})
}

// download returns the URL of a published file of this version.
func (r *release) download(name string) string {
	return homepage + "/releases/download/v" + r.version + "/" + name
}

// npmPackage writes a tarball as npm packs it, with licence and README.
func (r *release) npmPackage(manifest object, members []member, extras []extra) error {
	manifest["version"], manifest["license"], manifest["homepage"] = r.version, licence, homepage
	manifest["repository"] = object{"type": "git", "url": "git+" + homepage + ".git"}
	members = append(members, member{"package.json", 0o644, indented(manifest)})
	for _, e := range extras {
		if !strings.Contains(e.path, "/") {
			members = append(members, member{e.path, 0o644, e.data})
		}
	}
	for i := range members {
		members[i].path = "package/" + members[i].path
	}
	name, _ := manifest["name"].(string)
	name = strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + r.version + ".tgz"
	return r.file(name, func(w io.Writer) error { return writeTar(w, members, r.time) })
}

// bundle writes a bundle for desktop clients of MCP, and returns its SHA-256 in hexadecimal.
func (r *release) bundle(p program, system string, data []byte) (string, error) {
	manifest := indented(object{
		"manifest_version": "0.3", "name": "windie", "display_name": "Windie", "version": r.version, "description": summary,
		"author": object{"name": "Windie", "url": homepage}, "license": licence, "homepage": homepage,
		"server": object{
			"type": "binary", "entry_point": "server/" + p.name,
			"mcp_config": object{"command": "${__dirname}/server/" + p.name, "args": arguments},
		},
		"compatibility": object{"platforms": []string{system}},
	})
	members := []member{{"manifest.json", 0o644, manifest}, {"server/" + p.name, 0o755, data}}
	if err := r.file(p.title+".mcpb", func(w io.Writer) error { return writeZip(w, members, r.time) }); err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(r.out, p.title+".mcpb"))
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// described returns arguments in the form of server.json.
func described(arguments []string) (list []object) {
	for _, text := range arguments {
		argument := object{"type": "positional", "value": text}
		if strings.HasPrefix(text, "--") {
			argument = object{"type": "named", "name": text}
		}
		list = append(list, argument)
	}
	return list
}

// indented returns an object as JSON with a final newline.
func indented(o object) []byte {
	text, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		panic(err) // it has only texts, lists and objects
	}
	return append(text, '\n')
}
