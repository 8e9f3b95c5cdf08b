package conversation

// StreamOf is where a user's conversations are.
var StreamOf = streamOf
