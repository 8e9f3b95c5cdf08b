// Package metrics collects a gateway's metrics for Prometheus. It also stores the metrics of the last day, for
// the console.
package metrics
