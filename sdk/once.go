package sdk

import (
	"context"
	"net/http"

	"github.com/windieos/windie/sdkapi"
)

// onceKey is where a request's context has its Idempotency-Key.
type onceKey struct{}

// Once has the request that is made with the returned context done once, however often
// it is sent: the key, any text of at most sdkapi.MaxIdempotencyKey bytes of printable
// ASCII that no other request has, stands for it for a day. So it is tried again if
// the connection breaks, as requests that change nothing are; and a restarted program
// may make it again with the same key, and gets the first one's answer:
//
//	result, err := client.Tools.Invoke(sdk.Once(ctx, order.ID), "shop.buy", order)
//
// It fails with KeyReused where the key came with another request, KeyInUse
// while the first one runs, and KeyOutcomeUnknown where its gateway is gone.
// Prompts.Start and General.Chat yield the first one's events.
func Once(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, onceKey{}, key)
}

func keyOf(ctx context.Context) string {
	key, _ := ctx.Value(onceKey{}).(string)
	return key
}

// addKey adds ctx's key to a request that may make something.
func addKey(ctx context.Context, req *http.Request) {
	if key := keyOf(ctx); key != "" && req.Method == http.MethodPost {
		req.Header.Set(sdkapi.IdempotencyKeyHeader, key)
	}
}
