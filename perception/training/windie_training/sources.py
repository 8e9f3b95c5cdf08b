"""What the training draws with, and what it writes: packages by name, with their licences.

Nothing of a package is kept in the repository. `fetch` brings them into a cache folder: Debian's with
apt-get download, npm's with the lock file in ../fonts. Families and packages under HELD_* are for
validation alone.
"""

# Debian packages of typefaces.
FONTS = {
    "fonts-roboto": "Apache-2.0",
    "fonts-noto-core": "OFL-1.1",
    "fonts-noto-mono": "OFL-1.1",
    "fonts-liberation": "OFL-1.1",
    "fonts-dejavu-core": "Bitstream Vera",
    "fonts-dejavu-extra": "Bitstream Vera",
    "fonts-cantarell": "OFL-1.1",
    "fonts-jetbrains-mono": "OFL-1.1",
    "fonts-firacode": "OFL-1.1",
    "fonts-open-sans": "Apache-2.0",
    "fonts-lato": "OFL-1.1",
    "fonts-hack": "MIT and Bitstream Vera",
    "fonts-croscore": "Apache-2.0",
    "fonts-crosextra-carlito": "OFL-1.1",
    "fonts-crosextra-caladea": "Apache-2.0",
    "fonts-freefont-ttf": "GPL-3.0 with the font exception",
    "fonts-linuxlibertine": "OFL-1.1",
    "fonts-inconsolata": "OFL-1.1",
    "fonts-inter": "OFL-1.1",
    "fonts-urw-base35": "AGPL-3.0 with the font exception",
    "fonts-symbola": "free for any use",
    "fonts-vollkorn": "OFL-1.1",
    "fonts-paratype": "OFL-1.1",
    "fonts-oxygen": "OFL-1.1",
    "fonts-league-mono": "OFL-1.1",
    "fonts-comfortaa": "OFL-1.1",
    "fonts-ebgaramond": "OFL-1.1",
    "fonts-terminus-otb": "OFL-1.1",
    "fonts-unifont": "GPL-2.0 with the font exception",
    "xfonts-base": "MIT and public domain",
    "fonts-droid-fallback": "Apache-2.0",
    "fonts-wqy-microhei": "Apache-2.0",
    "fonts-arphic-gbsn00lp": "Arphic Public License",
    "fonts-ipafont-gothic": "IPA",
    "fonts-nanum": "OFL-1.1",
    "fonts-unfonts-core": "GPL-2.0",
}
# npm's packages of typefaces are in ../fonts/package.json: all are OFL-1.1 or Apache-2.0.

# Families that only validation draws with, by the start of a file's name.
HELD_FONTS = (
    "nunito-sans", "figtree", "ibm-plex", "jost", "sora", "libre-franklin", "hanken-grotesk", "geologica", "martian-mono",
    "spectral", "alegreya-sans", "Cantarell", "Hack", "Carlito", "LeagueMono",
)

# Debian packages of programs, whose message catalogues are read.
CATALOGUES = {
    "gimp-data": "GPL-3.0",
    "nautilus-data": "GPL-3.0",
    "evolution-common": "LGPL-2.1",
    "kate5-data": "LGPL-2.0",
    "dolphin": "GPL-2.0",
    "konsole": "GPL-2.0",
    "vlc-l10n": "GPL-2.0",
    "iso-codes": "LGPL-2.1",
    "gedit-common": "GPL-2.0",
    "gnome-control-center-data": "GPL-2.0",
    "gnumeric-common": "GPL-2.0",
    "inkscape": "GPL-2.0",
    "git-gui": "GPL-2.0",
    "gnome-software-common": "GPL-2.0",
    "file-roller": "GPL-2.0",
    "totem-common": "GPL-2.0",
    "gnome-terminal-data": "GPL-3.0",
    "synaptic": "GPL-2.0",
    "audacious": "BSD-2-Clause",
    "plasma-workspace-data": "GPL-2.0",
    "kwin-data": "GPL-2.0",
}
HELD_CATALOGUES = {
    "transmission-common": "GPL-2.0",
    "rhythmbox-data": "GPL-2.0",
    "shotwell-common": "LGPL-2.1",
    "eog": "GPL-2.0",
    "geany-common": "GPL-2.0",
}
# The names of the catalogues' files that the held packages bring.
HELD_DOMAINS = ("transmission", "rhythmbox", "shotwell", "eog", "geany")

# Folders of source code on the machine: Go's standard library (BSD-3-Clause) and Python's (PSF-2.0)
# to train with, npm's (Artistic-2.0) to validate with.
LANGUAGES = {
    "latin": "de fr es it pt pt_BR nl pl cs sv da nb fi hu ro sk sl hr lt lv et tr ca is ga sq mt cy eu gl bs".split(),
    "cyrillic": "ru uk bg sr be mk".split(),
    "greek": ["el"],
}
# Languages whose letters are not told apart, by the class that stands for them; see charset.py.
UNREAD_LANGUAGES = {
    "cjk": "zh_CN zh_TW ja ko".split(),
    "right to left": "ar he fa".split(),
    "other": "hi th bn ta ka hy".split(),
}
# Their typefaces, by the start of a file's name.
UNREAD_FONTS = (
    "DroidSansFallback", "wqy-microhei", "gbsn00lp", "ipag", "NanumGothic", "NanumMyeongjo", "UnDotum", "UnBatang", "DejaVuSans", "FreeSans",
    "NotoSansArabic", "NotoNaskhArabic", "NotoSansHebrew", "NotoSerifHebrew", "NotoSansDevanagari", "NotoSansThai", "NotoSerifThai", "NotoSansBengali",
    "NotoSansTamil", "NotoSansGeorgian", "NotoSansArmenian",
)
