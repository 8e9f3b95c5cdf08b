// Package pages contains the console, the web pages by which people use a gateway. It consists of
// plain JavaScript modules and one style sheet, without a build step. Package console serves them.
//
//	page := pages.Load()
//	page.Index             // the page, which names its files below page.Version
//	page.Files["app/main.js"]
//
// The folder vendor contains unchanged files from npm; vendor.json lists their versions and
// checksums. The folder sdk contains the TypeScript client, built by scripts/console-sdk.sh;
// sums.json lists its sources and checksums.
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

// File is a file of the console.
type File struct {
	Type   string // media type of the file
	Plain  []byte // the file's content
	Packed []byte // the file's content, compressed with gzip
}

// Page is the console with all its files.
type Page struct {
	Index   File
	Version string          // hash of all files, which is part of their URLs
	Files   map[string]File // the files, by their path after the version, for example app/main.js
}

// Load returns the console. It prepares the files on the first call.
var Load = sync.OnceValue(load)

// types maps the file extensions that are served to media types.
var types = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".png": "image/png",
}

// bare replaces the bare module names by which the modules in vendor import each other with paths.
// Browsers could resolve bare names only with an import map, an inline script, which the page's
// policy forbids.
var bare = strings.NewReplacer(
	`from"preact"`, `from"./preact.js"`,
	`from"preact/hooks"`, `from"./preact-hooks.js"`,
	`from"@preact/signals-core"`, `from"./signals-core.js"`,
)

// indexName is the page among the sources. versionMark is its placeholder for the version, and
// versionLen the length of a version.
const (
	indexName   = "app/index.html"
	versionMark = "{version}"
	versionLen  = 16 // hexadecimal digits
)

// load packs all embedded files of a known type. The version is the hash of all embedded files, also of those that are
// not served.
func load() *Page {
	page := &Page{Files: map[string]File{}}
	sum := sha256.New()
	pack, _ := gzip.NewWriterLevel(nil, gzip.BestCompression) // a valid level has no error
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
		panic(err) // embedded files can always be read
	}
	page.Version = hex.EncodeToString(sum.Sum(nil))[:versionLen]
	index, err := sources.ReadFile(indexName)
	if err != nil {
		panic(err)
	}
	page.Index = newFile(pack, "text/html; charset=utf-8", bytes.ReplaceAll(index, []byte(versionMark), []byte(page.Version)))
	return page
}

// newFile returns a file with its gzip form. The caller reuses one writer for all files, since each
// new one takes almost a megabyte.
func newFile(pack *gzip.Writer, kind string, content []byte) File {
	var packed bytes.Buffer
	pack.Reset(&packed)
	_, _ = pack.Write(content) // writing to memory cannot fail
	_ = pack.Close()
	return File{Type: kind, Plain: content, Packed: packed.Bytes()}
}
