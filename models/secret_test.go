package models_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/windieos/windie/models"
)

func TestSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	const key = "sk-hidden"
	type outer struct {
		Shown  models.Secret
		hidden models.Secret
		deep   []any
	}
	s := models.NewSecret(" " + key + "\n")
	o := outer{s, s, []any{s, &s, map[string]models.Secret{"k": s}}}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "s", s, "p", &s, "o", o)
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", "s", s, "p", &s, "o", o)
	text, err := json.Marshal([]any{s, &s, o})
	if err != nil {
		t.Fatal(err)
	}
	out := log.String() + string(text)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		out += fmt.Sprintf(verb+verb+verb, s, &s, o)
	}
	if strings.Contains(out, key) || strings.Contains(out, fmt.Sprintf("%x", key)) {
		t.Error(out)
	}
	if s.Reveal() != key || !s.Known() || models.NewSecret(" ").Known() || (models.Secret{}).Reveal() != "" || fmt.Sprint(models.Secret{}) != "" {
		t.Error("a secret does not say what it holds")
	}
}
