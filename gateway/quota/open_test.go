package quota_test

import (
	"testing"
	"time"

	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// A request that has ended holds nothing any more, since nobody would give it back: the address has room for another's.
func TestNothingIsHeldBehindTheEnd(t *testing.T) {
	t.Parallel()
	limits := quota.New(quota.Limits{AddressOpen: 1}, time.Minute)
	ended := limits.For("192.0.2.1")
	ended.End()
	if err := ended.Hold(); fault.CodeOf(err) != sdkapi.Canceled {
		t.Errorf("behind the end: %v", err)
	}
	if err := limits.For("192.0.2.1").Hold(); err != nil {
		t.Errorf("another request of the address: %v", err)
	}
}

// A refused upload was not counted, so giving it back must not make room for another one.
func TestARefusedUploadMakesNoRoom(t *testing.T) {
	t.Parallel()
	limits := quota.New(quota.Limits{AddressOpen: 1}, time.Minute)
	upload := func() *quota.Held {
		q := limits.For("192.0.2.1")
		return &quota.Held{Open: q.Send}
	}
	const large = 1 << 20
	first := upload()
	if err := first.Arrived(large, false); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		refused := upload()
		if err := refused.Arrived(large, false); fault.CodeOf(err) != sdkapi.RateLimited {
			t.Errorf("upload %d beyond the limit: got %v, want %s", i+1, err, sdkapi.RateLimited)
		}
		refused.Give()
	}
	first.Give()
	if err := upload().Arrived(large, false); err != nil {
		t.Errorf("an upload after the end of the first one: %v", err)
	}
}
