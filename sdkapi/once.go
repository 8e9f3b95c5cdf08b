package sdkapi

// IdempotencyKeyHeader names the header by which a request that makes or starts
// something is done once, however often it is sent: the same request with the
// same key is answered as the first one was, for a day. The value is at most
// MaxIdempotencyKey bytes of printable ASCII, in double quotes or without.
const IdempotencyKeyHeader = "Idempotency-Key"

// MaxIdempotencyKey bounds an Idempotency-Key, in bytes; beyond it: 422 VALIDATION_ERROR.
const MaxIdempotencyKey = 255

// ReplayedHeader marks, with the value true, an answer that was given before.
const ReplayedHeader = "Idempotency-Replayed"
