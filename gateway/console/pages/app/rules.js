// @ts-check
// What a person said about calls once and for all.
import { html, plain, useLoad, useState } from './lib.js';
import { say, windie } from './state.js';
import { nameOf } from './names.js';
import { Empty, Failure, Loaded, Sure, Text } from './ui.js';

const verdicts = { allow: 'are made without a question', ask: 'are asked about, each time', deny: 'are never made' };

/** A rule as a sentence. @param {any} rule */
export function sentenceOf(rule) {
  const tools = rule.tool === '*' ? 'any tool' : /[*?[]/.test(rule.tool) ? `each tool whose name is like ${plain(rule.tool)}` : `the tool ${plain(nameOf(rule.tool))}`;
  return `Calls of ${tools}${rule.risk ? ` that is ${plain(rule.risk)}` : ''} ${verdicts[rule.verdict] ?? plain(rule.verdict)}.`;
}

/** What a rule that allows does not do. */
export const limits = 'A rule counts for you alone. Where an agent has read what others may have written, as a web page, you are still asked; and no rule of the gateway is relaxed.';

/** Adds a rule, in place of one about the same tool. @param {{tool: string, verdict: string, reason?: string}} rule */
export async function remember(rule) {
  const rules = await windie.peek().decisions.rules();
  await windie.peek().decisions.setRules([...rules.filter((r) => r.tool !== rule.tool || r.risk), rule]);
}

export const Rules = () => {
  const loaded = useLoad(() => windie.value.decisions.rules(), [windie.value]);
  const [error, setError] = useState(/** @type {any} */ (null));
  const put = async (rules, done) => {
    try {
      await windie.value.decisions.setRules(rules);
      setError(null);
      say(done);
      loaded.again();
    } catch (e) {
      setError(e);
    }
  };
  return html`<p class="help">They hold from the next answer of a model. ${limits}</p>
    <${Loaded} of=${loaded} what="Loading the rules">${(rules) => html`
      ${rules.length === 0 ? html`<${Empty} title="There are no rules"><p>What can change something is asked about. Make a rule here, or where a call waits for you.</p><//>`
        : html`<ul class="rows">${rules.map((r, i) => html`<li key=${i} class="rule"><span><${Text} of=${sentenceOf(r)} />${r.reason && html` <span class="faint"><${Text} of=${r.reason} /></span>`}</span><${Sure} label="Forget" question="Forget this rule?" onYes=${() => put(rules.filter((_, at) => at !== i), 'The rule is forgotten.')} /></li>`)}</ul>`}
      <${Make} make=${(rule) => put([...rules.filter((r) => r.tool !== rule.tool || r.risk), rule], 'The rule is kept.')} />`}<//>
    ${error && html`<${Failure} error=${error} />`}`;
};

const Make = ({ make }) => {
  const [tool, setTool] = useState('');
  const [verdict, setVerdict] = useState('ask');
  const submit = (e) => {
    e.preventDefault();
    make({ tool: tool.trim(), verdict });
    setTool('');
  };
  return html`<form class="card" onSubmit=${submit}><h2>Make a rule</h2>
    <label>Tool, or a pattern of names as <code>mcp_*</code><input required maxlength="512" value=${tool} onInput=${(e) => setTool(e.currentTarget.value)} /></label>
    <label>Its calls<select value=${verdict} onChange=${(e) => setVerdict(e.currentTarget.value)}>${Object.entries(verdicts).map(([id, name]) => html`<option key=${id} value=${id}>${name}</option>`)}</select></label>
    ${tool.trim() && html`<p><${Text} of=${sentenceOf({ tool: tool.trim(), verdict })} /></p>`}
    <button class="primary">Keep the rule</button></form>`;
};
