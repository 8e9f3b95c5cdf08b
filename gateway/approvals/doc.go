// Package approvals asks people about tool calls outside of conversations, and lists the questions
// that wait for a person's answer.
package approvals
