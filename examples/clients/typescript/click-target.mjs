// Prints the point to click for a text on a screenshot, or the points to choose from.
//
//	node click-target.mjs screen.png "Check out"
import { Windie } from '@windie/sdk';

const [screenshot, text] = process.argv.slice(2);
if (!screenshot || !text) {
  console.error('usage: node click-target.mjs SCREENSHOT TEXT, for example: node click-target.mjs screen.png "Check out"');
  process.exit(2);
}
const windie = new Windie(); // WINDIE_URL, or http://127.0.0.1:8765
const target = await windie.screen(screenshot).resolve(text);
if (target.status === 'found') {
  console.log(`${target.point.x},${target.point.y}`);
} else {
  const choices = target.status === 'ambiguous' ? target.candidates : target.nearest;
  for (const { center, text } of choices) console.log(`${center.x},${center.y}\t${text}?`);
  process.exitCode = 1;
}
