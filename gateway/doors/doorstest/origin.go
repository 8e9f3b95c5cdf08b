package doorstest

// LocalKey is the approval key of the gateways that ClientsGateways runs.
const LocalKey = "a key that nobody guesses"
