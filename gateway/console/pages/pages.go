// Package pages holds the console: the pages by which people use a gateway. It is plain
// JavaScript modules and one style sheet, served as they are; gateway/console serves them.
//
//	page := pages.Load()
//	page.Index             // the page, which names its files below page.Version
//	page.Files["app/main.js"]
//
// What is in vendor comes from npm, unchanged: vendor.json has the versions and sums. What is in sdk is the TypeScript client, as
// scripts/console-sdk.sh builds it: sums.json has its sources and sums.
package pages

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"strings"
	"sync"
)

//go:embed app vendor sdk
var sources embed.FS

// File is a file as it is served.
type File struct {
	Type   string // of its content
	Plain  []byte
	Packed []byte // the same by gzip
}

// Page is the console as it is served.
type Page struct {
	Index   File
	Version string          // changes with any file
	Files   map[string]File // by path below the version, as app/main.js
}

// Load returns the console. It makes it once.
var Load = sync.OnceValue(load)

// types are the files that are served, by the ends of their names.
var types = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".png": "image/png",
}

// bare replaces the names by which the modules in vendor import each other: a page without an
// inline script cannot say what such names mean.
var bare = strings.NewReplacer(
	`from"preact"`, `from"./preact.js"`,
	`from"preact/hooks"`, `from"./preact-hooks.js"`,
	`from"@preact/signals-core"`, `from"./signals-core.js"`,
)

// indexName is the page among the sources; versionMark stands there for the version.
const (
	indexName   = "app/index.html"
	versionMark = "{version}"
	versionLen  = 16 // hexadecimal digits
)

func load() *Page {
	page := &Page{Files: map[string]File{}}
	sum := sha256.New()
	pack, _ := gzip.NewWriterLevel(nil, gzip.BestCompression) // a known level
	err := fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := sources.ReadFile(name)
		if err != nil {
			return err
		}
		sum.Write([]byte(name + "\x00"))
		sum.Write(content)
		kind, served := types[path.Ext(name)]
		if !served {
			return nil
		}
		if strings.HasPrefix(name, "vendor/") {
			content = []byte(bare.Replace(string(content)))
		}
		page.Files[name] = newFile(pack, kind, content)
		return nil
	})
	if err != nil {
		panic(err) // what is embedded can be read
	}
	page.Version = hex.EncodeToString(sum.Sum(nil))[:versionLen]
	index, err := sources.ReadFile(indexName)
	if err != nil {
		panic(err)
	}
	page.Index = newFile(pack, "text/html; charset=utf-8", bytes.ReplaceAll(index, []byte(versionMark), []byte(page.Version)))
	return page
}

// newFile packs a file with a writer that packs one after the other: each new writer takes most of a megabyte.
func newFile(pack *gzip.Writer, kind string, content []byte) File {
	var packed bytes.Buffer
	pack.Reset(&packed)
	_, _ = pack.Write(content) // memory does not fail
	_ = pack.Close()
	return File{Type: kind, Plain: content, Packed: packed.Bytes()}
}
