package artifacts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/artifacts"
)

func TestValidID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"shot.png": true, "0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png": true, "a_b-C.7z": true, strings.Repeat("a", 100) + ".png": true,
		"": false, ".png": false, "shot": false, "shot.": false, "../shot.png": false, "a/b.png": false, `a\b.png`: false, "a.b.png": false,
		"-shot.png": false, "shot.PNG": false, "shot.png\n": false, "shot .png": false, "ß.png": false, "a%2Fb.png": false,
		strings.Repeat("a", 101) + ".png": false, "a." + strings.Repeat("x", 11): false,
	} {
		t.Run(fmt.Sprintf("%.60q", id), func(t *testing.T) {
			if got := artifacts.ValidID(id); got != want {
				t.Errorf("%q: %v", id, got)
			}
		})
	}
}

func TestSniff(t *testing.T) {
	t.Parallel()
	for content, want := range map[string][2]string{
		"\x89PNG\r\n\x1a\n":       {".png", "image/png"},
		"\xff\xd8\xff\xe0":        {".jpg", "image/jpeg"},
		"GIF89a":                  {".gif", "image/gif"},
		"%PDF-1.7":                {".pdf", "application/pdf"},
		"<!doctype html><script>": {".html", "text/html; charset=utf-8"},
		"<svg xmlns=\"http://www.w3.org/2000/svg\">": {".svg", "image/svg+xml"},
		"just text":        {".txt", "text/plain; charset=utf-8"},
		"\x00\x01\x02\xfe": {".bin", "application/octet-stream"},
	} {
		t.Run(content, func(t *testing.T) {
			id, contentType := artifacts.Sniff([]byte(content))
			if !artifacts.ValidID(id) || !strings.HasSuffix(id, want[0]) || contentType != want[1] {
				t.Errorf("%q: %s, %s", content, id, contentType)
			}
		})
	}
	a, _ := artifacts.Sniff(nil)
	if b, _ := artifacts.Sniff(nil); a == b {
		t.Error("two ids are the same")
	}
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Fuzz(func(t *testing.T, head []byte) {
		if id, contentType := artifacts.Sniff(head); !artifacts.ValidID(id) || contentType == "" {
			t.Errorf("%q, %q", id, contentType)
		}
	})
}
