import { WindieError } from './errors.js';
import { builtin } from './http.js';
/** Makes a tool of a function. */
export function tool(of) {
    return of;
}
/** Makes a tool of a function in a module, which is loaded at the first call. The function gets the input and the context. */
export function moduleTool({ module, ...of }) {
    const [path, name] = splitModule(module);
    let loaded;
    return {
        ...of,
        async run(input, context) {
            loaded ??= load(path, name, context.workspacePath);
            loaded.catch(() => (loaded = undefined));
            return (await loaded)(input, context);
        },
    };
}
function splitModule(spec) {
    const colon = spec.lastIndexOf(':');
    if (colon < 1 || colon === spec.length - 1)
        throw new TypeError(`windie: ${JSON.stringify(spec)} is no MODULE:FUNCTION, as "my_project.tools:save_note"`);
    return [spec.slice(0, colon), spec.slice(colon + 1)];
}
const endings = ['', '.mjs', '.js', '.cjs', '.ts', '.mts', '/index.mjs', '/index.js', '/index.ts'];
async function load(spec, name, workspace) {
    const files = builtin('node:fs');
    const paths = builtin('node:path');
    const urls = builtin('node:url');
    let url = spec;
    if (files && paths && urls) {
        const stems = [spec, spec.replaceAll('.', '/')].map(stem => paths.resolve(workspace ?? '.', stem));
        const found = stems.flatMap(stem => endings.map(ending => stem + ending)).find(path => files.existsSync(path) && files.statSync(path).isFile());
        if (found)
            url = urls.pathToFileURL(found).href;
    }
    const module = (await import(/* @vite-ignore */ url));
    const fn = module[name] ?? module['default']?.[name];
    if (typeof fn !== 'function')
        throw new WindieError(`the module ${spec} has no function ${name}`);
    return fn;
}
/** The JSON Schema of a tool. */
export function jsonSchemaOf(of) {
    const { schema } = of;
    if (!('~standard' in schema))
        return schema;
    const standard = schema;
    const json = standard['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? standard.toJSONSchema?.();
    if (!json)
        throw new TypeError(`windie: the schema of ${of.name} cannot be turned into JSON Schema; give it as JSON Schema`);
    return json;
}
/** Checks a call's input by the tool's schema, where that can, and returns what the tool gets. */
export async function inputOf(of, input) {
    if (!('~standard' in of.schema))
        return input; // the gateway has checked it
    const result = (await of.schema['~standard'].validate(input));
    if (result.issues)
        throw new WindieError(`invalid input: ${result.issues.map(i => i.message).join('; ')}`);
    return result.value;
}
