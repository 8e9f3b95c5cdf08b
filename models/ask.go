package models

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

// Events posts body as JSON to path, below BaseURL, and calls take with the data
// of each event of the answer until take fails. It is for providers that are
// asked without a library, within Stream; client is the wire's, and header holds
// what the server wants besides the key. Data is valid JSON, and take may not
// keep it.
func (w Wire) Events(ctx context.Context, client *http.Client, path string, header http.Header, body any, take func(data []byte) error) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := w.request(ctx, http.MethodPost, path, header, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status) // the wire knows more
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, 16<<10), MaxLine+1) // no longer line comes through
	for lines.Scan() {
		data, isData := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !isData {
			continue
		}
		if err := take(bytes.TrimSpace(data)); err != nil {
			return err
		}
	}
	return lines.Err()
}
