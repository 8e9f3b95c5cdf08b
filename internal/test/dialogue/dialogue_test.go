package dialogue

import (
	"testing"

	"github.com/windieos/windie/internal/test/recorded"
)

// What is recorded matches what it was recorded from.
func TestRecord(t *testing.T) {
	t.Parallel()
	got := answer{
		head: "200\nContent-Type: application/json\n", json: true,
		body: `{"artifact_id": "0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png", "url": "http://127.0.0.1:80/0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png"}`,
	}
	text := record(recorded.New("127.0.0.1:80"), got)
	if diff := compare(text, got, recorded.New("127.0.0.1:80")); diff != "" {
		t.Errorf("recorded as\n%s\n%s", text, diff)
	}
	got.body = `{"artifact_id": "a.png", "url": "http://127.0.0.1:80/b.png"}`
	if compare(text, got, recorded.New("127.0.0.1:80")) == "" {
		t.Error("two ids passed for one")
	}
}
