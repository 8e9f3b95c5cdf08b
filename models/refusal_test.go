package models_test

import (
	"fmt"
	"testing"

	"github.com/windieos/windie/models"
)

// A refused conversation is distinguished from a refused key or too many requests,
// even if the provider calls both a wrong request.
func TestRefusalOfRequest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		refusal models.Refusal
		want    bool
	}{
		{models.Refusal{Status: 400, Kind: "invalid_request_error", Text: "messages.1: tool_use ids were found without tool_result blocks"}, true},
		{models.Refusal{Status: 400, Kind: "INVALID_ARGUMENT 400", Text: "Function call is missing a thought_signature"}, true},
		{models.Refusal{Status: 400, Text: "no JSON"}, true},
		{models.Refusal{Status: 422, Text: "unprocessable"}, true},
		{models.Refusal{Status: 400, Kind: "invalid_request_error context_length_exceeded"}, true},
		{models.Refusal{Status: 413, Kind: "request_too_large"}, true},
		{models.Refusal{Kind: "invalid_request_error", Text: "in the middle of an answer"}, true},
		{models.Refusal{Kind: "INVALID_ARGUMENT 400"}, true},
		{models.Refusal{Kind: "overloaded_error"}, false},
		{models.Refusal{Kind: "authentication_error"}, false},
		{models.Refusal{Kind: "something"}, false},
		{models.Refusal{Status: 400, Kind: "INVALID_ARGUMENT 400", Text: "API key not valid. Please pass a valid API key."}, false},
		{models.Refusal{Status: 400, Kind: "invalid_request_error", Text: "Your credit balance is too low to access the API."}, false},
		{models.Refusal{Status: 400, Kind: "invalid_request_error model_not_found"}, false},
		{models.Refusal{Status: 401, Kind: "invalid_request_error invalid_api_key"}, false},
		{models.Refusal{Status: 403, Kind: "permission_error"}, false},
		{models.Refusal{Status: 404, Kind: "not_found_error"}, false},
		{models.Refusal{Status: 429, Kind: "insufficient_quota"}, false},
		{models.Refusal{Status: 429}, false},
		{models.Refusal{Status: 500}, false},
		{models.Refusal{Status: 200, Text: "<html>"}, false},
		{models.Refusal{Status: 307}, false},
	} {
		t.Run(fmt.Sprint(tt.refusal), func(t *testing.T) {
			if got := tt.refusal.OfRequest(); got != tt.want {
				t.Errorf("%v: %v", &tt.refusal, got)
			}
		})
	}
}
