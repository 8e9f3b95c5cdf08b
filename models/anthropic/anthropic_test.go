package anthropic_test

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/anthropic"
	"github.com/windieos/windie/models/modelstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens the models of a server of the test's.
func open(baseURL string, key models.Secret, client *http.Client) (models.Model, error) {
	return anthropic.Open(anthropic.Config{BaseURL: baseURL, APIKey: key, HTTPClient: client})
}

func TestSuite(t *testing.T) { modelstest.Run(t, modelstest.Anthropic, open) }
