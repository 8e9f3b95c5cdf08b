package doorstest

// LocalKey is the key of such a gateway.
const LocalKey = "a key that nobody guesses"
