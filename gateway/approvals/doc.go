// Package approvals asks people about calls of tools that are made outside of
// conversations, and lists what waits for a person's yes or no.
package approvals
