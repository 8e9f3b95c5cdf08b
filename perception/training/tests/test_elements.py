import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SHOOT = pathlib.Path(__file__).resolve().parent.parent / "windie_training" / "elements" / "shoot.mjs"

PAGE = """<!doctype html><style>body{margin:0;font:16px sans-serif;background:#fff} .at{position:absolute}
label.drawn::before{content:"";position:absolute;left:4px;top:2px;width:14px;height:14px;border:1px solid #000}</style>
<button class="at" style="left:10px;top:10px;width:80px;height:30px;background:#06c;border:0;color:#fff" disabled>Save</button>
<span class="at" data-role="button" style="left:110px;top:10px;width:40px;height:30px"><svg style="width:24px;height:24px;margin:3px 8px;display:block" viewBox="0 0 24 24">
<path fill="none" d="M0 0h24v24H0z"/><path fill="#000" d="M6 8h12v4H6z"/></svg></span>
<input class="at" style="left:10px;top:60px;width:150px;height:30px;box-sizing:border-box" placeholder="Name">
<div class="at" style="left:200px;top:60px"><input type="checkbox" checked style="opacity:0;position:absolute" data-surface="+label::before"><label class="drawn" style="position:relative;padding-left:30px;display:block">Mail</label></div>
<p class="at" style="left:10px;top:110px;margin:0;white-space:nowrap">See <a href="#">more</a> here</p>
<button class="at" style="left:10px;top:150px;width:80px;height:30px">Hidden</button><div class="at" style="left:0;top:145px;width:200px;height:40px;background:#ddd"></div>
<button class="at" style="left:250px;top:150px;width:80px;height:30px">Half</button><div class="at" style="left:290px;top:140px;width:100px;height:50px;background:#ddd"></div>
<div class="at" style="left:10px;top:200px;width:100px;height:30px;overflow:hidden"><button style="width:80px;height:50px;display:block;border:1px solid #000">Cut</button></div>
<button class="at" style="left:10px;top:250px;width:80px;height:30px;opacity:0">Unseen</button>
<div class="at" style="left:200px;top:200px;width:190px;height:90px"><button style="width:80px;height:30px">Under</button><div data-backdrop class="at" style="inset:0;background:#0008"></div></div>"""


@unittest.skipUnless(shutil.which("node") and shutil.which("chromium"), "needs Node and Chromium")
class Truth(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.html")
            page.write_text(PAGE)
            job = {"page": str(page), "out": folder + "/a", "width": 400, "height": 300, "scale": 2, "kit": "test"}
            done = subprocess.run(["node", SHOOT, "none"], input=json.dumps(job) + "\n", capture_output=True, text=True, timeout=240)
            if not pathlib.Path(folder, "a.json").exists():
                raise AssertionError(done.stdout + done.stderr)
            cls.truth = json.loads(pathlib.Path(folder, "a.json").read_text())
        cls.list = cls.truth["elements"]

    def one(self, role: str, text: str | None = None) -> dict:
        found = [e for e in self.list if e["role"] == role and (text is None or e["text"] == text)]
        self.assertEqual(len(found), 1, f"{role} {text}: {found}")
        return found[0]

    def near(self, e: dict, *box: float):
        """The box in CSS pixels, each two of the picture."""
        for is_, want in zip(e["box"], box):
            self.assertAlmostEqual(is_, 2 * want, delta=1)

    def test_a_picture_has_its_size(self):
        self.assertEqual((self.truth["size"], self.truth["scale"]), ([800, 600], 2))

    def test_a_button_is_its_surface(self):
        e = self.one("button", "Save")
        self.near(e, 10, 10, 90, 40)
        self.assertEqual((e["states"], e["acted"], e.get("bare")), (["disabled"], True, None))

    def test_an_icon_is_its_ink(self):
        e = self.one("icon")
        self.near(e, 124, 21, 136, 25)
        self.assertEqual((self.list[e["in"]]["role"], self.list[e["in"]].get("bare")), ("button", True))

    def test_a_field_tells_its_hint(self):
        self.near(self.one("field"), 10, 60, 160, 90)
        self.assertEqual(self.one("field")["states"], ["placeholder"])
        self.assertEqual(self.list[self.one("text", "Name")["in"]]["role"], "field")

    def test_a_check_box_is_its_drawn_square(self):
        self.near(self.one("checkbox"), 204, 62, 220, 78)
        self.assertEqual(self.one("checkbox")["states"], ["checked"])
        self.assertEqual(self.one("text", "Mail")["in"], -1)

    def test_a_line_of_text_holds_its_links(self):
        line, link = self.one("text", "See more here")["box"], self.one("link", "more")["box"]
        self.assertTrue(line[0] < link[0] < link[2] < line[2])

    def test_what_is_covered_or_faded_is_not_listed(self):
        self.assertFalse([e for e in self.list if e["text"] in ("Hidden", "Unseen")])

    def test_a_box_ends_where_it_is_covered_or_clipped(self):
        self.near(self.one("button", "Half"), 250, 150, 290, 180)
        self.near(self.one("button", "Cut"), 10, 200, 90, 230)

    def test_what_lies_under_a_backdrop_is_dimmed(self):
        self.assertTrue(self.one("button", "Under")["dimmed"])

    def test_containers_come_before_their_content(self):
        self.assertTrue(all(e["in"] < i for i, e in enumerate(self.list)))


if __name__ == "__main__":
    unittest.main()
