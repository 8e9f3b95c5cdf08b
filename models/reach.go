package models

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

// Reacher is a Model whose server can be asked whether it is there and takes the
// key, without asking a model anything, which costs money at some.
type Reacher interface {
	// Reach returns nil, or the fault that Stream would end with.
	Reach(ctx context.Context) error
}

// Reach asks the server for the list of its models at path, below BaseURL. What
// is in the list does not matter; that it is JSON does, as another server may
// answer in its place.
func (w Wire) Reach(ctx context.Context, path string, header http.Header) error {
	return w.Document(ctx, func(ctx context.Context) error {
		req, err := w.request(ctx, http.MethodGet, path, header, http.NoBody)
		if err != nil {
			return err
		}
		resp, err := w.Client().Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		var list map[string]json.RawMessage
		if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
			return errors.Join(errors.New("the list of models is no JSON object"), err)
		}
		return nil
	})
}
