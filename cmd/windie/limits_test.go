package main

import "testing"

// A share of a limit is rounded down once, at the end.
func TestShare(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ of, some, parts, want int }{
		"no limit":           {0, 3, 10, 0},
		"rounded at the end": {19, 3, 10, 5},
		"at least one":       {1, 1, 12, 1},
		"five sixths":        {11, 5, 6, 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := share(tt.of, tt.some, tt.parts); got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
}

// The older variables of the address name any host, also one of IPv6.
func TestOlderAddress(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{"::1": "[::1]:8765", "[::1]": "[::1]:8765", "0.0.0.0": "0.0.0.0:8765", "": "127.0.0.1:9"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			env := map[string]string{"API_HOST": host}
			if host == "" {
				env["API_PORT"] = "9"
			}
			if got := fromEnviron(new(config), env)["listen"]; got != want {
				t.Errorf("%v, want %s", got, want)
			}
		})
	}
}
