// Package quota limits what each caller may use of a gateway: requests, megapixels of screens, tool
// calls, seconds of sound, and open connections.
package quota
