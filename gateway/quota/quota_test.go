package quota_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/windieos/windie/gateway/quota"
)

// A request without limits has no quota, and nothing is charged.
func TestNoQuotaTakesAll(t *testing.T) {
	t.Parallel()
	var none *quota.Quota
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	for name, take := range map[string]func() error{
		"request":      none.TakeRequest,
		"user request": func() error { return none.TakeUserRequest("ada") },
		"messages":     func() error { return none.TakeMessages(1) },
		"registration": none.TakeRegistration,
		"call":         none.TakeCall,
		"sound":        func() error { return none.TakeSound(1) },
		"screen":       func() error { return none.TakeScreen(picture.Bytes()) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := take(); err != nil {
				t.Errorf("%v", err)
			}
		})
	}
}
