package docs

import (
	"encoding/json"
	"html/template"
	"io/fs"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// SDKs are the languages of the client libraries that have a reference page. The page of a language is at
// /docs/sdk/LANGUAGE, for example /docs/sdk/go.
var SDKs = []string{"go", "typescript", "python"}

// reference is the reference of one client. Scripts generate it from the client's docstrings.
type reference struct {
	Title    string          `json:"title"`
	Language string          `json:"language"`
	Doc      string          `json:"doc"`
	Items    []referenceItem `json:"items"`
}

// referenceItem is a type, a function, or a group of methods of a client.
type referenceItem struct {
	Name      string          `json:"name"`
	Kind      string          `json:"kind"`
	Signature string          `json:"signature"`
	Doc       string          `json:"doc"`
	Members   []referenceItem `json:"members"`
}

// block is a paragraph or an example of a docstring.
type block struct {
	Text string
	Code bool
}

// blocks splits a docstring into blocks. An indented paragraph is an example.
func blocks(doc string) (list []block) {
	for part := range strings.SplitSeq(doc, "\n\n") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		code := strings.HasPrefix(part, "    ") || strings.HasPrefix(part, "\t")
		if last := len(list) - 1; code && last >= 0 && list[last].Code {
			list[last].Text += "\n\n" + part
			continue
		}
		list = append(list, block{part, code})
	}
	return list
}

// addReferences serves the reference page of each client.
func (s *door) addReferences() {
	page := template.Must(template.New("reference.html").Funcs(template.FuncMap{"blocks": blocks}).ParseFS(assets, "assets/reference.html"))
	for _, name := range SDKs {
		html, err := referencePage(page, name)
		if err != nil {
			panic(err) // the files are embedded
		}
		s.core.App.Get("/docs/sdk/"+name, func(c *fiber.Ctx) error {
			if strings.HasSuffix(c.OriginalURL(), "/") { // the page has relative links
				return c.Redirect("../"+name, http.StatusPermanentRedirect)
			}
			c.Set(fiber.HeaderContentSecurityPolicy, docsPolicy)
			c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
			c.Type("html", "utf-8")
			return c.SendString(html)
		})
	}
}

// referencePage renders the reference page of a client.
func referencePage(page *template.Template, name string) (string, error) {
	text, err := fs.ReadFile(assets, "assets/sdk/"+name+".json")
	if err != nil {
		return "", err
	}
	var of reference
	if err := json.Unmarshal(text, &of); err != nil {
		return "", err
	}
	var html strings.Builder
	err = page.Execute(&html, of)
	return html.String(), err
}
