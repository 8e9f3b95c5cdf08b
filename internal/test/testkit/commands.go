package testkit

// Commands are labels of commands that differ in a word or two, as they stand together in menus and dialogs, in four languages. Whoever
// asks for one must never get another of its group.
var Commands = [][]string{
	{"Save", "Save as", "Save all", "Save a copy", "Don't save"},
	{"Delete", "Delete all", "Don't delete", "Delete for everyone"},
	{"Send", "Send to", "Send to all", "Send later"},
	{"Close", "Close all tabs", "Close others", "Close tab"},
	{"Open", "Open recent", "Open with", "Open in new window"},
	{"Select all", "Select none", "Select"},
	{"Replace", "Replace all", "Find and replace"},
	{"Log out", "Log in", "Log out of all devices"},
	{"Speichern", "Speichern unter", "Alle speichern", "Nicht speichern", "Kopie speichern"},
	{"Löschen", "Alle löschen", "Nicht löschen", "Für alle löschen"},
	{"Senden", "Senden an", "An alle senden"},
	{"Schließen", "Alle Tabs schließen", "Andere schließen"},
	{"Enregistrer", "Enregistrer sous", "Tout enregistrer", "Ne pas enregistrer"},
	{"Supprimer", "Tout supprimer", "Ne pas supprimer"},
	{"Envoyer", "Envoyer à tous", "Envoyer plus tard"},
	{"Guardar", "Guardar como", "Guardar todo", "No guardar"},
	{"Eliminar", "Eliminar todo", "No eliminar", "Eliminar para todos"},
	{"Cerrar", "Cerrar todo", "Cerrar las demás"},
}
