// @ts-check
// Approval rules: the decisions that a person saved.
import { html, plain, useLoad, useState } from './lib.js';
import { say, windie } from './state.js';
import { nameOf } from './names.js';
import { Empty, Failure, Loaded, Sure, Text } from './ui.js';

const verdicts = { allow: 'run without approval', ask: 'always need approval', deny: 'are always denied' };

/** A rule as a sentence. @param {any} rule */
export function sentenceOf(rule) {
  const tools = rule.tool === '*' ? 'any tool' : /[*?[]/.test(rule.tool) ? `tools that match ${plain(rule.tool)}` : `the tool ${plain(nameOf(rule.tool))}`;
  return `Calls of ${tools}${rule.risk ? ` with the risk ${plain(rule.risk)}` : ''} ${verdicts[rule.verdict] ?? plain(rule.verdict)}.`;
}

/** The limits of a rule that allows. */
export const limits = 'A rule applies to you only, and cannot override gateway policy. After an agent reads untrusted text, such as a web page, its calls still need approval.';

/** Adds a rule. It replaces the rule of the same tool. @param {{tool: string, verdict: string, reason?: string}} rule */
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
  return html`<p class="help">Rules apply from the agent's next response. ${limits}</p>
    <${Loaded} of=${loaded} what="Loading rules">${(rules) => html`
      ${rules.length === 0 ? html`<${Empty} title="No rules yet"><p>Calls that can change data need approval. Create a rule here, or save a decision as a rule.</p><//>`
        : html`<ul class="rows">${rules.map((r, i) => html`<li key=${i} class="rule"><span><${Text} of=${sentenceOf(r)} />${r.reason && html` <span class="faint"><${Text} of=${r.reason} /></span>`}</span><${Sure} label="Delete" question="Delete this rule?" onYes=${() => put(rules.filter((_, at) => at !== i), 'Rule deleted.')} /></li>`)}</ul>`}
      <${Make} make=${(rule) => put([...rules.filter((r) => r.tool !== rule.tool || r.risk), rule], 'Rule saved.')} />`}<//>
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
  return html`<form class="card" onSubmit=${submit}><h2>New rule</h2>
    <label>Tool or pattern, for example <code>mcp_*</code><input required maxlength="512" value=${tool} onInput=${(e) => setTool(e.currentTarget.value)} /></label>
    <label>Calls<select value=${verdict} onChange=${(e) => setVerdict(e.currentTarget.value)}>${Object.entries(verdicts).map(([id, name]) => html`<option key=${id} value=${id}>${name}</option>`)}</select></label>
    ${tool.trim() && html`<p><${Text} of=${sentenceOf({ tool: tool.trim(), verdict })} /></p>`}
    <button class="primary">Save rule</button></form>`;
};
