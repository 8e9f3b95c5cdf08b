package match_test

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
)

// What readers and typists do is forgiven; another number, another word, a negation or an opposite
// is another text, whichever of the two is asked for.
func TestSame(t *testing.T) {
	t.Parallel()
	same := []string{
		"INBOX|inbox", "modern|MODERN", "résumé|resume", "Größe|GRÖSSE", "Søk|Sok", "Log in|Login", "Launch installer|Launchinstaller",
		"1 000 kr|1000 kr", "Total 12 345|Total 12345", "Total 1 234 567|Total 1234567", "Room 5 123 456|Room 5 123456", "Call 555 0123|Call 5550123", "Room 5 4242 4242|Room 5 42424242", "Card 4242 4242|Card 42424242", "Item 10|Item lO", "modern|modem", "42.00|42,00", "Order #2217|Order 2217",
		"$42.00|42.00", "Save as|Save as…", "Name|Name:", "e-mail address|email address", "don't save|dont save",
		"CO2|CO₂", "x12|x¹²", "1,000 items|1000 items", "1'234,567|1,234,567", "12,345|12 345", "March 3, 2026|March 3 2026", "Step 3: Pay|Step 3 Pay",
		"Step 3 - Pay|Step 3 Pay", "3-day trial|3 day trial", "Balance - 5|Balance -5", "• 5 left|5 left", "│Name│|Name", "ФАЙЛ|ФAЙЛ", "SK|ѕк", "вместе с|вместе c", "ΑΡΧΕΙΟ|APXEΙO", "table — striped|table ─ striped", "Save ―|Save", "Total: 5|Total 5", "5)|5", "Einstellungen|Einstelungen", "Pillarbox mail|Pillrabox mail",
	}
	typed := []string{ // wrongly asked for, rightly read
		"Setings|Settings", "Stetings|Settings", "Settingd|Settings", "Settiings|Settings", "Notificatinos and saved|Notifications and saved",
		"Notfications|Notifications", "Ntfications|Notifications", "lnvioce 17|Invoice 17",
		"Benedikt Sorg|Benedict Sorg",
	}
	apart := []string{
		"Order 2217|Order 2218", "Order 2217|Order 22171", "1.2.3|1.2.4", "1.2.3|123", "42.00|4200", "Q3|Q4", "v2|v3", "-5 days|5 days", "50% off|50 off",
		"invoice12.pdf|invoice1(2).pdf", "photo 11.jpg|photo 1 (1).jpg", "file1.pdf|file(1).pdf", "Report 2024|Report 20 (24)", "Room 35|Room 3'5",
		"Page 12|Page 1, 2", "Page 12|Page 1. 2", "Page 12|Page 1: 2", "Page 12|Page 1- 2", "Page 12|Page 1 • 2", "Page 12|Page 1 $2", "Page 12|Page l, 2",
		"Balance 500|Balance (500)", "Balance 5|Balance - 5", "Balance 5|Balance ─ 5", "Balance 5|Balance −5", "Balance 5|Balance -$5", "Page 3 4|Page 3 - 4", "3 .5|3 5",
		"Item 1,00|Item 100", "Item 1,0000|Item 10000", "Item 2024,123|Item 2024123", "Item,100|Item100", "Item 1 ,000|Item 1000", "Page 1•2|Page 1 2", "Page 1(2|Page 1 2", "Item 1.000|Item 1000", "Item 1, 000|Item 1000",
		"Apartment 28|Apartment 2B", "Seat 16|Seat 1B", "Flat 26|Flat 2b", "Bus 88|Bus 8B", "Gate 8|Gate B", "Size 5|Size S", "Locker 92|Locker gz",
		"Level 55|Level S5", "Settings|Setting5", "$5|S5", "Room 1|Room !", "v1|vi",
		"Page 12|Page 1 2", "Floor 12345|Floor 1 2345", "Floor 123456|Floor 12 3456", "Total 12345678|Total 1 234 5678", "Floor 12345|Floor l 2345", "Total 1234567|Total 1 2345 67", "102|10²", "Total 12|Total 1²", "room 21|room 2¹", "12|1₂",
		"Room 1 12|Room 11 2", "Windows|Window 5", "$42.00|€42.00",
		"Enable|Disable", "Log in|Log out", "Accept|Except", "public|pubic", "on|off", "Monday|Sunday", "June|July", "read|unread", "Connect|Disconnect",
		"Export|Import", "increase|decrease", "left|right", "activated|deactivated", "authorized|unauthorized", "Mark all as read|Mark all as unread",
		"Enable|Unable", "mail|mall", "Setting|Settings", "Integration|Integrations", "Kristen|Kirsten", "Hansen|Hanson", "Jansen|Hansen",
		"Anmelden|Abmelden", "verbinden|verbunden", "aktivieren|deaktivieren", "启用全部项目|禁用全部项目", "включить|отключить",
		"Keep me signed in|Keep me signed", "Add card|Add a card", "Young accepted your|Young a accepted your", "Turn on Wi-Fi|Turn off Wi-Fi",
		"C|C#", "---|***", "Save|Don't save", "|Save",
	}
	for list, want := range map[*[]string]bool{&same: true, &apart: false} {
		for _, pair := range *list {
			t.Run(pair, func(t *testing.T) {
				a, b, _ := strings.Cut(pair, "|")
				if match.Same(a, b) != want || match.Same(b, a) != want {
					t.Errorf("%q and %q are the same: %v, %v, want %v", a, b, match.Same(a, b), match.Same(b, a), want)
				}
			})
		}
	}
	for _, pair := range typed {
		t.Run(pair, func(t *testing.T) {
			asked, read, _ := strings.Cut(pair, "|")
			if !match.Same(asked, read) || match.Same(read, asked) {
				t.Errorf("%q is %q: %v, the other way: %v", asked, read, match.Same(asked, read), match.Same(read, asked))
			}
		})
	}
}

// A known word is not what was read surely and differs by a letter, nor is a digit a letter that looks like it. What the reader was not
// sure of may be.
func TestUnsureReader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		asked, read string
		confidence  float64
		found       bool
	}{
		{"Settings", "Settimgs", 0.85, true}, {"Settings", "Settimgs", 0.99, false}, {"Settings", "Setters", 0.1, false}, {"Settings", "Sertimgs", 0.1, false},
		{"Settings", "Setting5", 0.85, true}, {"Settings", "Setting5", 0.99, false}, {"Flat28", "Flat2B", 0.85, true}, {"Flat28", "Flat2B", 0.87, false},
		{"$4200", "S4200", 0.85, true}, {"$4200", "S4200", 0.99, false}, {"Level 55", "Level S5", 0.85, true}, {"Level 55", "Level 56", 0.1, false},
		{"Level 55", "Level SS", 0.1, false}, {"Level 8", "Level B", 0.1, false}, {"Level S5", "Level 55", 0.1, false}, {"Flat2b8", "Flat268", 0.1, true},
	} {
		t.Run(fmt.Sprint(tt.asked, tt.read, tt.confidence), func(t *testing.T) {
			box := image.Rect(0, 0, 80, 16)
			row := perception.Row{Text: tt.read, Box: box}
			for _, w := range strings.Fields(tt.read) {
				row.Words = append(row.Words, perception.Word{Text: w, Confidence: tt.confidence, Box: box})
			}
			one, _ := match.NewIndex([]perception.Row{row}).Find(match.Query{Text: tt.asked, Threshold: 0.8}).Resolve()
			if (one != nil) != tt.found {
				t.Errorf("found %+v", one)
			}
		})
	}
}

// A near miss stands among what was found, with its box and below the default threshold.
func TestNearMissIsListed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ asked, row, text string }{
		{"Order 2217", "Order 2218", "Order 2218"},
		{"Page 12", "Page 1 2 3", "Page 1 2"},
		{"Save", "Don’t save", "save"},
		{"backups", "Do not delete my backup", "backup"},
		{"Mail settings", "Mall settings", "Mall settings"},
	} {
		t.Run(tt.asked, func(t *testing.T) {
			found := match.NewIndex(rows(tt.row)).Find(match.Query{Text: tt.asked, Threshold: 0.8})
			if one, rivals := found.Resolve(); one != nil || rivals != nil {
				t.Errorf("resolved to %+v, %+v", one, rivals)
			}
			if len(found.Ranked) != 1 || found.Ranked[0].Row.Text != tt.text || found.Ranked[0].Row.Box.Empty() || found.Ranked[0].Score <= 0.55 {
				t.Errorf("listed: %+v", found.Ranked)
			}
			found.Query.Threshold = 0.56
			if one, _ := found.Resolve(); one == nil {
				t.Error("a lower threshold does not take it")
			}
		})
	}
}

// The one behind a negation is no rival of the one without.
func TestNegatedIsNoRival(t *testing.T) {
	t.Parallel()
	one, rivals := match.NewIndex(rows("Don't save", "Cancel", "Save")).Find(match.Query{Text: "Save", Threshold: 0.8}).Resolve()
	if one == nil || one.Index != 2 {
		t.Errorf("resolved to %+v, rivals %+v", one, rivals)
	}
}

// What is asked for is the same as itself, and the order of arguments does not matter to a crash.
func FuzzSame(f *testing.F) {
	f.Add("Order 2217", "0rder 2218")
	f.Add("modern é |", "\xff rn RN 1 0 0")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 300 {
			return
		}
		match.Same(a, b)
		if strings.ContainsAny(a, "abc") && !match.Same(a, a) {
			t.Errorf("%q is not the same as itself", a)
		}
	})
}
