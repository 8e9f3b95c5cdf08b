package memory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/state/database"
)

// rankedNotes are notes, each a file of the name before its text.
const rankedNotes = `
invoice: The invoice of Miller for the roof repairs was paid on 2026-02-11, by bank transfer.
invoice2: Miller sends his invoices late; remind him every month about the bank details.
roof: The roof leaks above the kitchen; a roofer will come in spring.
kitchen: We painted the kitchen yellow, and bought new chairs for it.
tea: Ada drinks tea without sugar, and never coffee after lunch.
coffee: The coffee machine needs descaling every three months; the filter is in the kitchen.
newyork: Flight to New York on March 3, seat 14C, booking code XK7Q2P.
york: The new museum in York opens at ten; trains leave York every hour.
running: Ada went running with Zoe along the river, 12 km in 65 minutes.
runner: The test runner hangs when the port is taken; restart it with make clean.
river: The river flooded the cellar, the insurance paid 4200 euros.
insurance: Car insurance: policy number 884-221-07, renewed until 2027.
car: The car needs winter tyres; the garage of Kowalski has an appointment on Friday.
garage: The garage door opener uses two CR2032 batteries.
dentist: Dentist Dr. Nguyen, next appointment 2026-05-19 at 08:30.
doctor: The doctor advised less salt and more walking.
password: The wifi password is on the back of the router in the hall.
router: The router is a Fritzbox 7590; its firmware was updated to 8.02.
parse: parseConfig in internal/config/load.go ignores unknown keys; see issue 4711.
retry: HTTP client: retryAfter must be honoured, otherwise the server answers 429.
snake: The field max_open_conns is 25 in production and 5 in staging.
deploy: Deployments happen on Tuesdays; Bob approves them.
rollback: To roll back a deployment, run kubectl rollout undo deployment/web.
birthday: Grandmother's birthday is on 14 July; she loves tulips.
tulips: Tulips were planted along the fence; water them weekly.
gift: Gift ideas: a book about Alpine flowers, a blue scarf, a teapot.
book: Bought the book "The Left Hand of Darkness" by Ursula Le Guin for Zoe.
cafe: We had cake at Café Müller in Zürich with Zoë's parents.
zurich: The train to Zurich takes four hours, change in Basel.
email: Write to o'brien@example.com about the C++ course.
meeting: In the meeting we decided to move the database to PostgreSQL 17 in autumn.
database: Backups of the database run at 02:00 and are kept for 30 days.
backup: A restore from backup was tried in January and worked.
decision: Decision: no microservices; one binary is simpler to operate.
allergy: Tom is allergic to peanuts and to penicillin.
tom: Tom starts school in September; his teacher is Mrs. Novak.
miete: Die Miete für die Wohnung beträgt 1250 Euro, sie wird am Monatsersten überwiesen.
wohnung: Die Wohnungen im Haus werden im Herbst renoviert; der Hausmeister heißt Schröder.
arzt: Der Termin beim Zahnarzt wurde auf Donnerstag verschoben.
steuer: Die Steuererklärung muss bis Ende Juli abgegeben werden, die Belege liegen im Ordner.
garten: Im Garten wachsen Äpfel und Birnen; die Apfelbäume wurden im März geschnitten.
schluessel: Der Ersatzschlüssel liegt bei Frau Öztürk im zweiten Stock.
loyer: Le loyer de l'appartement a augmenté de trente euros depuis janvier.
ecole: L'école de Léa ferme à seize heures; elle apprend à nager le mercredi.
recette: Recette des crêpes: farine, œufs, lait, et un peu de fleur d'oranger.
voisin: Le voisin garde les clés pendant les vacances d'été.
medecin: Le médecin a prescrit des antibiotiques pour une semaine.
koshka: Кошку зовут Муся, она ест только сухой корм.
dacha: На даче нужно починить забор и покрасить крышу.
vrach: Приём у врача назначен на вторник в 9:15, кабинет 312.
poezd: Поезд в Москву отправляется с третьего пути.
babushka: Бабушка просила привезти лекарства и книгу.
tokyo: 昨日、東京タワーに行きました。とても高かったです。
kyoto: 京都の旅館を四月に予約しました。
sushi: 田中さんは寿司が好きですが、わさびは食べません。
kaigi: 会議は毎週月曜日の午前十時に始まります。
densha: 電車の定期券は三月三十一日まで有効です。
byoin: 病院の予約は来週の水曜日です。
long: Notes of the week: met Bob and Zoe, talked about the kitchen, the roof, the river, tea, the car and the deployment, paid nothing, decided nothing, and went home early on Friday because of the rain.
long2: A list of everything in the cellar: skis, two bicycles, the old router, paint for the kitchen, a box of books, tulip bulbs, winter tyres of the old car, and a broken coffee machine.`

// rankedQueries are queries, with the note that answers each.
const rankedQueries = `
paid invoice = invoice
late invoices = invoice2
does Ada drink tea = tea
new york = newyork
runs with zoe = running
test runner = runner
policy number = insurance
884-221-07 = insurance
2026-05-19 = dentist
WIFI PASSWORD = password
parseconfig = parse
retryafter 429 = retry
max_open_conns = snake
undo deployment = rollback
who approves deployments = deploy
"left hand" = book
cafe muller = cafe
o'brien@example.com = email
when do backups run = database
miete überweisen = miete
STEUERERKLARUNG = steuer
apfel birnen = garten
ecole lea = ecole
médecin antibiotique = medecin
vacances ete = voisin
кошку муся = koshka
починить забор = dacha
ПОЕЗД Москву = poezd
東京 = tokyo
京都 旅館 = kyoto
月曜日 会議 = kaigi
invo* mill* = invoice2
what is the password of the wifi = password
when is the appointment with the dentist = dentist
how do I roll back a bad deployment = rollback
is there a leak in the roof of the kitchen = roof
which book by le guin did we buy for zoe = book
what did the insurance pay for the river = river
the teacher of tom in september = tom
wann ist der termin beim arzt = arzt
à quelle heure ferme l'école = ecole`

// TestRanking asks for notes in several languages, as people type.
func TestRanking(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		n := remember(t, db, memory.Options{})
		for line := range strings.Lines(strings.TrimSpace(rankedNotes)) {
			name, text, _ := strings.Cut(line, ": ")
			n.put("ada/memory/"+name+".md", text)
		}
		first, among, all := 0, 0, 0
		for line := range strings.Lines(strings.TrimSpace(rankedQueries)) {
			query, want, _ := strings.Cut(strings.TrimSpace(line), " = ")
			found := n.search("ada", query)
			at := slices.IndexFunc(found, func(f memory.SearchResult) bool { return f.Path == "memory/"+want+".md" })
			all++
			if at == 0 {
				first++
			} else {
				t.Logf("%q: %s is not first: %s", query, want, n.paths("ada", query))
			}
			if at >= 0 && at < 5 {
				among++
			}
		}
		if first < all-1 || among < all {
			t.Errorf("of %d queries %d have the answer first, and %d among five", all, first, among)
		}
	})
}
