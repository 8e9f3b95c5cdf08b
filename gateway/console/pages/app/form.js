// @ts-check
// A form for a JSON Schema. It omits empty fields. A schema that it does not know becomes a field for
// JSON. The gateway checks the arguments; the form only helps to write them.
import { headOf, html, plain, useState } from './lib.js';
import { exactly, fieldOf, isExact, numberOf, parseExact } from './exact.js';
import { lastScreen } from './state.js';
import { Text } from './ui.js';

const maxDepth = 6;

/** The schema behind a reference. @param {any} schema @param {any} root */
export function resolved(schema, root) {
  let at = schema === true ? {} : (schema ?? {});
  for (let i = 0; i < 20 && typeof at?.$ref === 'string' && at.$ref.startsWith('#'); i++) {
    at = at.$ref.slice(1).split('/').filter(Boolean).reduce((o, k) => o?.[decodeURIComponent(k).replaceAll('~1', '/').replaceAll('~0', '~')], root) ?? {};
  }
  return at;
}

/** The kind of a schema's field. */
export function kindOf(schema) {
  if (schema.const !== undefined) return 'const';
  if (Array.isArray(schema.enum)) return 'enum';
  if (schema.oneOf ?? schema.anyOf) return 'variants';
  const type = Array.isArray(schema.type) ? schema.type.find((t) => t !== 'null') : schema.type;
  if (type === 'object' || (!type && schema.properties)) return schema.properties ? 'object' : 'json';
  return { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', array: 'array' }[type] ?? 'json';
}

/** A value without its empty fields. */
export function pruned(value) {
  if (Array.isArray(value)) return value.map(pruned).filter((v) => v !== undefined);
  if (value === null || typeof value !== 'object' || isExact(value)) return value === '' ? undefined : value;
  const kept = Object.entries(value).map(([k, v]) => [k, pruned(v)]).filter(([, v]) => v !== undefined);
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** A schema for a form of a value, by the types of its fields. @param {Record<string, any>} value */
export const schemaOf = (value) => ({
  properties: Object.fromEntries(Object.entries(value).map(([name, v]) => [name, { type: isExact(v) ? 'number' : { string: 'string', number: 'number', boolean: 'boolean' }[typeof v] }])),
});

let ids = 0;
const useId = () => useState(() => `field-${++ids}`)[0];

/** @param {{schema: any, root: any, value: any, onChange: (v: any) => void, name: string, required?: boolean, path: string, wrong: any, depth?: number}} of */
export const Field = (of) => {
  const schema = resolved(of.schema, of.root);
  const part = (of.depth ?? 0) > maxDepth ? Raw : { const: Const, enum: Choice, variants: Variants, object: Obj, string: Str, number: Num, boolean: Bool, array: List, json: Raw }[kindOf(schema)];
  return html`<${part} ...${of} schema=${schema} />`;
};

/** A field with its name, its description and its errors. */
const Named = ({ of, id, children }) => {
  const wrong = (of.wrong ?? []).filter((w) => w.path === of.path);
  const help = of.schema.description;
  return html`<div class="field"><label for=${id}>${plain(of.name)}${of.required && html` <span class="faint">required</span>`}</label>
    ${children({ id, 'aria-describedby': help ? `${id}-help` : undefined, 'aria-invalid': wrong.length > 0 || undefined, required: of.required })}
    ${help && html`<p class="help" id=${`${id}-help`}><${Text} of=${help} limit=${400} /></p>`}
    ${wrong.map((w) => html`<p class="bad" role="alert"><${Text} of=${w.message} /></p>`)}</div>`;
};

const Str = (of) => {
  const id = useId();
  const [long] = useState((of.schema.maxLength ?? 0) > 500 || /content|text|code|body/i.test(of.name) || /\n|.{100}/.test(fieldOf(of.value)));
  return html`<${Named} of=${of} id=${id}>${(a) => (long
    ? html`<textarea ...${a} rows="2" value=${fieldOf(of.value)} onInput=${(e) => of.onChange(e.currentTarget.value)}></textarea>`
    : html`<input ...${a} value=${fieldOf(of.value)} onInput=${(e) => of.onChange(e.currentTarget.value)} />`)}<//>
    ${of.name === 'artifact_id' && lastScreen.value && html`<button type="button" class="small" onClick=${() => of.onChange(lastScreen.value.id)}>Use screen <${Text} of=${lastScreen.value.name} /></button>`}`;
};

const Num = (of) => {
  const id = useId();
  const [typed, type] = useState(String(fieldOf(of.value))); // the raw input: 26. may become 26.2
  const change = (text) => {
    type(text);
    of.onChange(numberOf(text)); // the gateway refuses other texts
  };
  return html`<${Named} of=${of} id=${id}>${(a) => html`<input ...${a} inputmode=${of.schema.type === 'integer' ? 'numeric' : 'decimal'} autocomplete="off" value=${JSON.stringify(numberOf(typed)) === JSON.stringify(of.value) ? typed : fieldOf(of.value)} onInput=${(e) => change(e.currentTarget.value)} />`}<//>`;
};

const Bool = (of) => {
  const id = useId();
  const value = String(fieldOf(of.value));
  return html`<${Named} of=${of} id=${id}>${(a) => html`<select ...${a} value=${value} onChange=${(e) => of.onChange({ true: true, false: false }[e.currentTarget.value])}>
    <option value="">(not set)</option><option value="true">yes</option><option value="false">no</option></select>`}<//>`;
};

const Choice = (of) => {
  const id = useId();
  const value = of.value === undefined ? '' : JSON.stringify(of.value);
  return html`<${Named} of=${of} id=${id}>${(a) => html`<select ...${a} value=${value} onChange=${(e) => of.onChange(e.currentTarget.value === '' ? undefined : parseExact(e.currentTarget.value))}>
    <option value="">(not set)</option>${exactly(of.schema, 'enum').map((v) => html`<option key=${JSON.stringify(v)} value=${JSON.stringify(v)}>${plain(typeof v === 'string' ? v : JSON.stringify(v))}</option>`)}</select>`}<//>`;
};

const Const = (of) => {
  const id = useId();
  const only = exactly(of.schema, 'const');
  return html`<${Named} of=${of} id=${id}>${(a) => html`<select ...${a} value=${of.value === undefined ? '' : 'set'} onChange=${(e) => of.onChange(e.currentTarget.value ? only : undefined)}>
    <option value="">(not set)</option><option value="set">${plain(JSON.stringify(only))}</option></select>`}<//>`;
};

const Obj = (of) => {
  const value = of.value && typeof of.value === 'object' ? of.value : {};
  const needed = (name) => (of.schema.required ?? []).includes(name);
  const order = Object.entries(of.schema.properties).sort(([a], [b]) => Number(needed(b)) - Number(needed(a))); // required fields first
  const fields = order.map(([name, schema]) => html`<${Field} key=${name} schema=${schema} root=${of.root} name=${name} path=${`${of.path}.${name}`} wrong=${of.wrong} depth=${(of.depth ?? 0) + 1}
    required=${needed(name)} value=${value[name]} onChange=${(v) => of.onChange({ ...value, [name]: v })} />`);
  if (!of.depth) return html`${fields}`;
  return html`<fieldset><legend>${plain(of.name)} <span class="faint">${of.required ? 'required' : 'optional'}</span></legend>${of.schema.description && html`<p class="help"><${Text} of=${of.schema.description} limit=${400} /></p>`}${fields}</fieldset>`;
};

const List = (of) => {
  const value = Array.isArray(of.value) ? of.value : [];
  const set = (i, v) => of.onChange(value.map((old, at) => (at === i ? v : old)));
  return html`<fieldset><legend>${plain(of.name)}</legend>${of.schema.description && html`<p class="help"><${Text} of=${of.schema.description} limit=${400} /></p>`}
    ${value.map((v, i) => html`<div class="entry" key=${i}><${Field} schema=${of.schema.items ?? true} root=${of.root} name=${`${of.name} ${i + 1}`} path=${`${of.path}[${i}]`} wrong=${of.wrong} depth=${(of.depth ?? 0) + 1} value=${v} onChange=${(next) => set(i, next)} />
      <button type="button" class="small" aria-label=${`Remove ${of.name} ${i + 1}`} onClick=${() => of.onChange(value.filter((_, at) => at !== i))}>Remove</button></div>`)}
    <button type="button" class="small" onClick=${() => of.onChange([...value, ''])}>Add ${plain(of.name)}</button></fieldset>`;
};

const Variants = (of) => {
  const all = (of.schema.oneOf ?? of.schema.anyOf).map((s) => resolved(s, of.root)).filter((s) => s.type !== 'null');
  const [at, setAt] = useState(0);
  const id = useId();
  const field = html`<${Field} ...${of} key=${at} schema=${all[at] ?? true} depth=${(of.depth ?? 0) + 1} />`;
  if (all.length < 2) return field;
  return html`<div class="field"><label for=${id}>Type of ${plain(of.name)}</label><select id=${id} value=${String(at)} onChange=${(e) => { setAt(Number(e.currentTarget.value)); of.onChange(undefined); }}>
    ${all.map((s, i) => html`<option key=${i} value=${String(i)}>${plain(s.title ?? (s.description && headOf(s.description, 60)) ?? s.type ?? `type ${i + 1}`)}</option>`)}</select></div>${field}`;
};

const Raw = (of) => {
  const id = useId();
  const [text, setText] = useState(of.value === undefined ? '' : JSON.stringify(of.value));
  const [bad, setBad] = useState('');
  const change = (t) => {
    setText(t);
    try {
      of.onChange(t.trim() === '' ? undefined : parseExact(t));
      setBad('');
    } catch (e) {
      setBad(e.message);
    }
  };
  return html`<${Named} of=${of} id=${id}>${(a) => html`<textarea ...${a} class="mono" rows="2" placeholder="JSON" spellcheck=${false} value=${text} onInput=${(e) => change(e.currentTarget.value)}></textarea>`}<//>${bad && html`<p class="bad" role="alert">${plain(bad)}</p>`}`;
};
