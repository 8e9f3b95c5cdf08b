package oauth

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// maxRedirect is the maximum length of a redirect URI, in bytes.
const maxRedirect = 1024

// CheckRedirect refuses a redirect URI that a client must not register: one that is neither HTTPS, nor
// HTTP on the user's own machine, nor of an app's own scheme, or one that programs could read in two
// ways. Other apps can take an app's scheme, so a code needs PKCE, which every request must have.
func CheckRedirect(uri string) error {
	u, ok := readURI(uri, maxRedirect)
	switch {
	case !ok:
		return Refuse(InvalidRedirect, "redirect_uri must be an absolute URL without user and fragment, of at most %d printable ASCII characters", maxRedirect)
	case u.Scheme == "https" && u.Host != "", u.Scheme == "http" && isLoopback(u.Hostname()), isAppScheme(u.Scheme):
		return nil
	}
	return Refuse(InvalidRedirect, "redirect_uri must begin with https://, with http:// for 127.0.0.1, [::1] or localhost, or with the scheme of an app, such as cursor://")
}

// Target says where a valid redirect URI leads: to a host, or to the app that opens links of a scheme
// on the user's own machine. One of the two is empty.
func Target(uri string) (host, app string) {
	u, ok := readURI(uri, maxRedirect)
	switch {
	case !ok:
		return "", ""
	case isAppScheme(u.Scheme):
		return "", u.Scheme
	}
	return u.Host, ""
}

// knownSchemes are schemes that browsers, systems and common programs give a meaning of their own. A
// redirect there would run a script, open a file or start a program with what a stranger wrote.
var knownSchemes = []string{
	"about", "afp", "android-app", "app-settings", "blob", "chrome", "chrome-extension", "cid", "content", "data", "devtools", "dict", "dns", "edge",
	"facetime", "facetime-audio", "feed", "file", "filesystem", "finger", "ftp", "ftps", "geo", "git", "gopher", "hcp", "help", "http", "https", "imap",
	"intent", "ipp", "ipps", "irc", "ircs", "itms", "itms-apps", "itms-services", "jar", "javascript", "ldap", "ldaps", "livescript", "magnet", "mailbox",
	"mailto", "market", "mhtml", "mid", "mms", "mmst", "mmsu", "mocha", "moz-extension", "news", "nfs", "nntp", "opaquelocktoken", "pop", "rdp", "res",
	"resource", "rlogin", "rsync", "rtmp", "rtsp", "safari-web-extension", "scp", "search", "search-ms", "sftp", "shell", "sip", "sips", "skype", "sms",
	"smb", "snews", "snmp", "ssh", "stun", "stuns", "svn", "tel", "telnet", "tftp", "turn", "turns", "urn", "vbscript", "view-source", "vnc", "wais",
	"webcal", "ws", "wss", "wyciwyg", "x-apple", "xmpp",
}

// isAppScheme reports whether a scheme may be an app's own (RFC 8252, section 7.1): its letters are
// lower case, and nothing else uses it. Windows takes a single letter as a drive, and starts programs of
// the system by schemes that begin with ms-.
func isAppScheme(scheme string) bool {
	return len(scheme) > 1 && scheme == strings.ToLower(scheme) && !strings.HasPrefix(scheme, "ms-") && !slices.Contains(knownSchemes, scheme)
}

// readURI parses an absolute URL that is in its only spelling. It has a host, or is of an app's scheme
// and has a path.
func readURI(uri string, most int) (*url.URL, bool) {
	if len(uri) > most || strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\\#\"<>^`{|}", r) }) {
		return nil, false
	}
	u, err := url.Parse(uri)
	if err != nil || u.User != nil || u.Opaque != "" || strings.Contains(u.Host, "@") || strings.HasSuffix(u.Host, ":") {
		return nil, false
	}
	if u.Hostname() == "" && (u.Host != "" || !isAppScheme(u.Scheme) || !strings.HasPrefix(u.Path, "/")) {
		return nil, false
	}
	return u, u.String() == uri && u.Host == strings.ToLower(u.Host)
}

// isLoopback reports whether a host is the user's own machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// matchesRedirect reports whether a request's redirect URI is the registered one. They must be equal.
// Only the port of the user's own machine may differ, because a native client listens on any free
// port (RFC 8252, section 7.3).
func matchesRedirect(registered, requested string) bool {
	if registered == requested {
		return CheckRedirect(requested) == nil
	}
	a, okA := readURI(registered, maxRedirect)
	b, okB := readURI(requested, maxRedirect)
	if !okA || !okB || a.Scheme != "http" || b.Scheme != "http" || !isLoopback(a.Hostname()) || a.Hostname() != b.Hostname() {
		return false
	}
	a.Host, b.Host = "", ""
	return a.String() == b.String()
}
