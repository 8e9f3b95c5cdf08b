// Package metrics counts what a gateway does, for Prometheus.
package metrics
