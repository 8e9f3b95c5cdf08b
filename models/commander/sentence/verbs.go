package sentence

import (
	"slices"
	"strings"
)

// verb is what a verb does.
type verb int

const (
	tap        verb = iota // click on what follows
	opening                // click, or open a file by two clicks
	choosing               // click, or choose an entry of a list, or select a text
	double                 // click twice
	triple                 // click three times
	context                // click with the right button
	middleTap              // click with the middle button
	holding                // hold the mouse button
	switchOn               // check
	switchOff              // uncheck
	setting                // set to a value
	typing                 // type a text
	filling                // fill a field with a text
	replacing              // replace a text by another one
	clearing               // remove the text of a field
	pressing               // press keys, or a button
	hovering               // move the mouse over
	dragging               // drag
	selecting              // select a text
	scrolling              // scroll
	waiting                // wait
	activating             // bring a window to the front
	closingUp              // close a window
	ensuring               // "make sure that … is on"
	looking                // look at the screen
	shortcut               // press the keys of a common command
)

// phrases are the verbs that a phrase may be, in small letters.
var phrases = phrasesOf(map[verb]string{
	tap:       "make it,make that,make this,mach es,mach das,confirmed with,confirmed by,bestätigt mit,answer with,answer,reply with,confirm with,confirm by clicking,confirm by clicking on,confirm,bestätige mit,bestätigen mit,bestätige,antworte mit,click somewhere in,click somewhere on,click anywhere in,click anywhere on,klick irgendwo,klicke irgendwo,klick irgendwo in,klicke irgendwo in,klick irgendwo auf,klicke irgendwo auf,click,click on,click at,click in,click into,click onto,tap,tap on,push,use,follow,focus,focus on,put the cursor in,put the cursor into,place the cursor in,place the cursor into,set the cursor in,klick,klicke,klick auf,klicke auf,klick in,klicke in,klick an,klicke an,klicken,klicken auf,anklicken,tipp auf,tippe auf,betätige,betätigen,setz den cursor in,setze den cursor in,stell den cursor in,stelle den cursor in,geh in,gehe in",
	opening:   "open,open up,launch,start,go to,go into,enter,jump to,show,pull down,expand,unfold,unroll,aufklappen,visit,öffne,öffnen,aufmachen,geh auf,gehe auf,geh zu,gehe zu,geh ins,gehe ins,starte,zeige,klapp auf,klappe auf,aufklappen",
	choosing:  "choose,pick,wählen aus,nehmen,pick out,select,take,go for,wähl,wähle,wählen,auswählen,nimm,nehmen,such aus,suche aus,select the option,choose the option",
	double:    "double click,double click on,double-click,double-click on,doubleclick,doubleclick on,click twice on,click two times on,doppelklick,doppelklick auf,doppelklicke,doppelklicke auf,doppelklicken,mach einen doppelklick auf,mache einen doppelklick auf,zweimal klicken auf,klick zweimal auf,klicke zweimal auf,klick doppelt auf,klicke doppelt auf,do a double click on,do a double-click on",
	triple:    "triple click,triple click on,triple-click,triple-click on,click three times on,dreifachklick auf,dreifachklicke,dreifachklicke auf,klick dreimal auf,klicke dreimal auf",
	context:   "right click,right click on,right-click,right-click on,rightclick,rightclick on,right click in,right-click in,right click somewhere in,right-click somewhere in,right click somewhere on,right-click somewhere on,right-click somewhere,right click somewhere,right-click on,rechtsklick irgendwo,open the context menu of,open the context menu for,open the context menu on,bring up the context menu of,bring up the context menu for,rechte maustaste auf,die rechte maustaste auf,rechtsklick,rechtsklick auf,rechtsklicke,rechtsklicke auf,rechtsklicken,mach einen rechtsklick auf,mache einen rechtsklick auf,öffne das kontextmenü von,öffne das kontextmenü für,klick mit der rechten maustaste auf,klicke mit der rechten maustaste auf,mit der rechten maustaste klicken auf,click with the right mouse button on,click with the right button on,do a right click on,use the right mouse button on",
	middleTap: "middle click,middle click on,middle-click,middle-click on,mittelklick auf,mittelklicke,mittelklicke auf",
	holding:   "press and hold,hold down,hold,long press,long-press,halt,halte",
	switchOn: "tick,tick off,check,check off,enable,turn on,switch on,put a tick in,put a tick at,put a tick by,put a tick next to,put a tick beside,put a tick for,put a tick on,put a check in,put a check next to,put a check mark in,put a check mark next to,put a checkmark in,put a checkmark next to,put a check mark at,put a mark in,set a tick at,set a tick in,set the tick at,set the tick for,set the checkmark at,set the checkmark for," +
		"activate,aktiviere,aktivieren,hake an,hak an,anhaken,kreuze an,kreuz an,ankreuzen,einschalten,anschalten,anmachen,setz ein häkchen bei,setze ein häkchen bei,setz das häkchen bei,setze das häkchen bei,setz einen haken bei,setze einen haken bei,setz den haken bei,setze den haken bei,setz ein häkchen vor,setze ein häkchen vor,setz einen haken vor,setze einen haken vor,setz einen haken in,setze einen haken in,setz ein häkchen in,setze ein häkchen in,setz das häkchen vor,setze das häkchen vor,setz das häkchen für,setze das häkchen für,setz ein häkchen für,setze ein häkchen für,mach ein häkchen bei,mach einen haken bei,mach ein häkchen vor,mach einen haken vor,mache ein häkchen bei,mache einen haken bei,mach einen haken in,mach ein häkchen in",
	switchOff: "untick,uncheck,disable,turn off,switch off,deselect,unselect,deactivate,remove the tick from,remove the tick at,remove the tick next to,remove the tick for,remove the check from,remove the check mark from,remove the checkmark from,take the tick out of,take the tick away from,take the tick off,take the check mark out of,take out the tick at,take out the tick for,clear the tick from,clear the tick at,clear the check mark from,clear the checkbox,clear the check box," +
		"deaktiviere,deaktivieren,hake ab,hak ab,abhaken,abwählen,ausschalten,abschalten,ausmachen,entferne den haken bei,entferne das häkchen bei,entferne den haken von,entferne das häkchen von,entferne das häkchen vor,entferne den haken vor,entferne den haken aus,entferne das häkchen aus,nimm den haken bei,nimm das häkchen bei,nimm den haken von,nimm das häkchen von,nimm den haken vor,nimm das häkchen vor,nimm den haken aus,nimm das häkchen aus,mach den haken bei,mach das häkchen bei,entfern den haken bei,entfern das häkchen bei",
	setting:   "reduce,i need,i want,i'd like,i would like,give me,let me have,ich brauche,ich möchte,ich will,ich hätte gern,set,change,adjust,switch,turn,make,put,move,raise,lower,increase,decrease,modify,alter,setz,setze,setzen,stell,stelle,stellen,einstellen,änder,ändere,ändern,mach,mache,schalt,schalte,schalten,erhöhe,verringere,umschalten,leg,lege",
	typing:    "type,type in,write,write down,enter,input,key in,insert,put,put in,add,append,paste the text,tipp,tippe,tippen,eintippen,tipp ein,tippe ein,schreib,schreibe,schreiben,reinschreiben,hineinschreiben,gib,gib ein,eingeben,trag,trage,trag ein,trage ein,eintragen,füge,füg,einfügen,setz,setze",
	filling:   "fill,fill in,fill out,complete,füll,fülle,füll aus,fülle aus,ausfüllen",
	replacing: "replace,overwrite,substitute,exchange,swap,ersetze,ersetz,ersetzen,überschreibe,überschreib,tausche",
	clearing:  "clear,empty,clear out,erase,delete the text in,delete the contents of,delete the content of,delete everything in,remove the text from,remove the text in,empty out,leere,leer,leeren,lösche den text in,lösche den inhalt von,lösch den text in,lösch den inhalt von",
	pressing:  "press,hit,strike,use the keys,use the shortcut,use the key,press the keys,press the key,press the key combination,press the shortcut,drück,drücke,drücken,drück auf,drücke auf,betätige die taste,benutze,benutze die tasten",
	hovering:  "hover,hover over,hover on,hover above,point at,point to,point the mouse at,move the mouse over,move the mouse to,move the mouse onto,move the mouse on,move the pointer over,move the pointer to,move the pointer onto,move the cursor over,move the cursor to,put the mouse over,put the mouse on,put the pointer over,put the pointer on,rest the mouse on,rest the mouse over,rest the pointer on,rest the pointer over,hold the mouse over,hold the pointer over,let the mouse rest on,let the pointer rest on,let the mouse hover over,place the mouse over,place the pointer over,keep the mouse over,fahr mit der maus auf,fahre mit der maus auf,fahr mit der maus über,fahre mit der maus über,fahr mit dem mauszeiger über,fahre mit dem mauszeiger über,geh mit der maus auf,gehe mit der maus auf,geh mit der maus über,gehe mit der maus über,zeig auf,zeige auf,zeig mit der maus auf,zeige mit der maus auf,halt die maus über,halte die maus über,halt den mauszeiger über,halte den mauszeiger über,beweg die maus über,bewege die maus über,bewege den mauszeiger über,beweg den mauszeiger über,bewege die maus auf,lass die maus auf",
	dragging:  "drag,drag and drop,pull,move,drop,zieh,ziehe,ziehen,verschieb,verschiebe,verschieben,schieb,schiebe",
	selecting: "highlight,mark,select the text,select the word,select the words,select the line,select the whole line,select the whole text,mark the text,mark the word,mark the words,highlight the text,highlight the word,highlight the words,markier,markiere,markieren,markiere den text,markiere das wort,markiere die wörter,markier das wort,markier den text,wähle den text,wähle das wort",
	scrolling: "scroll,scrolle,scroll in,page,roll,blätter,blättere,scrollen",
	waiting:   "wait,wait for,wait until,wait till,warte,wart,warte auf,wart auf,warte bis,wart bis,warten bis,warten auf,give it",
	activating: "switch to the window,switch to window,change to the window,go to the window,activate the window,focus the window,bring up the window,bring the window,bring,bring up,switch to,switch over to,change to,go back to,go over to,come back to,return to,wechsle zum fenster,wechsel zum fenster,wechsle zu dem fenster,wechsle,wechsel,wechsle zu,wechsle zum,wechsel zu,wechsel zum,wechsle in,wechsel in,zurück zu,back to,wechsle auf,wechsel auf,hol,hol mir,hole mir,wechseln,wechseln zu,umschalten,hole," +
		"geh zum fenster,gehe zum fenster,geh zurück zu,gehe zurück zu,geh zurück in,gehe zurück in",
	closingUp: "close,shut,close down,dismiss,exit,quit,schließ,schließe,schließen,beende,mach zu,zumachen,schließen,beenden,schliess,schliesse",
	ensuring:  "make sure,make sure that,ensure,ensure that,see to it that,check that,sorg dafür dass,sorge dafür dass,achte darauf dass",
	looking:   "look,look at the screen,take a look,take a screenshot,screenshot,what do you see,what is on the screen,what's on the screen,read the screen,read my screen,schau,schau auf den bildschirm,sieh nach,mach einen screenshot,was siehst du",
	shortcut:  "select all,select everything,select all of it,select all the text,select the whole document,mark everything,mark all,copy,kopier,paste,cut,undo,redo,save,alles auswählen,alles markieren,wähle alles aus,wähle alles,markiere alles,kopieren,kopiere,einfügen,ausschneiden,rückgängig,rückgängig machen,speichern,speichere,speicher",
})

// longestVerb is the maximum number of words of a verb's phrase.
const longestVerb = 9

// phrasesOf returns the verbs of each phrase.
func phrasesOf(lists map[verb]string) map[string][]verb {
	all := map[string][]verb{}
	for v, list := range lists {
		for phrase := range strings.SplitSeq(list, ",") {
			all[phrase] = append(all[phrase], v)
		}
	}
	for _, list := range all {
		slices.Sort(list)
	}
	return all
}

// begins are phrases at the beginning of a step that add nothing to it.
var begins = strings.Split("followed by,up,over,please,now,then,next,and,also,just,first,first of all,finally,ok,okay,so,after that,afterwards,could you,can you,would you,could you please,can you please,would you please,i want you to,i would like you to,i'd like you to,go ahead and,let us,let's,"+
	"once that is done,when that is done,you can,you should,there,again,lastly,as a next step,quickly,simply,and now,but,at the end,in the end,at the bottom,at the top,on the left,on the right,"+
	"könnten sie,könnten sie bitte,können sie,können sie bitte,würden sie,würden sie bitte,würdest du,wären sie so lieb und würden,wären sie so nett und würden,erst,also,bitte,jetzt,nun,dann,danach,als nächstes,zuerst,zunächst,zuletzt,zum schluss,und,noch,mal,anschließend,kannst du,kannst du bitte,könntest du,könntest du bitte,du musst,du sollst,dort,da,schließlich,gleich,wieder,als erstes,am ende,ganz unten,ganz oben,unten,oben,links,rechts,einfach,nur noch", ",")

// explains are phrases that begin an explanation after a step.
var (
	explains = strings.Split("by clicking,by double-clicking,the one,rather than,instead of,statt,anstatt,and not,not,leave,i'm,i am,i want,i need,i have,i've,i'd,i can,i was,would you,could you,will you,thanks,thank you,dear,danke,ich bin,ich möchte,ich will,ich brauche,nicht,sonst,so that,so the,so it,so you,so these,so they,because,it's,it is,it has,that's,that is,this is,you'll,you will,you have to,you may have to,which,the menu,they are,they're,"+
		"damit,sodass,so dass,weil,indem,das ist,das landet,das steht,der ist,die ist,was,welche,welches,du musst,dazu,es ist,es steht", ",")
	// subjects are the words that begin a sentence about something, rather than a request.
	subjects = set("i i'm i've i'd i'll it it's its that that's this there there's you you'll we we're they he she my your thanks thank dear because since as so ich es das der die du sie wir man mein meine mir da dann's weil denn damit danke")

	// conditions begin a part of a sentence that may not be left out.
	conditions = set("no but only except besides aber nur außer ausser sondern ohne if when whenever unless until till before after while once wenn falls sobald bis bevor nachdem solange don't not never nicht kein keine nie")
)

// polite are words alone that add nothing.
var polite = set("please thanks bitte danke ok okay")

// skipBegin returns the index of the first token of a step that counts.
func (p *parser) skipBegin(i int) int {
	for {
		n := p.phraseOf(i, len(p.tokens), begins)
		if p.is(i, "next") && p.is(i+1, "to") {
			return i
		}
		if n == 0 || i+n >= len(p.tokens) {
			return i
		}
		i += n
	}
}

// ends returns where the step that begins at a token may end: before what may be another one, and at the end.
func (p *parser) ends(begin int) (list []int) {
	last := min(len(p.tokens), begin+maxStep)
	for e := begin + 1; e < last; e++ {
		after := p.tokens[e-1].after
		joins := p.is(e, "and", "und", "then", "dann", "danach", "afterwards", "anschließend")
		next := p.skipBegin(e)
		switch {
		case strings.ContainsAny(after, ";\n.,-"), p.is(e, "then", "dann"), p.is(e, "and", "und") && p.is(e+1, "then", "dann"), p.is(e, "followed") && p.is(e+1, "by"):
			list = append(list, e)
		case joins, after != "" && (p.verbAt(next) || p.is(next, fronts...) || p.namedAt(next)):
			list = append(list, e)
		}
	}
	return append(list, last)
}

// maxStep is the maximum number of words of a step.
const maxStep = 40

// verbAt reports whether a verb begins at a token.
func (p *parser) verbAt(i int) bool {
	for n := 1; n <= longestVerb && i+n <= len(p.tokens); n++ {
		if phrases[p.words(i, i+n)] != nil {
			return true
		}
	}
	return false
}

// words returns the folded words of tokens, or "" if one of them is in quotes.
func (p *parser) words(i, j int) string {
	list := make([]string, 0, j-i)
	for ; i < j; i++ {
		if p.tokens[i].quoted {
			return ""
		}
		list = append(list, p.tokens[i].word)
	}
	return strings.Join(list, " ")
}

// found is a verb in a step, and the tokens that are left for its parts.
type found struct {
	verb     verb
	from, to int
	words    string   // the verb's
	keys     []string // to hold meanwhile
}

// verbsIn returns the verbs that a step may have: at its beginning, or, as an infinitive, at its end.
func (p *parser) verbsIn(begin, end int) (list []found) {
	for n := min(longestVerb, end-begin); n > 0; n-- {
		for _, v := range phrases[p.words(begin, begin+n)] {
			words := p.words(begin, begin+n)
			list = append(list, p.withParticle(found{v, begin + n, end, words, nil})...)
			from := begin + n // "klick dort ganz unten auf Preferences"
			for from < end-1 && p.is(from, "dort", "hier", "ganz", "unten", "oben", "bitte", "please", "jetzt", "mal", "einfach", "nur", "links", "rechts", "there", "just", "now", "dann", "noch", "zuerst", "erst", "first", "danach", "anschließend", "afterwards") {
				from++
			}
			if from > begin+n {
				if p.is(from, "auf", "on", "in", "at") && from < end-1 {
					from++
				}
				list = append(list, p.withParticle(found{v, from, end, words, nil})...)
			}
		}
	}
	if at := strings.LastIndexAny(p.tokens[begin].text, "+-"); at > 0 && !p.tokens[begin].quoted { // "ctrl+click"
		keys, to := chord(p.tokens[begin].text[:at]), begin+1
		if p.is(to, "on", "auf") {
			to++
		}
		for _, v := range phrases[fold(p.tokens[begin].text[at+1:])] {
			if keys != nil && slices.Contains(modifiers, keys[len(keys)-1]) {
				list = append(list, found{v, to, end, "", keys})
			}
		}
	}
	for n := min(3, end-begin-1); n > 0; n-- {
		words := p.words(end-n, end)
		if !strings.HasSuffix(words, "en") && !strings.HasSuffix(words, "ln") {
			continue
		}
		to := end - n
		for to > begin+1 && p.is(to-1, "einmal", "kannst", "du", "jetzt", "bitte", "noch", "musst", "sollst", "dann", "nun", "mal", "zu") {
			to--
		}
		for _, v := range phrases[words] {
			list = append(list, found{v, begin, to, "", nil})
			if p.is(begin, "auf", "zu", "zum", "zur", "in", "ins", "an") && to > begin+1 {
				list = append(list, found{v, begin + 1, to, "", nil})
			}
		}
	}
	return list
}

// particles are words that belong to a verb and end a step, as in "wähle … aus".
var particles = []string{"aus", "an", "ein", "ab", "auf", "um", "weg", "raus", "heraus", "rein", "hinein", "zu", "up", "down"}

// withParticle returns a verb as it is, and with the particle at the end of the step, as in "turn Wi-Fi off" and
// "schalte WLAN aus".
func (p *parser) withParticle(f found) []found {
	list := []found{f}
	last := f.to - 1
	if last <= f.from || p.tokens[last].quoted {
		return list
	}
	word := p.tokens[last].word
	v := f.verb
	switch {
	case v == setting && (word == "on" || word == "ein" || word == "an"):
		v = switchOn
	case v == setting && (word == "off" || word == "aus" || word == "ab"), v == switchOn && word == "ab", v == choosing && word == "ab":
		v = switchOff
	case v == setting && word == "auf":
		v = opening
	case v == setting && word == "zu":
		v = closingUp
	case v == filling && (word == "in" || word == "out" || word == "aus"), v == typing && (word == "in" || word == "ein" || word == "rein" || word == "hinein"):
	case slices.Contains(particles, word) && v != scrolling && v != typing:
	default:
		return list
	}
	return append(list, found{v, f.from, last, "", nil})
}
