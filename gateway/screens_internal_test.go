package gateway

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// emptyEngine finds no text.
type emptyEngine struct{ perception.Engine }

func (emptyEngine) Read(context.Context, perception.Screen, sdkapi.Reading) ([]perception.Row, error) {
	return nil, nil
}

// arriving is the one image of its query.Screens.
type arriving func() []byte

func (a arriving) Image(context.Context, sdkapi.ImageSource) (query.Image, error) {
	return query.Image{Source: perception.Source{SHA256: "1", Read: func(context.Context) ([]byte, error) { return a(), nil }}}, nil
}

func (a arriving) Keep(context.Context, io.Reader) (sdkapi.Artifact, error) {
	return sdkapi.Artifact{}, nil
}

// Whoever waits for a screen that is fetched for another is not refused for the
// other's sake: it is fetched again, and then it is theirs to pay for.
func TestOthersDoNotPay(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		finder := query.New(perception.NewScenes(emptyEngine{}, perception.Options{}), nil)
		l := quota.New(quota.Limits{UserMegapixels: 1}, 24*time.Hour)
		pay := func(user string) error { return (&quota.Quota{Limits: l, User: user}).TakeScreen(picture.Bytes()) }
		if err := pay("ada"); err != nil {
			t.Fatal(err)
		}
		arrived := make(chan struct{})
		read := func(user string) <-chan error {
			done := make(chan error, 1)
			ctx := context.WithValue(t.Context(), RequestKey{}, &Request{Quota: &quota.Quota{Limits: l, User: user}})
			go func() {
				s := query.Screens{Finder: finder, Charge: chargeScreen, Images: arriving(func() []byte {
					<-arrived
					return picture.Bytes()
				})}
				_, err := s.Read(ctx, &sdkapi.OCRReadArguments{})
				done <- err
			}()
			synctest.Wait() // the first fetches, the others wait for that
			return done
		}
		ada, joe, eve := read("ada"), read("joe"), read("eve")
		close(arrived)
		if err := <-ada; fault.CodeOf(err) != sdkapi.RateLimited {
			t.Errorf("who has used up the limit: %v", err)
		}
		if first, second := <-joe, <-eve; first != nil || second != nil {
			t.Errorf("who waited for the same: %v, %v", first, second)
		}
		if joe, eve := pay("joe"), pay("eve"); (joe == nil) == (eve == nil) {
			t.Errorf("one of the two has paid, and one has not: %v, %v", joe, eve)
		}
	})
}
