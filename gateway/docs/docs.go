package docs

import (
	"embed"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
)

// assets contains the pages of the docs. It also contains Scalar's script if `make deps` has
// fetched it; the script is not in git.
//
//go:embed assets
var assets embed.FS

// docsPolicy is the Content-Security-Policy of the docs pages. It allows no requests to other
// sites.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
	"font-src 'self' data:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// addDocs serves /docs: Scalar's page for the OpenAPI document, or a plain list of the routes if
// the build had no Scalar script.
func (s *door) addDocs() {
	page := "assets/scalar.html"
	script, err := fs.ReadFile(assets, "assets/scalar.js")
	if err != nil {
		page = "assets/plain.html"
	}
	var html strings.Builder
	if err := template.Must(template.ParseFS(assets, page)).Execute(&html, operationsOf(s.core.API.OpenAPI())); err != nil {
		panic(err) // a template that does not fit its data is a bug
	}
	s.core.App.Get("/docs", func(c *fiber.Ctx) error {
		if strings.HasSuffix(c.OriginalURL(), "/") { // the page has relative links
			return c.Redirect("../docs", http.StatusPermanentRedirect)
		}
		c.Set(fiber.HeaderContentSecurityPolicy, docsPolicy)
		c.Type("html", "utf-8")
		return c.SendString(html.String())
	})
	for _, name := range []string{"docs.js", "docs.css"} {
		content, err := fs.ReadFile(assets, "assets/"+name)
		if err != nil {
			panic(err)
		}
		s.addAsset("/docs/"+name, content)
	}
	if script != nil {
		s.addAsset("/docs/scalar.js", script)
	}
}

// addAsset serves a file at path, whose extension decides the content type.
func (s *door) addAsset(path string, content []byte) {
	s.core.App.Get(path, func(c *fiber.Ctx) error {
		c.Type(path[strings.LastIndex(path, ".")+1:], "utf-8")
		c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
		c.Set(fiber.HeaderCacheControl, "public, max-age=3600")
		return c.Send(content)
	})
}

// docsPage is the data of the plain page.
type docsPage struct {
	Title, Version, Description string
	Operations                  []docsOperation
}

// docsOperation is a route on the plain page.
type docsOperation struct{ Method, Path, Summary, Description string }

// operationsOf returns all operations of doc, by path.
func operationsOf(doc *huma.OpenAPI) docsPage {
	page := docsPage{Title: doc.Info.Title, Version: doc.Info.Version, Description: doc.Info.Description}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		item := doc.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Head, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				page.Operations = append(page.Operations, docsOperation{op.Method, path, op.Summary, op.Description})
			}
		}
	}
	return page
}
