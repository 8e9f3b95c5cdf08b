package sdk

import (
	"context"
	"net/http"

	"github.com/windieos/windie/sdkapi"
)

// onceKey is the context key of a request's Idempotency-Key.
type onceKey struct{}

// Once makes a request idempotent. The gateway performs a request with the returned context only
// once, even if the request arrives several times. Therefore, the client retries the request after
// a broken connection, just as it retries requests that change nothing. The parameter key
// identifies the request. The gateway remembers the key for a day. The key is a text of at most
// sdkapi.MaxIdempotencyKey bytes of printable ASCII. Each request needs its own key. If a restarted
// program repeats the request with the same key, it gets the first response:
//
//	result, err := client.Tools.Invoke(sdk.Once(ctx, order.ID), "shop.buy", order)
//
// The request fails with KeyReused if the key belongs to a different request, with KeyInUse while
// the first request runs, and with KeyOutcomeUnknown if the gateway stopped before the first
// request finished. Prompts.Start and General.Chat yield the events of the first request.
func Once(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, onceKey{}, key)
}

// keyOf returns the key that Once has put into ctx, or "".
func keyOf(ctx context.Context) string {
	key, _ := ctx.Value(onceKey{}).(string)
	return key
}

// addKey adds the key in ctx to a request that may change something.
func addKey(ctx context.Context, req *http.Request) {
	if key := keyOf(ctx); key != "" && req.Method == http.MethodPost {
		req.Header.Set(sdkapi.IdempotencyKeyHeader, key)
	}
}
