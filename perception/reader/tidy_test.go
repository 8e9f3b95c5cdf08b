package reader

import "testing"

func TestTidy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ read, want string }{
		{"Comment..", "Comment..."},
		{"93.6OOO1", "93.60001"},
		{"1O:3O", "10:30"},
		{"O2", "O2"},
		{"../lib", "../lib"},
		{"..", ".."},
		{"музыка.…", "музыка…"},
		{"I'heure", "l'heure"},
		{"I’album", "l’album"},
		{"I'm", "I'm"},
		{"ltem", "Item"},
		{"*lndex)", "*Index)"},
		{"label", "label"},
		{"llano", "llano"},
		{"ls", "ls"},
		{"l", "I"},
		{"Ul", "UI"},
		{"-l", "-l"},
		{"Ofdc8b34-d15d-4051-a26d-8e4ea1ccf43c", "0fdc8b34-d15d-4051-a26d-8e4ea1ccf43c"},
		{"CB:E3:FO:20:AF:9E", "CB:E3:F0:20:AF:9E"},
		{"0x7DDDBABO", "0x7DDDBAB0"},
		{"3ceaeaбe-9d65", "3ceaea6e-9d65"},
		{"d7ff7fOd", "d7ff7f0d"},
		{"C0CO0C8B3B8", "C0CO0C8B3B8"},
		{"feedface", "feedface"},
		{"Oad", "Oad"},
		{"1O24 bcd", "1O24 bcd"},
		{"⌃G", "^G"},
		{"⌃0", "^O"},
		{"⌃769f055", "^769f055"},
		{"⌃⌘F", "⌃⌘F"},
		{"⌃", "⌃"},
		{"", ""},
	} {
		t.Run(tt.read, func(t *testing.T) {
			if got := tidy(tt.read); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
