package websearch

import (
	"context"
	"net/url"

	"github.com/windieos/windie/sdkapi"
)

// searxng uses a SearxNG, whose operator has to allow the format json. It returns one page of
// results.
type searxng struct{ *server }

var _ Provider = searxng{}

// Search sends the request GET /search. It fails if no search engine of the server has answered.
// Otherwise a model would think that the web has no results.
func (s searxng) Search(ctx context.Context, query string, limit int) ([]Result, error) {
	var answer struct {
		Results *[]struct {
			Title   string `json:"title"`
			URL     string `json:"url"`
			Snippet string `json:"content"`
		} `json:"results"`
		Unresponsive []any `json:"unresponsive_engines"`
	}
	if err := s.get(ctx, "search", url.Values{"q": {query}, "format": {"json"}}, &answer); err != nil {
		return nil, err
	}
	if answer.Results == nil {
		return nil, s.garbage()
	}
	if len(*answer.Results) == 0 && len(answer.Unresponsive) > 0 {
		return nil, s.fail(sdkapi.SearchUnavailable, "found nothing, because its search engines do not answer; try again later")
	}
	list := make([]Result, len(*answer.Results))
	for i, r := range *answer.Results {
		list[i] = Result(r)
	}
	return results(list, limit), nil
}
