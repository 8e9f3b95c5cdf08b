package main

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed formula.tmpl
var formulaText string

var formula = template.Must(template.New("formula").Parse(formulaText))

// homebrew are the names of platforms in a formula, in its order.
var homebrew = []struct{ system, arch, block, processor string }{
	{"darwin", "arm64", "on_macos", "on_arm"},
	{"darwin", "amd64", "on_macos", "on_intel"},
	{"linux", "arm64", "on_linux", "on_arm"},
	{"linux", "amd64", "on_linux", "on_intel"},
}

// formulaArchive is the archive for one processor, in a formula's words.
type formulaArchive struct{ Processor, URL, SHA256 string }

// formulaBlock has the archives for one system.
type formulaBlock struct {
	Name     string
	Archives []formulaArchive
}

// formula writes the formula for Homebrew, with the archives of the built programs.
func (r *release) formula(programs []program) error {
	var blocks []formulaBlock
	for _, h := range homebrew {
		for _, p := range programs {
			if p.os != h.system || p.arch != h.arch {
				continue
			}
			archive := p.title + ".tar.gz"
			data, err := os.ReadFile(filepath.Join(r.out, archive))
			if err != nil {
				return err
			}
			if n := len(blocks); n == 0 || blocks[n-1].Name != h.block {
				blocks = append(blocks, formulaBlock{Name: h.block})
			}
			last := &blocks[len(blocks)-1]
			last.Archives = append(last.Archives, formulaArchive{h.processor, r.download(archive), fmt.Sprintf("%x", sha256.Sum256(data))})
		}
	}
	if len(blocks) == 0 {
		return nil
	}
	return r.file("windie.rb", func(w io.Writer) error {
		return formula.Execute(w, object{
			"Summary": strings.TrimSuffix(summary, "."), "Homepage": homepage, "Version": r.version, "Licence": licence, "Blocks": blocks,
		})
	})
}
