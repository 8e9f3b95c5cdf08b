package websearch

import (
	"context"
	"net/url"

	"github.com/windieos/windie/sdkapi"
)

// searxng asks a SearxNG, whose operator has to allow the format json. It gives
// a page of results, however many are asked for.
type searxng struct{ *server }

var _ Provider = searxng{}

// Search asks GET /search. That nothing was found since none of the engines
// answered is an error: a model would take it for an answer.
func (s searxng) Search(ctx context.Context, query string, most int) ([]Result, error) {
	var answer struct {
		Results *[]struct {
			Title   string `json:"title"`
			URL     string `json:"url"`
			Content string `json:"content"`
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
		return nil, s.fail(sdkapi.SearchUnavailable, "found nothing, as engines that it asks do not answer; try again later")
	}
	list := make([]found, len(*answer.Results))
	for i, r := range *answer.Results {
		list[i] = found{r.Title, r.URL, r.Content}
	}
	return results(list, most), nil
}
