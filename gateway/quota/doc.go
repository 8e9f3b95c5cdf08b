// Package quota bounds what each caller may ask of a gateway: requests, megapixels of
// screens to read, and calls of tools.
package quota
