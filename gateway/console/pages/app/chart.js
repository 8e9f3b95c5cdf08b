// @ts-check
// Charts of the last day: a bar for each period, with the largest value and the times at both ends.
import { html, when } from './lib.js';

const height = 100;
const slots = 288; // of five minutes, a day

/**
 * @param {{title: string, of: {at: string, value: number}[], show: (value: number) => string}} of
 */
export const Chart = ({ title, of, show }) => {
  const most = Math.max(0, ...of.map((p) => p.value));
  const summary = most === 0 ? 'none' : `maximum ${show(most)}`;
  return html`<figure class="chart card"><figcaption><strong>${title}</strong> <span class="faint">${summary}</span></figcaption>
    <svg viewBox=${`0 0 ${slots} ${height}`} preserveAspectRatio="none" role="img" aria-label=${`${title}: ${summary}`}>
      ${of.map((p, i) => p.value > 0 && html`<rect key=${p.at} x=${slots - of.length + i + 0.1} width="0.8" y=${height - (p.value / most) * height} height=${(p.value / most) * height}><title>${`${when(p.at)}: ${show(p.value)}`}</title></rect>`)}</svg>
    <p class="ends faint"><span>24 h ago</span><span>now</span></p></figure>`;
};
