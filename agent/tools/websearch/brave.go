package websearch

import (
	"context"
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/windieos/windie/sdkapi"
)

// brave uses Brave's search API.
type brave struct{ *server }

var _ Provider = brave{}

// Search implements Provider. It sends the query to Brave, and converts HTML in the results to
// text.
func (b brave) Search(ctx context.Context, query string, limit int) ([]Result, error) {
	var answer struct {
		Type string `json:"type"`
		Web  *struct {
			Results []struct {
				Title       string `json:"title"`
				URL         string `json:"url"`
				Description string `json:"description"`
			} `json:"results"`
		} `json:"web"`
	}
	ask := url.Values{"q": {query}, "count": {strconv.Itoa(limit)}, "result_filter": {"web"}, "text_decorations": {"false"}}
	err := b.get(ctx, "res/v1/web/search", ask, &answer)
	var r *Refusal
	switch {
	case errors.As(err, &r) && r.Status == http.StatusUnprocessableEntity && strings.Contains(r.Text, "SUBSCRIPTION_TOKEN"):
		return nil, b.fail(sdkapi.SearchError, "%s", b.denied).Because(r)
	case err != nil:
		return nil, err
	case answer.Web == nil && answer.Type == "search":
		return nil, nil // no results
	case answer.Web == nil:
		return nil, b.garbage()
	}
	list := make([]Result, len(answer.Web.Results))
	for i, r := range answer.Web.Results {
		list[i] = Result{textOf(r.Title), r.URL, textOf(r.Description)}
	}
	return results(list, limit), nil
}

var tagPattern = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)

// textOf returns the text of a piece of HTML.
func textOf(text string) string {
	return html.UnescapeString(tagPattern.ReplaceAllString(text, ""))
}
