package main

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// wrongValues returns values that no setting of s's kind can have.
func wrongValues(t *testing.T, s setting) []string {
	t.Helper()
	name := s.key[strings.LastIndexByte(s.key, '.')+1:]
	switch kind := s.value.Kind(); {
	case s.kind() == "duration":
		return []string{"soon", "-1h", "10"}
	case kind == reflect.Bool:
		return []string{"perhaps"}
	case kind == reflect.Int || kind == reflect.Int64:
		return []string{"many", "-2", "1.5"}
	case strings.HasSuffix(name, "url") || name == "endpoint" || name == "issuer":
		return []string{"ftp://h.example", "https://h .example", "https://h.example:99999", "https://", "https://h.example:x"}
	case s.is == "file":
		return []string{filepath.Join(t.TempDir(), "none"), t.TempDir()}
	case s.is == "file?":
		return []string{t.TempDir()}
	case s.is == "folder":
		return []string{filepath.Join(t.TempDir(), "none"), emptyFile(t)}
	case s.is == "folder?":
		return []string{emptyFile(t)}
	}
	return nil
}

func emptyFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// refused fails unless a command with these settings ends with 2, says what is wrong with the setting of that
// variable, and has made no folder.
func refused(t *testing.T, variable, command string, environ ...string) {
	t.Helper()
	home := t.TempDir()
	var said strings.Builder
	code := run(t.Context(), strings.Fields(command), append([]string{"HOME=" + home}, environ...), strings.NewReader(""), &said, &said)
	if left, err := os.ReadDir(home); code != exitUsage || !strings.Contains(said.String(), variable) || len(left) > 0 || err != nil {
		t.Errorf("windie %s with %s ended with %d, made %v, and said:\n%s", command, strings.Join(environ, " "), code, left, said.String())
	}
}

// Each setting that is wrong is named, by each command, before anything is made.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	for _, s := range settings(new(config)) {
		for _, value := range wrongValues(t, s) {
			variable := s.env
			if strings.HasPrefix(s.key, "search.") { // nothing is said of one that is of no use alone but what it needs
				variable = "search.url"
			}
			refused(t, variable, "prune --yes", s.env+"="+value)
		}
	}
	for _, command := range []string{"serve", "doctor", "backup file", "mcp", "prune --yes"} {
		refused(t, "WINDIE_S3_ENDPOINT", command, "WINDIE_S3_BUCKET=artifacts")
		refused(t, "WINDIE_MODELS", command, "WINDIE_MODELS="+emptyFile(t)+"/none")
	}
}

// Each mistake with S3 is a sentence about its setting.
func TestWrongS3(t *testing.T) {
	t.Parallel()
	good := map[string]string{
		"WINDIE_S3_ENDPOINT": "http://127.0.0.1:1", "WINDIE_S3_BUCKET": "artifacts", "WINDIE_S3_ACCESS_KEY": "key", "WINDIE_S3_SECRET_KEY": "secret",
	}
	for variable, wrong := range map[string][]string{
		"WINDIE_S3_ENDPOINT":   {"", "http://h/path", "h:99999", "s3://h", "http://a:b@h", "a b"},
		"WINDIE_S3_BUCKET":     {"", "My_Bucket", "b", "a b", "a/b"},
		"WINDIE_S3_ACCESS_KEY": {""},
		"WINDIE_S3_SECRET_KEY": {""},
		"WINDIE_S3_PREFIX":     {"../up", "a//b"},
	} {
		for _, value := range wrong {
			environ := maps.Clone(good)
			environ[variable] = value
			var given []string
			for _, name := range slices.Sorted(maps.Keys(environ)) {
				given = append(given, name+"="+environ[name])
			}
			for _, command := range []string{"serve", "doctor", "backup file", "mcp", "prune --yes"} {
				refused(t, variable, command, given...)
			}
		}
	}
}
