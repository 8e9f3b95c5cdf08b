"""The widget interface that every look implements. A program is written once against it, and each look draws it.

A look is a Kit with its own tokens (colours and measures), its own style sheet and its own frame of a window. What
it draws quite differently it overrides.
"""

import random
import re
from dataclasses import dataclass, field

from .glyphs import document, folder, glyph, hsl, marked, orb
from .markup import GAP, col, e, row, states, t


@dataclass
class Tool:
    """An entry of a tool bar."""

    label: str = ""
    states: str = ""
    drop: bool = False
    glyph: str = ""


@dataclass
class Item:
    """An entry of a list, a tree, a side bar or a menu."""

    text: str
    sub: str = ""
    icon: str = ""  # "", "mono", "folder", "file", "app", "avatar", or a glyph's name
    trail: str = ""  # a short text at its end: a shortcut, a size, a count
    states: str = ""
    depth: int = 0
    kids: str = ""  # "", "open", "closed": it has entries below it
    check: str = ""  # "", "off", "on": it has a check box
    badge: str = ""
    control: str = ""  # HTML of a control at its end
    more: bool = False  # an arrow at its end


@dataclass
class Program:
    """What a program shows: a look arranges these parts in a window of its own."""

    title: str
    body: str
    menus: list[str] = field(default_factory=list)
    tools: list[Tool | None] = field(default_factory=list)
    side: str = ""
    right: str = ""
    status: list[str] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    search: bool = False
    tabs: list[str] = field(default_factory=list)
    plain: bool = False  # its content stands on the window's own ground
    pages: list[str] = field(default_factory=list)  # the program's main places, the tab bar of a phone


BASE = """
*{box-sizing:border-box;margin:0}
body{position:relative;overflow:hidden;font:var(--fs)/1.3 var(--font);color:var(--ink);background:var(--bg);-webkit-font-smoothing:antialiased}
.row{display:flex;align-items:center;min-width:0}.col{display:flex;flex-direction:column;min-width:0;min-height:0}
.wrap{flex-wrap:wrap}.grow{flex:1;min-width:0;min-height:0}.none{flex:none}.over{overflow:hidden}.stretch{align-items:stretch}.fill{flex:1;min-width:0;min-height:0;overflow:hidden}
svg.g,svg.i{flex:none;display:block}
.t,.h{width:fit-content;max-width:100%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;flex-shrink:1}.t.p{white-space:normal}
.h{font-weight:600}.h.big{font-size:1.6em}.h.mid{font-size:1.2em}.dim{color:var(--dim)}.small{font-size:.86em}.mono{font-family:var(--mono)}.bold{font-weight:600}
.btn{display:inline-flex;align-items:center;justify-content:center;gap:6px;flex:none;height:var(--ctl);min-width:var(--bmin);padding:0 var(--bpad);border-radius:var(--r);border:1px solid var(--btnline);background:var(--btn);color:var(--btnink);white-space:nowrap;width:fit-content}
.btn.default{background:var(--accent);border-color:var(--accent);color:var(--onaccent)}.btn.disabled{color:var(--faint);--btnink:var(--faint)}
.btn.default.disabled{background:var(--btn);border-color:var(--btnline)}
.tool{display:inline-flex;align-items:center;justify-content:center;gap:5px;flex:none;height:var(--tool);min-width:var(--tool);padding:0 5px;border-radius:var(--r);color:var(--toolink);white-space:nowrap;border:1px solid transparent}
.tool.labelled{padding:0 8px}.tool.checked,.tool.hot{background:var(--hover)}.tool.disabled{color:var(--faint)}
.tool.tall{flex-direction:column;height:auto;padding:4px 7px;gap:3px;font-size:.9em}
.link{color:var(--link);width:fit-content;white-space:nowrap}
.field{display:flex;align-items:center;gap:6px;height:var(--ctl);padding:0 7px;border-radius:var(--r);border:1px solid var(--fieldline);background:var(--field);color:var(--fieldink);min-width:30px;overflow:hidden;white-space:nowrap}
.field.focused{border-color:var(--accent)}.field.disabled{color:var(--faint);background:var(--bg)}.field .ph{color:var(--dim)}.field.area{align-items:flex-start;height:auto;padding:6px 8px;white-space:normal;line-height:1.45}
.caret{display:inline-block;width:1px;height:1.2em;background:var(--fieldink);flex:none}
.spin{padding-right:0;gap:0}.spin .val{flex:1;overflow:hidden}.spin .arrows{display:flex;flex-direction:column;align-self:stretch;width:17px;flex:none}.spin .arrows>*{flex:1;display:flex;align-items:center;justify-content:center;min-height:0;overflow:hidden}
.drop{display:flex;align-items:center;gap:6px;height:var(--ctl);padding:0 6px 0 8px;border-radius:var(--r);border:1px solid var(--dropline,var(--fieldline));background:var(--dropbg,var(--field));color:var(--fieldink);white-space:nowrap;overflow:hidden;flex:0 1 auto;min-width:38px}
.drop .val{flex:1;overflow:hidden;text-overflow:ellipsis}.drop.disabled{color:var(--faint)}
.chk{display:flex;align-items:center;gap:7px;white-space:nowrap;min-width:0}.chk.disabled .t{color:var(--faint)}
.box{width:var(--box);height:var(--box);flex:none;border:1px solid var(--boxline);background:var(--field);border-radius:min(var(--r),3px);display:flex;align-items:center;justify-content:center;color:var(--onaccent)}
.box.checked{background:var(--accent);border-color:var(--accent)}.box.disabled{opacity:.5}
.box.radio{border-radius:50%}.box.radio .dot{width:42%;height:42%;border-radius:50%;background:currentColor}
.switch{width:var(--sww);height:var(--swh);border-radius:99px;background:var(--trough);flex:none;position:relative}.switch .knob{position:absolute;top:2px;left:2px;width:calc(var(--swh) - 4px);height:calc(var(--swh) - 4px);border-radius:50%;background:#fff;box-shadow:0 1px 2px #0005}
.switch.checked{background:var(--accent)}.switch.checked .knob{left:calc(var(--sww) - var(--swh) + 2px)}.switch.disabled{opacity:.45}
.slider{position:relative;height:var(--thumb);min-width:40px;flex:none}.slider .rail,.slider .done{position:absolute;left:0;right:0;top:calc(50% - var(--rail)/2);height:var(--rail);border-radius:9px;background:var(--trough)}.slider .done{right:auto;background:var(--accent)}
.slider .thumb{position:absolute;top:0;width:var(--thumb);height:var(--thumb);margin-left:calc(var(--thumb)/-2);border-radius:50%;background:var(--thumbbg);border:1px solid var(--thumbline);box-shadow:0 1px 2px #0003}
.slider.v{width:var(--thumb);height:auto;min-width:0}.slider.v .rail,.slider.v .done{left:calc(50% - var(--rail)/2);right:auto;width:var(--rail);top:0;bottom:0;height:auto}.slider.v .done{top:auto}.slider.v .thumb{left:0;top:auto;margin:0 0 calc(var(--thumb)/-2)}
.slider.disabled{opacity:.5}.slider .tick{position:absolute;top:calc(100% + 1px);width:1px;height:4px;background:var(--dim)}
.prog{height:var(--prog);border-radius:min(var(--r),9px);background:var(--trough);overflow:hidden;min-width:30px;flex:none}.prog>div{height:100%;background:var(--accent);border-radius:inherit}
.tabs{display:flex;align-items:flex-end;flex:none;padding:0 4px;min-width:0}.tab{display:flex;align-items:center;gap:6px;height:calc(var(--ctl) + 2px);padding:0 12px;white-space:nowrap;color:var(--tabink,var(--dim));border-bottom:2px solid transparent;flex:none}.tab.selected{color:var(--ink);border-bottom-color:var(--accent)}
.segs{display:flex;flex:none;width:fit-content;border:1px solid var(--btnline);border-radius:var(--r);overflow:hidden;background:var(--btn)}.seg{display:flex;align-items:center;justify-content:center;gap:5px;padding:0 11px;height:calc(var(--ctl) - 2px);white-space:nowrap;flex:1}.seg+.seg{border-left:1px solid var(--btnline)}.seg.selected{background:var(--accent);color:var(--onaccent)}
.list{display:flex;flex-direction:column;min-width:0;overflow:hidden}
.item{display:flex;align-items:center;gap:7px;min-height:var(--row);padding:2px 8px;flex:none;white-space:nowrap;min-width:0;overflow:hidden;border-radius:var(--ir,0)}.item .two{display:flex;flex-direction:column;min-width:0;gap:1px}.item .lab{overflow:hidden;text-overflow:ellipsis}
.item.selected{background:var(--selpassive);color:var(--selpassiveink,var(--ink))}.item.selected.focused{background:var(--sel);color:var(--selink);--dim:var(--selink);--accenti:var(--selink)}.item.disabled{color:var(--faint);--dim:var(--faint)}.item.hot{background:var(--hover)}
.twist{width:14px;height:14px;display:flex;align-items:center;justify-content:center;flex:none}
.table{display:flex;flex-direction:column;min-width:0;overflow:hidden;background:var(--base)}.tr,.thead{display:grid;grid-template-columns:var(--cols);align-items:stretch;flex:none}.tr{min-height:var(--row)}.td{display:flex;align-items:center;gap:5px;padding:0 7px;white-space:nowrap;overflow:hidden;min-width:0}
.th{display:flex;align-items:center;gap:5px;padding:0 7px;height:var(--headh);white-space:nowrap;overflow:hidden;border-right:1px solid var(--line);color:var(--headink,var(--ink));min-width:0}.thead{background:var(--head);border-bottom:1px solid var(--line)}
.tr.selected{background:var(--selpassive)}.tr.selected.focused{background:var(--sel);color:var(--selink)}.striped .tr:nth-child(odd):not(.selected){background:var(--alt)}.lined .tr{border-bottom:1px solid var(--hair)}.gridded .td{border-right:1px solid var(--hair);border-bottom:1px solid var(--hair)}.tr.disabled{color:var(--faint)}.td.num{justify-content:safe flex-end;font-variant-numeric:tabular-nums}.td.focused{outline:2px solid var(--accent);outline-offset:-2px}
.group{border:1px solid var(--line);border-radius:var(--r);padding:10px;display:flex;flex-direction:column;gap:8px;position:relative;min-width:0}.card{background:var(--card,var(--base));border:1px solid var(--cardline,var(--hair));border-radius:var(--cr);padding:12px;display:flex;flex-direction:column;gap:8px;min-width:0;overflow:hidden}
.gtitle{font-weight:600}.group,.setting,.chk,.tabpage>*,.col>.card,.col>.row.wrap,.col>.keys,.col>.col:not(.fill,.over,.grow){flex:none}.row>.chk{flex:0 1 auto}.row>.group{flex:1}
.badge{display:inline-flex;align-items:center;justify-content:center;min-width:18px;height:18px;padding:0 6px;border-radius:9px;font-size:.8em;background:var(--trough);color:var(--ink);flex:none;white-space:nowrap}.badge.hot{background:var(--accent);color:var(--onaccent)}.badge.red{background:#d93a32;color:#fff}.chip{height:24px;border-radius:12px;padding:0 10px;gap:4px}
.avatar{border-radius:50%;display:flex;align-items:center;justify-content:center;color:#fff;flex:none;font-weight:600;background-size:cover;overflow:hidden}
.pic{flex:none;background-size:cover;background-position:center;border-radius:var(--pr,2px);overflow:hidden;position:relative}
.menu{position:absolute;background:var(--pop);color:var(--popink,var(--ink));border:1px solid var(--popline);border-radius:var(--mr);box-shadow:0 6px 20px #0004;padding:4px;display:flex;flex-direction:column;z-index:40;min-width:110px;width:max-content}.menu .item{padding-right:10px;min-height:var(--mrow,var(--row))}.menu .item .short{margin-left:auto;padding-left:26px;color:var(--dim)}.menu .item{font-weight:400}.menubar .menu{color:var(--popink,var(--ink))}.menu .item.hot{background:var(--mhot,var(--hover));color:var(--mhotink,inherit);--dim:currentColor}.menu .mark{width:16px;flex:none;display:flex;align-items:center;justify-content:center}.menu .sep{height:1px;background:var(--hair);margin:4px 3px;flex:none}
.menubar{display:flex;align-items:center;flex:none;padding:0 3px;overflow:hidden;background:var(--menubar,transparent)}.menubar.opened,.menubar>.expanded,.drop.expanded{overflow:visible}.menubar>.expanded,.drop.expanded{position:relative}.drop .menu .item{color:var(--popink,var(--ink))}.menubar>.item{padding:0 8px;min-height:var(--mbh);border-radius:var(--mbr,0)}.menubar>.item.expanded{background:var(--mhot,var(--hover));color:var(--mhotink,inherit)}
.tip{position:absolute;padding:3px 8px;background:var(--tip);color:var(--tipink);border:1px solid var(--tipline);border-radius:var(--tr,3px);box-shadow:1px 2px 6px #0003;white-space:nowrap;z-index:41;font-size:.95em}
.sb{flex:none;position:relative;background:var(--sbbg);display:flex}.sb.v{width:var(--sbw);flex-direction:column}.sb.h{height:var(--sbw)}.sb .run{flex:1;position:relative}.sb .thumb{position:absolute;background:var(--sbthumb);border-radius:var(--sbr)}.sb .arrow{width:var(--sbw);height:var(--sbw);display:flex;align-items:center;justify-content:center;color:var(--sbink,var(--dim));flex:none}
.split{flex:none;background:var(--line)}.split.v{width:var(--sp,1px);align-self:stretch}.split.h{height:var(--sp,1px)}
.sepv{width:1px;align-self:stretch;margin:4px 3px;background:var(--hair);flex:none}.seph{height:1px;background:var(--hair);flex:none}
.status{display:flex;align-items:center;gap:14px;flex:none;height:var(--sth);padding:0 8px;background:var(--statusbg,var(--bg));border-top:1px solid var(--line);overflow:hidden;font-size:var(--stfs,1em);color:var(--statusink,var(--ink))}
.toolbar{display:flex;align-items:center;gap:2px;flex:none;padding:var(--tbp,3px 5px);background:var(--bar,transparent);overflow:hidden;border-bottom:1px solid var(--barline,transparent)}
.side{display:flex;flex-direction:column;flex:none;background:var(--sidebg);overflow:hidden;padding:var(--sidep,4px);color:var(--sideink,var(--ink))}
.titlebar{display:flex;align-items:center;flex:none;height:var(--tith);background:var(--title);color:var(--titleink);white-space:nowrap;overflow:hidden}
.window,.dialog{position:absolute;display:flex;flex-direction:column;background:var(--bg);border:var(--wb,1px solid var(--wline));border-radius:var(--wr,0);box-shadow:var(--wshadow,0 8px 30px #0006);overflow:hidden}
.base{background:var(--base)}.middle{display:flex;flex:1;min-height:0;min-width:0}.pad{padding:var(--pad)}
.bare{border:0!important;border-radius:0!important;box-shadow:none!important;inset:0}
.code{font-family:var(--mono);white-space:pre;line-height:1.45}
.wctl{display:flex;align-items:center;justify-content:center;flex:none}
.sidehead{padding:8px 8px 3px;flex:none}.tile{flex-direction:column;width:96px;padding:6px 4px;gap:5px;min-height:0;align-items:center}.tilelabel{text-align:center;max-width:100%;white-space:normal;overflow-wrap:anywhere;line-height:1.2;max-height:2.4em;overflow:hidden}.mails .item{border-bottom:1px solid var(--hair);padding:7px 10px}.mails .item,.plug{align-items:flex-start}.plug{gap:11px;padding:9px 12px;align-items:center;white-space:nowrap}
.bubble{max-width:70%;padding:7px 11px;border-radius:13px;background:var(--hover)}.bubble.mine{background:var(--accent);color:var(--onaccent)}.line{min-height:1.45em}.line .num{width:38px;text-align:right;padding-right:12px;color:var(--faint);flex:none}.line .t{overflow:visible}.line.add{background:#2da44e33}.line.del{background:#cf222e2b}.minimap{width:60px;flex:none;background:repeating-linear-gradient(var(--hair) 0 2px,transparent 2px 5px) 8px 0/70% no-repeat}.find{background:var(--bar,var(--bg));border-bottom:1px solid var(--line)}
.dock{background:var(--base);border:1px solid var(--line)}.dockhead{display:flex;align-items:center;gap:6px;padding:0 6px;height:22px;background:var(--head);flex:none}.dock .fill{flex:1}.paper{background:#fff;color:#222;--dim:#555;padding:44px 50px;box-shadow:0 1px 5px #0005;min-height:700px;flex:none}.desk{background:var(--desk,var(--trough))}.ruler{height:18px;flex:none;background:repeating-linear-gradient(90deg,var(--line) 0 1px,transparent 1px 12px),var(--base);border-bottom:1px solid var(--line)}
.sheet{--hair:var(--line)}.sheet .tr{min-height:20px}.hd{background:var(--head);justify-content:center!important;color:var(--dim)}.keys{display:grid;grid-template-columns:repeat(var(--n),1fr);gap:6px;flex:none}.col.fill>.keys{flex:1}.key{min-width:0;width:auto;height:auto;min-height:34px;padding:0}.display{height:56px;font-size:26px;justify-content:flex-end;flex:none}.cursor{display:inline-block;width:8px;height:1.1em;background:currentColor;vertical-align:text-bottom}
.palette{display:grid;grid-template-columns:repeat(var(--n),auto);gap:2px;justify-content:center}.swatches{display:grid;grid-template-columns:repeat(auto-fill,16px);gap:3px;align-content:start}.swatch{width:16px;height:16px;border:1px solid #0005;border-radius:2px}.swatch.big{width:44px;height:24px}.ring{position:absolute;left:62%;top:30%;width:11px;height:11px;border:2px solid #fff;border-radius:50%;box-shadow:0 0 0 1px #0008}.meter{width:7px;background:var(--trough);display:flex;align-items:flex-end}.meter>div{width:100%;background:linear-gradient(#e33,#fb0 25%,#3c4 50%)}
.pin{position:absolute;width:26px;height:26px;border-radius:50% 50% 50% 3px;transform:rotate(-45deg);color:#fff;display:flex;align-items:center;justify-content:center;border:2px solid #fff}.zoom{position:absolute;right:12px;bottom:16px;background:var(--pop);border-radius:6px;box-shadow:0 1px 5px #0005}.cellbar{position:relative;width:100%;height:80%;background:var(--hair);display:flex;align-items:center;justify-content:flex-end;padding:0 5px}.cellbar div{position:absolute;left:0;top:0;bottom:0;background:var(--accent);opacity:.35}.cellbar span{position:relative}.waterfall{width:100%}.waterfall div{height:9px}.chiptab{height:20px;padding:0 7px;border-radius:9px;border:0}.chiptab.selected{background:var(--hover)}
.day{display:flex;align-items:center;justify-content:center;height:26px;border-radius:50%}.day.selected{background:var(--accent);color:var(--onaccent)}.day.faint{color:var(--faint)}.cal{display:grid;grid-template-columns:repeat(7,minmax(0,1fr));grid-template-rows:auto repeat(5,minmax(0,1fr));flex:1;min-height:0}.calday{border-right:1px solid var(--hair);border-top:1px solid var(--hair);padding:4px;display:flex;flex-direction:column;gap:2px;overflow:hidden}.calday.selected{background:var(--selpassive)}.event{border-radius:3px;padding:1px 5px;font-size:.88em;white-space:nowrap;overflow:hidden;flex:none}
.sunk{border:1px solid var(--fieldline);background:var(--base)}.tabpage{overflow:hidden}.tiny{min-width:0;padding:0 7px}.buttons{flex:none;overflow:hidden}.foot{flex:none}.kbd{background:var(--bg)}.kbd .key{height:42px;border-radius:6px}.hint{height:28px}.transport .tool{border-radius:50%}
.toast{position:absolute;transform:translateX(-50%);gap:18px;padding:11px 18px;background:#303134;color:#f1f1f1;box-shadow:0 3px 10px #0006;z-index:43;max-width:92%}
.bstrip{display:flex;align-items:flex-end;flex:none;height:40px;padding:0 8px;gap:2px;background:var(--title);color:var(--titleink);overflow:hidden}.bstrip>*{align-self:center}.bstrip>.btab{align-self:flex-end}.btab{display:flex;align-items:center;gap:8px;height:34px;padding:0 9px;flex:0 1 220px;min-width:40px;white-space:nowrap;overflow:hidden;border-radius:8px 8px 0 0;font-size:12px}.btab.selected{background:var(--bg);color:var(--ink)}
.setting{display:flex;align-items:center;gap:10px;min-width:0}
"""

SHORTCUTS = ["Ctrl+S", "Ctrl+Z", "Ctrl+Shift+N", "F5", "Del", "Alt+Enter", "⌘S", "⇧⌘N", "⌥⌘I", "Ctrl+,", "F11", "Ctrl+Alt+T"]

TOKENS = dict(  # the measures; the colours come from `tones`
    fs="13px", ctl="24px", tool="26px", bmin="75px", bpad="10px", r="3px", cr="6px", box="14px", sww="38px", swh="20px", thumb="14px", rail="4px", prog="14px", row="22px", headh="24px",
    sbw="14px", sbr="7px", sth="24px", tith="30px", mbh="22px", mr="4px", pad="12px", thumbbg="#fff", thumbline="#999", tip="#ffffe1", tipink="#111", tipline="#777",
)  # fmt: skip


def tones(h=220, s=4, dark=False, accent="#0067c0", contrast=1.0, **more) -> dict:
    """A set of colours around a hue: of light or of dark grounds. A contrast above 1 hardens lines and texts."""
    l = (lambda v: hsl(h, s, 100 - v)) if not dark else (lambda v: hsl(h, s, 9 + v * 0.91))
    k = lambda v: min(100, v * contrast)
    base = hsl(h, s, 100 if not dark else 11)
    return dict(
        bg=l(6 if not dark else 5), base=base, alt=l(3), card=base if not dark else l(8), ink=l(k(90)), dim=l(k(56)), faint=l(k(34)), line=l(k(17)), hair=l(k(10)), accent=accent, onaccent="#fff", link=accent,
        sel=accent, selink="#fff", selpassive=l(14), hover=l(11), btn=l(2 if not dark else 16), btnline=l(k(26)), btnink=l(k(90)), toolink=l(k(80)), field=base if not dark else l(4), fieldline=l(k(28)), fieldink=l(k(90)),
        boxline=l(k(48)), trough=l(k(18)), pop=base if not dark else l(9), popline=l(k(22)), head=l(4), sidebg=l(4), title=l(8), titleink=l(k(85)), wline=l(k(36)), sbbg=l(6), sbthumb=l(26),
    ) | more  # fmt: skip


def high_contrast(accent: str) -> dict:
    """White on black with an accent, as for those who see badly."""
    black = "bg base alt card btn field head sidebg title pop hover trough sbbg tip menubar statusbg onaccent ribbon rtabs panel selink mhotink dropbg".split()
    white = "ink dim line hair btnline btnink toolink fieldline fieldink boxline popline titleink wline cardline tipline tipink sbthumb thumbbg popink statusink headink sideink".split()
    return dict.fromkeys(black, "#000") | dict.fromkeys(white, "#fff") | dict(accent=accent, sel=accent, mhot=accent, link=accent, selpassive="#444", faint="#3ff23f")


class Kit:
    """One look: its widgets as HTML. Class attributes say what sets a look apart; `tokens` gives its colours and measures."""

    FONTS: tuple[str, ...] = ("Open Sans", "Noto Sans")  # the typefaces that it is mostly set in
    CSS = ""
    PHONE = False
    FOLDERS = (45,)  # hues
    CHEVRON = "down"  # of combo boxes
    TWIST = ("right", "down")  # of a tree's closed and open entries
    MENU_MARK = "check"
    ARROWS = False  # scroll bars have buttons
    ICON = 16  # pixels, in lists and bars
    CONTRAST = True  # its style sheet has no light grounds of its own, so that high contrast fits it
    LIGHTS_LEFT = False  # the buttons of windows stand at the left
    LABELLED = 0.3  # the share of tool bars with labels
    MENUBAR = 0.8

    def __init__(self, r: random.Random, material):
        self.r, self.material = r, material
        self.dark = r.random() < 0.35
        self.set = r.choice(material.plain)
        self.coloured = r.choice([s for s in material.sets if s not in material.plain] or [None])
        self.family, self.face = self.typeface()
        self.thin = r.choice([1.0, 1.0, 1.1, 1.25, 1.4])
        self.labelled = r.random() < self.LABELLED
        self.colour_icons = False
        self.folder_hue = r.choice(self.FOLDERS)
        self.focus = r.random() < 0.6  # the list with the selection has the focus
        self.side_icon = r.choice(["mono", "mono", "app", ""])
        self.letter_icon = r.choice(["avatar", "avatar", ""])
        self.ICON += r.choice([-3, -2, 0, 0, 0, 0, 2, 4])
        self.vars = TOKENS | tones(dark=self.dark) | dict(mono=material.mono(r)) | self.tokens()
        self.vary()

    def vary(self) -> None:
        """What users and programs change in any look: how pale its second texts are, a tint, high contrast."""
        r = self.r
        pale = lambda low, high: f"color-mix(in srgb,var(--ink) {r.randint(low, high)}%,var(--bg))"
        if self.has(0.5):
            self.vars["faint"] = pale(20, 45)
        if self.has(0.4):
            self.vars["dim"] = pale(45, 75)
        if self.has(0.3) and self.vars["toolink"] != "inherit":
            self.vars["toolink"] = pale(40, 90)
        kind = r.random()
        if kind < 0.1:
            hue, share = hsl(r.randrange(360), 70, 50), r.randint(84, 95)
            for name in ("bg", "base", "card", "btn", "head", "sidebg", "pop"):
                if not self.vars[name].startswith("linear"):
                    self.vars[name] = f"color-mix(in srgb,{self.vars[name]} {share}%,{hue})"
        elif kind < 0.13 and self.CONTRAST:
            self.vars |= high_contrast(r.choice(["#1aebff", "#ffff00", "#8ee3f0", "#00ff00"]))

    def tokens(self) -> dict:
        return {}

    def typeface(self) -> tuple[str, str]:
        """Mostly a typeface of FONTS, where the material has it."""
        for _ in range(80 if self.r.random() < 0.85 else 1):
            family, face = self.material.font(self.r)
            if any(f"'{name}'" in family for name in self.FONTS):
                break
        return family, face

    def css(self) -> str:
        names = "".join(f"--{k}:{v};" for k, v in (self.vars | dict(font=self.family)).items())
        return f"{self.face} :root{{{names}}}{BASE}{self.CSS}"

    def has(self, share: float) -> bool:
        return self.r.random() < share

    # Words.
    def say(self, kind="label") -> str:
        return self.material.text(self.r, kind)

    def says(self, n: int, kind="label") -> list[str]:
        return [self.say(kind) for _ in range(n)]

    # Leaves.
    def text(self, text: str, cls="") -> str:
        return e(f"t {cls}", t(text), role="text", tag="span")

    def para(self, text: str, cls="") -> str:
        return self.text(text, f"p {cls}")

    def heading(self, text: str, cls="") -> str:
        return e(f"h {cls}", t(text), role="heading")

    def icon(self, size=0, style="", label="") -> str:
        """An icon in the colour of its text, or in colours of its own where the look has such; it should fit the label."""
        size = size or self.ICON
        match = re.escape(label.lower().split()[0].strip(".…")) if label.strip() else None
        if self.colour_icons and self.coloured and self.has(0.3):
            name, svg = self.material.icon(self.r, self.coloured, match)
            return marked(svg, size, "icon", name, style)
        if self.colour_icons and self.has(0.85):
            style += f";color:{hsl(self.r.choice([210, 210, 130, 35, 5, 45, 280]), self.r.randint(35, 90), 62 if self.dark else 42)}"
        name, svg = self.material.icon(self.r, self.set, match)
        return marked(svg, size, "icon", name, style)

    def appicon(self, size: int, radius=0.23, round_=False) -> str:
        """A program's icon in colours: a glyph on a ground with a gradient."""
        r = self.r
        h = r.randrange(360)
        role = "picture" if size >= 24 else "icon"
        if self.coloured and self.has(0.25):
            name, svg = self.material.icon(r, self.coloured)
            return marked(svg, size, role, name)
        name, svg = self.material.icon(r, self.set)
        ground = r.choice([f"linear-gradient({hsl(h, 85, 62)},{hsl(h + 20, 85, 42)})", f"linear-gradient(135deg,{hsl(h, 70, 55)},{hsl(h + 60, 75, 45)})", hsl(h, 75, 47), "linear-gradient(#fff,#e6e6ea)", "linear-gradient(#4a4a4e,#1c1c1e)"])
        ink = hsl(h, 80, 45) if "#fff" in ground else "#fff"
        inner = marked(svg, round(size * 0.62), "")
        return e("", inner, role=role, name=name, style=f"width:{size}px;height:{size}px;border-radius:{50 if round_ else radius * 100:.0f}%;background:{ground};color:{ink};display:flex;align-items:center;justify-content:center;flex:none")

    def picture(self, w="100%", h="100%", style="", acted=False) -> str:
        px = lambda v: f"{v}px" if isinstance(v, (int, float)) else v
        paint = f"background-image:url({self.material.photo(self.r)})" if self.has(0.6) else orb(self.r)
        return e("pic", role="picture", acted=acted, style=f"width:{px(w)};height:{px(h)};{paint};{style}")

    def avatar(self, size: int) -> str:
        if self.has(0.4):
            return e("avatar", role="avatar", style=f"width:{size}px;height:{size}px;background-image:url({self.material.photo(self.r)})")
        initials = "".join(w[:1] for w in self.say("name").split()[:2]).upper()
        return e("avatar", t(initials), role="avatar", style=f"width:{size}px;height:{size}px;background:{hsl(self.r.randrange(360), 45, 48)};font-size:{size * 0.4:.0f}px")

    def badge(self, text="", kind="") -> str:
        return e(f"badge {kind}", t(text or self.say("number")), role="badge")

    def art(self, kind: str, size=0, label="") -> str:
        """The icon that an Item names."""
        size = size or self.ICON
        if kind == "folder":
            return folder(size, self.folder_hue)
        if kind == "file":
            return document(self.r, size)
        if kind == "app":
            return self.appicon(size)
        if kind == "avatar":
            return self.avatar(max(size, 28))
        return self.icon(size, label=label) if kind == "mono" else glyph(kind, size, self.thin)

    # Controls.
    def button(self, label="", icon="", states="", cls="", name="") -> str:
        return e(f"btn {cls}", icon, t(label), role="button", states=states, name=name)

    def default(self, label: str, states="") -> str:
        return self.button(label, states=states, cls="default")

    def tool(self, tool: Tool, labelled=False, size=0) -> str:
        art = glyph(tool.glyph, size or self.ICON, self.thin) if tool.glyph else self.icon(size, label=tool.label)
        drop = glyph("down", 9) if tool.drop else ""
        return e("tool" + (" labelled" if labelled else ""), art, t(tool.label) if labelled else "", drop, role="button", states=tool.states, name=tool.label)

    def tools(self, tools: list[Tool | None], size=0) -> str:
        return "".join(e("sepv") if x is None else self.tool(x, self.labelled and bool(x.label), size) for x in tools)

    def link(self, text: str) -> str:
        return e("link", t(text), role="link", tag="span")

    def field(self, text="", hint="", icon="", states="", width="", tail="") -> str:
        inside = (t(text) if text else f'<span class="ph">{t(hint)}</span>') + ('<span class="caret"></span>' if "focused" in states else "")
        return e("field", icon, e("grow over", inside), tail, role="field", states=states + ("" if text else " empty"), style=size_of(width))

    def search(self, width="100%", states="") -> str:
        return self.field(hint=self.r.choice(["Search", "Search…", f"Search {self.say('word')}", "Find", "Filter"]), icon=glyph("search", 14, self.thin), width=width, states=states)

    def area(self, text: str, height="100%", states="", width="") -> str:
        return e("field area", e("over", t(text)), role="field", states=states, style=f"height:{height};{size_of(width)}")

    def spin(self, value, width=64, states="") -> str:
        arrows = e("arrows", e("", glyph("tri-up", 9), role="button", name="up"), e("", glyph("tri-down", 9), role="button", name="down"))
        return e("field spin", e("val", t(value)), arrows, role="field", states=states, style=size_of(width) + "flex:none")

    def dropdown(self, value: str, width="", states="") -> str:
        opened = e("menu", *(e("item", e("lab", t(s)), role="item", states="selected focused" if s == value else "") for s in [value, *self.says(self.r.randint(2, 6), "word")]), role="menu", style="left:-1px;top:100%;min-width:100%") if not states and self.has(0.04) else ""
        return e("drop", e("val", t(value)), glyph(self.CHEVRON, 12, self.thin), opened, role="dropdown", states="expanded" if opened else states, style=size_of(width))

    def checkmark(self) -> str:
        return glyph("check", 12, 1.6, role="")

    def box(self, states="") -> str:
        mark = self.checkmark() if "checked" in states else ""
        return e("box", mark, role="checkbox", states=states)

    def check(self, label: str, states="") -> str:
        return e("chk " + ("disabled" if "disabled" in states else ""), self.box(states), self.text(label))

    def radiobox(self, states="") -> str:
        return e("box radio", e("dot") if "checked" in states else "", role="radio", states=states)

    def radio(self, label: str, states="") -> str:
        return e("chk " + ("disabled" if "disabled" in states else ""), self.radiobox(states), self.text(label))

    def switch(self, states="") -> str:
        return e("switch", e("knob", part="thumb"), role="switch", states=states)

    def slider(self, value: float, width: str | int = "100%", vertical=False, ticks=0, states="") -> str:
        at = f"{value * 100:.1f}%"
        side = "bottom" if vertical else "left"
        marks = "".join(e("tick", style=f"left:{i * 100 / max(1, ticks - 1):.1f}%") for i in range(ticks))
        done = e("done", style=("height:" if vertical else "width:") + at + (";bottom:0" if vertical else ""))
        size = size_of(width) if not vertical else f"height:{width if isinstance(width, str) else f'{width}px'}"
        return e("slider" + (" v" if vertical else ""), e("rail"), done, marks, e("thumb", part="thumb", style=f"{side}:{at}"), role="slider", states=states, style=size)

    def progress(self, value: float, width="100%") -> str:
        return e("prog", e("", style=f"width:{value * 100:.0f}%"), role="progress", style=size_of(width))

    def tabs(self, labels: list[str], at=0, closable=False, icons=False) -> str:
        close = e("wctl", glyph("close", 10), role="button", name="close") if closable else ""
        return e("tabs", *(e("tab", self.icon(14, label=s) if icons else "", t(s), close, role="tab", states=states(selected=i == at)) for i, s in enumerate(labels)))

    def segments(self, labels: list[str], at=0, icons=False) -> str:
        return e("segs", *(e("seg", self.icon(14, label=s) if icons else t(s), role="tab", states=states(selected=i == at), name=s) for i, s in enumerate(labels)))

    # Lists.
    def item(self, x: Item) -> str:
        twist = ""
        if x.depth or x.kids:
            mark = e("twist", glyph(self.TWIST[x.kids == "open"], 11, self.thin), role="button", name="expander") if x.kids else e("twist")
            twist = f'<div style="width:{16 * x.depth}px;flex:none"></div>' + mark
        label = e("two grow", self.text(x.text, "bold" if self.has(0.3) else ""), self.text(x.sub, "dim small")) if x.sub else e("lab grow", t(x.text))
        tail = x.control + (self.text(x.trail, "dim small") if x.trail else "") + (self.badge(x.badge) if x.badge else "") + (glyph("right", 11, self.thin) if x.more else "")
        more = states(expanded=x.kids == "open")
        art_size = 0 if not x.sub else max(self.ICON, 22)
        return e("item", twist, self.box(states(checked=x.check == "on")) if x.check else "", self.art(x.icon, art_size, x.text) if x.icon else "", label, tail, role="item", states=f"{x.states} {more}".strip())

    def items(self, items: list[Item], cls="", style="") -> str:
        return e(f"list {cls}", *(self.item(x) for x in items), style=style)

    def tree(self, items: list[Item], style="") -> str:
        return self.items(items, "tree", style)

    def table(self, heads: list[str], rows: list[list[str]], widths: str, picked=(), cls="", sort=0, numbers=(), focused=True) -> str:
        """A table. Its cells are HTML; `numbers` are the columns that stand at the right."""
        top = "".join(e("th", t(s), glyph("tri-down", 9) if i == sort else "", role="cell", acted=True) for i, s in enumerate(heads))
        line = lambda i, cells: e(
            "tr", *(e("td" + (" num" if k in numbers else ""), c, role="cell") for k, c in enumerate(cells)), role="row", acted=True, states=states(selected=i in picked, focused=i in picked and focused, disabled=i not in picked and self.has(0.03))
        )
        head = e("thead", top) if heads else ""
        return e(f"table {cls}", head, e("list", *(line(i, c) for i, c in enumerate(rows))), style=f"--cols:{widths}")

    # Surfaces.
    def group(self, title: str, *inside: str) -> str:
        return e("group", e("gtitle", t(title), role="heading") if title else "", *inside, role="panel")

    def card(self, *inside: str, style="", acted=False) -> str:
        return e("card", *inside, role="panel", style=style, acted=acted)

    def menu(self, items: list[Item | None], x: float, y: float, style="") -> str:
        """A menu: its entries' trail is a shortcut, their check a mark; None is a line."""
        marks = any(i and (i.check or i.icon) for i in items)
        line = lambda i: e(
            "item",
            e("mark", glyph(self.MENU_MARK, 12, 1.4) if i.check == "on" else self.art(i.icon, 0, i.text) if i.icon else "") if marks else "",
            e("lab", t(i.text)),
            e("short", t(i.trail)) if i.trail else "",
            e("short", glyph("right", 10, self.thin)) if i.more else "",
            role="item",
            states=" ".join(filter(None, [i.states.replace("hot", "focused"), "checked" if i.check == "on" else ""])),
        ).replace('class="item', f'class="item{" hot" if "hot" in i.states else ""}', 1)
        return e("menu", *(e("sep") if i is None else line(i) for i in items), role="menu", style=f"left:{x:.0f}px;top:{y:.0f}px;{style}")

    def menubar(self, labels: list[str]) -> str:
        """The menus of a window; seldom one of them is open."""
        opened = self.r.randrange(len(labels)) if self.has(0.1) else -1
        below = lambda i: self.menu(some_entries(self), 0, 0, "top:100%") if i == opened else ""
        return e("menubar" + (" opened" if opened >= 0 else ""), *(e("item", t(s), below(i), role="item", states=states(expanded=i == opened)) for i, s in enumerate(labels)), role="toolbar")

    def tooltip(self, text: str, x: float, y: float) -> str:
        return e("tip", t(text), role="tooltip", style=f"left:{x:.0f}px;top:{y:.0f}px")

    def scrollbar(self, vertical=True, at=0.2, part=0.4) -> str:
        a, b = f"{at * (1 - part) * 100:.1f}%", f"{part * 100:.1f}%"
        thumb = e("thumb", part="thumb", style=f"top:{a};height:{b};left:var(--sbi,0);right:var(--sbi,0)" if vertical else f"left:{a};width:{b};top:var(--sbi,0);bottom:var(--sbi,0)")
        arrow = lambda to: e("arrow", glyph(to, 8), role="button", name="scroll " + to[4:]) if self.ARROWS else ""
        ends = ("tri-up", "tri-down") if vertical else ("tri-left", "tri-right")
        return e("sb " + "hv"[vertical], arrow(ends[0]), e("run", thumb), arrow(ends[1]), role="scrollbar", acted=True)

    def scroll(self, inside: str, cls="", style="", share=0.75, across=False) -> str:
        """A view that is cut at its end, mostly with a scroll bar."""
        bar = self.scrollbar(at=self.r.random(), part=self.r.uniform(0.12, 0.8)) if self.has(share) else ""
        low = self.scrollbar(False, self.r.random(), self.r.uniform(0.3, 0.9)) if across else ""
        return e(f"col fill {cls}", e("row fill stretch", e("col fill", inside), bar), low, style=style)

    def splitter(self, vertical=True) -> str:
        return e("split " + "hv"[vertical], role="splitter", acted=True)

    def line(self) -> str:
        return e("seph")

    def statusbar(self, parts: list[str]) -> str:
        return e("status", *(self.text(s) for s in parts), self.resizer(), role="toolbar") if parts else ""

    def resizer(self) -> str:
        return ""

    def toolbar(self, inside: str, cls="") -> str:
        return e(f"toolbar {cls}", inside, role="toolbar")

    def sidebar(self, inside: str, width: int) -> str:
        return e("side", inside, role="sidebar", style=f"width:{width}px")

    def setting(self, x: Item) -> str:
        """A line of a form or of a settings page: its name and its control."""
        return e("setting", self.text(x.text) if not x.sub else col(self.text(x.text), self.text(x.sub, "dim small"), gap=1), GAP, x.control or self.link(x.trail or "Change…"))

    def settings(self, title: str, items: list[Item]) -> str:
        """A group of settings."""
        return self.group(title, *(self.setting(x) for x in items))

    # Windows.
    def window_buttons(self) -> str:
        return "".join(self.window_button(name) for name in ("minimise", "maximise", "close"))

    def window_button(self, name: str) -> str:
        return e(f"wctl w-{name}", glyph(name, 11, 1), role="button", name=name)

    def titlebar(self, title: str) -> str:
        return e("titlebar", self.appicon(16), self.text(title), GAP, self.window_buttons(), role="titlebar")

    def frame(self, inside: str, x, y, w, h, kind="window", cls="", style="") -> str:
        return e(f"{kind} {cls}", inside, role=kind, style=f"left:{x:.0f}px;top:{y:.0f}px;width:{w:.0f}px;height:{h:.0f}px;{style}")

    def middle(self, p: Program) -> str:
        side = p.side + self.splitter() if p.side else ""
        right = self.splitter() + p.right if p.right else ""
        return e("middle", side, e("col fill" if p.plain else "col fill base", p.body), right)

    def path(self, p: Program) -> str:
        """The bar with the place that a file manager shows."""
        crumbs = "".join((glyph("right", 9) if i else "") + e("tool labelled", t(s), role="button") for i, s in enumerate(p.path))
        return self.toolbar(e("field", crumbs, role="field", style="flex:1;gap:1px;padding:0 2px") + (self.search("170px") if p.search else "")) if p.path else ""

    def inside(self, p: Program) -> str:
        """A window below its title bar, in the old way: menu bar, tool bar, tabs, content, status bar."""
        menus = self.menubar(p.menus) if p.menus and self.has(self.MENUBAR) else ""
        tools = self.toolbar(self.tools(p.tools) + (GAP + self.search("150px") if p.search and not p.path else "")) if p.tools else ""
        return menus + tools + self.path(p) + (self.tabs(p.tabs, self.r.randrange(len(p.tabs)), closable=True) if p.tabs else "") + self.middle(p) + self.statusbar(p.status)

    def window(self, p: Program, x=0, y=0, w=800, h=600, cls="") -> str:
        return self.frame(self.titlebar(p.title) + self.inside(p), x, y, w, h, cls=cls)

    def buttons(self, labels: list[str], default=0, states="") -> str:
        """The row of buttons below a dialog."""
        return row(GAP, *(self.default(s) if i == default else self.button(s, states=states if i == len(labels) - 1 else "") for i, s in enumerate(labels)), cls="buttons")

    def dialog(self, title: str, body: str, buttons: str, x, y, w, h) -> str:
        inside = e("titlebar", self.text(title), GAP, self.window_button("close"), role="titlebar") + e("col fill pad", body) + e("foot pad", buttons)
        return self.frame(inside, x, y, w, h, "dialog")

    # The screen around the windows.
    def wallpaper(self, w: int, h: int) -> str:
        """A photo, a painted picture or a plain colour."""
        kind = self.r.random()
        if kind < 0.45:
            return f"background:url({self.material.photo(self.r)}) center/cover"
        if kind < 0.75:
            return orb(self.r)
        return f"background:{self.r.choice(['#000', '#008080', '#3a6ea5', '#004e98', '#2c001e', '#1d1f21', hsl(self.r.randrange(360), 35, 35), '#f0f0f0'])}"

    def shell(self, w: int, h: int) -> tuple[str, tuple[int, int, int, int]]:
        """What surrounds the windows (a task bar, a dock), and the room that it leaves: x, y, width, height."""
        return "", (0, 0, w, h)


def size_of(width) -> str:
    return f"width:{width}px;" if isinstance(width, (int, float)) else f"width:{width};" if width else "flex:1;"


def some_entries(k: "Kit") -> list[Item | None]:
    """The entries of a menu with shortcuts, marks, lines and submenus."""
    r = k.r
    art = "mono" if k.has(0.4) else ""
    check = k.has(0.4)
    out: list[Item | None] = []
    hot = r.randrange(6)
    for i in range(r.randint(3, 14)):
        if i and k.has(0.2):
            out.append(None)
        more = k.has(0.12)
        out.append(Item(k.say("label"), icon=art if k.has(0.7) else "", trail=r.choice(SHORTCUTS) if not more and not k.PHONE and k.has(0.4) else "", states="hot" if i == hot else "disabled" if k.has(0.15) else "", check="on" if check and k.has(0.25) else "", more=more))
    return out
