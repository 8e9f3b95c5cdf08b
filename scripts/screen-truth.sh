#!/usr/bin/env bash
# Prints what really stands on a page, as the truth that `make eval` compares
# reading with: every word with its box, as a browser lays it out.
#
#   scripts/screen-truth.sh examples/click-target/screen.html 1280 800 >screen.json
#
# It needs Chromium (package chromium) and leaves nothing behind.
set -euo pipefail
page=$1 width=$2 height=$3
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "screen-truth: no Chromium here; install the package chromium" >&2
	exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{
	cat "$page"
	echo "<script>const width = $width, height = $height;</script>"
	cat <<'HTML'
<script>
addEventListener('load', () => {
  const words = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; node = walker.nextNode();) {
    if (['SCRIPT', 'STYLE', 'OPTION'].includes(node.parentElement.tagName)) continue;
    const style = getComputedStyle(node.parentElement);
    if (style.visibility !== 'visible') continue;
    for (const found of node.data.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      const box = range.getBoundingClientRect();
      if (box.width < 2 || box.bottom > height || box.right > width) continue;
      const text = style.textTransform === 'uppercase' ? found[0].toUpperCase() : found[0];
      words.push({text, x: box.x, y: box.y, w: box.width, h: box.height});
    }
  }
  for (const field of document.querySelectorAll('input, textarea')) {
    const text = field.value || field.placeholder, box = field.getBoundingClientRect();
    if (text && !['checkbox', 'radio', 'hidden'].includes(field.type)) {
      words.push({field: true, text, x: box.x, y: box.y, w: box.width, h: box.height});
    }
  }
  document.documentElement.innerHTML = '';
  document.documentElement.textContent =
    JSON.stringify({width, height, dpr: 1, words}).replaceAll('{"text', '\n{"text').replaceAll('{"field', '\n{"field');
});
</script>
HTML
} >"$work/page.html"

# A window is higher than the page in it.
"$browser" --headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync --no-first-run \
	--hide-scrollbars --user-data-dir="$work/profile" --window-size="$width,$((height + 200))" --dump-dom "file://$work/page.html" 2>/dev/null |
	sed -e 's/<!DOCTYPE html>//' -e 's/<[^>]*>//g' -e 's/&amp;/\&/g' -e 's/&lt;/</g' -e 's/&gt;/>/g'
