package locate

// typed are the kinds of elements that accept text or a value.
var typed = []string{"field", "text area", "search box", "dropdown", "slider"}

// verbs maps the verbs at the start of descriptions to the kinds that they apply to; nil for any
// kind.
var verbs = expand(map[string][]string{
	"type|type in|type into|type something into|enter|fill in|fill out|write in|write into|put in|put into|click into|key in|input|put the cursor in|edit|change|set|adjust|modify": typed,
	"pick|pick another|choose|choose another|select|focus|pick a different|choose a different|pick a|choose a|put the cursor on":                                                    nil,
	"tick|check|untick|uncheck|tick the box|tick off|mark":                            {"checkbox", "radio", "toggle"},
	"switch on|switch off|turn on|turn off|toggle|activate|deactivate|enable|disable": {"toggle", "checkbox", "radio", "button"},
	"click|click on|double click|double-click|right click|right-click|press|press on|hit|push|tap|tap on|open|open up|show|show me|go to|go into|go up to|go back to|jump to|switch to|switch the chart to|see|view|visit|take me to|bring me to|bring up|use|expand|unfold|fold|collapse|hover over|hover|point at|move to|navigate to|look at|start|scroll to|pull|drag|follow|read|pull up|call up|get to|head to|reveal|please|now": nil,
	"filter by|filter by the|filter for|group by|group by the":                                  {"dropdown", "button", "field"},
	"sort|sort by|sort by the|order by|sort the list by|sort the table by|sorts by|sorts it by": {"column header", "button"},
})

// withoutVerb removes the verbs at the start of list, and returns the kinds that they apply to. ok
// reports whether it removed one. At least one word remains.
func withoutVerb(list []token) (rest []token, kinds []string, ok bool) {
	for len(list) > 1 && !list[0].quoted {
		k, n := longest(list, verbs)
		if n == 0 || n == len(list) {
			break
		}
		list, ok = list[n:], true
		if k != nil {
			kinds = k
		}
	}
	return list, kinds, ok
}
