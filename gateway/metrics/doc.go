// Package metrics collects a gateway's metrics for Prometheus. It also keeps the history of the
// last day for the console.
package metrics
