package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// program is the built program for one platform.
type program struct {
	os, arch       string
	file, symbols  string // paths of the program, and of the one with symbols
	name           string // file name in an archive: windie or windie.exe
	release, title string // version, and file name prefix such as windie-1.2.0-linux-amd64
}

// build builds the program for a platform such as "linux/amd64".
func (r *release) build(ctx context.Context, platform string) (program, error) {
	system, arch, ok := strings.Cut(platform, "/")
	if !ok {
		return program{}, fmt.Errorf("%q is not a platform; expected a name such as linux/amd64", platform)
	}
	p := program{os: system, arch: arch, name: "windie", release: r.version, title: "windie-" + r.version + "-" + system + "-" + arch}
	if system == "windows" {
		p.name += ".exe"
	}
	p.file, p.symbols = filepath.Join(r.work, p.title, p.name), filepath.Join(r.work, p.title, "symbols", p.name)
	for file, flags := range map[string]string{p.file: " -s -w", p.symbols: ""} {
		args := []string{"go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-X main.version=v" + r.version + flags, "-o", file, "./cmd/windie"}
		if err := r.command(ctx, args, []string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT="}); err != nil {
			return p, err
		}
	}
	return p, nil
}

// extra is a file that is published with each program.
type extra struct {
	path string // path in an archive
	data []byte
}

// extras returns the files published with each program: licences, README, manual pages, and shell
// completions. The program itself prints the last two.
func (r *release) extras(ctx context.Context) ([]extra, error) {
	var all []extra
	for _, name := range []string{"LICENSE", "NOTICE", "README.md"} {
		data, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		all = append(all, extra{name, data})
	}
	here, pages := filepath.Join(r.work, "here"), filepath.Join(r.work, "man1")
	if err := r.command(ctx, []string{"go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-X main.version=v" + r.version, "-o", here, "./cmd/windie"}, nil); err != nil {
		return nil, err
	}
	if err := r.command(ctx, []string{here, "man", pages}, []string{fmt.Sprint("SOURCE_DATE_EPOCH=", r.time.Unix())}); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(pages, "*.1"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, extra{"man/man1/" + filepath.Base(name), data})
	}
	for shell, name := range map[string]string{"bash": "windie.bash", "zsh": "_windie", "fish": "windie.fish", "powershell": "windie.ps1"} {
		script, err := output(ctx, r.root, here, "completion", shell)
		if err != nil {
			return nil, err
		}
		all = append(all, extra{"completions/" + name, []byte(script + "\n")})
	}
	return all, nil
}
