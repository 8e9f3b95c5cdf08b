package sdkapi

// IdempotencyKeyHeader names the header that makes a request idempotent. The gateway performs a
// request with a key only once. If the same request with the same key arrives again within a day,
// the gateway returns the first response. The value is at most MaxIdempotencyKey bytes of printable
// ASCII, with or without double quotes.
const IdempotencyKeyHeader = "Idempotency-Key"

// MaxIdempotencyKey bounds an Idempotency-Key, in bytes; beyond it: 422 VALIDATION_ERROR.
const MaxIdempotencyKey = 255

// ReplayedHeader has the value true in a response that repeats an earlier response.
const ReplayedHeader = "Idempotency-Replayed"
