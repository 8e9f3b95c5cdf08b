package openai_test

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/models/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens the models of a server of the test's.
func open(baseURL string, key models.Secret, client *http.Client) (models.Model, error) {
	return openai.Open(openai.Config{BaseURL: baseURL, APIKey: key, HTTPClient: client})
}

func TestSuite(t *testing.T) { modelstest.Run(t, modelstest.OpenAI, open) }
