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
