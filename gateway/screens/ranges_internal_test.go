package screens

import (
	"testing"
)

func TestParseRange(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		header string
		want   span
		ok     bool
		fails  bool
	}{
		{header: "bytes=0-0", want: span{0, 1}, ok: true},
		{header: "bytes=2-5", want: span{2, 4}, ok: true},
		{header: "bytes=8-", want: span{8, 2}, ok: true},
		{header: "bytes=8-99", want: span{8, 2}, ok: true},
		{header: "bytes=-3", want: span{7, 3}, ok: true},
		{header: "bytes=-99", want: span{0, 10}, ok: true},
		{header: "bytes=10-", fails: true},
		{header: "bytes=-0", fails: true},
		{header: "bytes=99-100", fails: true},
		{header: "bytes=5-2"},
		{header: "bytes=a-b"},
		{header: "bytes=+1-2"},
		{header: "bytes=-"},
		{header: "bytes="},
		{header: "lines=0-1"},
		{header: "bytes=0-1,3-4"},
		{header: "bytes=0-99999999999999999999"},
	} {
		t.Run(tt.header, func(t *testing.T) {
			got, ok, err := parseRange(tt.header, 10)
			if got != tt.want || ok != tt.ok || (err != nil) != tt.fails {
				t.Errorf("%s: %+v %v %v", tt.header, got, ok, err)
			}
		})
	}
}

func FuzzParseRange(f *testing.F) {
	f.Add("bytes=0-5", int64(10))
	f.Add("bytes=-5", int64(3))
	f.Fuzz(func(t *testing.T, header string, size int64) {
		if size < 0 {
			return
		}
		got, ok, err := parseRange(header, size)
		if ok && (err != nil || got.offset < 0 || got.length < 1 || got.offset+got.length > size) {
			t.Errorf("%q of %d: %+v, %v", header, size, got, err)
		}
	})
}

func TestHasETag(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]bool{"": false, `"a"`: true, `W/"a"`: true, `"b", "a"`: true, "*": true, `"b"`: false, "a": false} {
		t.Run(list, func(t *testing.T) {
			if got := hasETag(list, `"a"`); got != want {
				t.Errorf("%s: %v", list, got)
			}
		})
	}
}
