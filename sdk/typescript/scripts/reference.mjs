// Writes what the package exports, with its docstrings, as JSON: node reference.mjs TYPESCRIPT_FOLDER ENTRY.ts
import { createRequire } from 'node:module';

const [, , compiler, entry] = process.argv;
const ts = createRequire(import.meta.url)(compiler);
const program = ts.createProgram([entry], { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext, strict: true, skipLibCheck: true });
const checker = program.getTypeChecker();

const docOf = symbol => ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
const internal = symbol => symbol.getJsDocTags(checker).some(tag => tag.name === 'internal');
const hidden = node => node.modifiers?.some(m => m.kind === ts.SyntaxKind.PrivateKeyword) || ts.isPrivateIdentifier(node.name ?? node);

/** A declaration without its body, as it is read. */
function signatureOf(node) {
  const text = node.getText();
  const body = node.body ?? (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) ? node.members : undefined);
  const end = node.body ? node.body.pos : ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) ? node.members.pos - 1 : node.end;
  const head = node.getSourceFile().text.slice(node.getStart(), body ? end : node.end);
  const value = ts.isPropertyDeclaration(node) && node.initializer ? head.slice(0, node.initializer.pos - node.getStart() - 1) : head;
  return (value || text).replace(/\/\*\*[\s\S]*?\*\//g, '').replace(/^(export|async|declare|public|readonly) /g, '').replace(/\s+/g, ' ').replace(/[{;=\s]+$/, '').trim();
}

/** A constant's signature has the type that the compiler finds. */
const typed = (symbol, node) => (ts.isVariableDeclaration(node) ? `${symbol.name}: ${checker.typeToString(checker.getTypeOfSymbol(symbol))}` : signatureOf(node));

function membersOf(symbol, node) {
  if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) return [];
  const members = [];
  for (const member of node.members) {
    const of = member.name && checker.getSymbolAtLocation(member.name);
    if (!of || of.name === 'name' && ts.isPropertyDeclaration(member) && symbol.name.endsWith('Error') || hidden(member) || internal(of) || member.name.getText().startsWith('[')) continue;
    members.push({ name: of.name, signature: signatureOf(member), doc: docOf(of) });
  }
  return members;
}

const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)));
const items = [];
for (let symbol of exported) {
  if (symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  const node = symbol.declarations?.[0];
  if (!node || node.getSourceFile().fileName.endsWith('schema.ts')) continue;
  const kind = ts.isClassDeclaration(node) ? 'class' : ts.isInterfaceDeclaration(node) ? 'interface' : ts.isTypeAliasDeclaration(node) ? 'type' : ts.isFunctionDeclaration(node) ? 'function' : 'constant';
  items.push({ name: symbol.name, kind, signature: typed(symbol, node).replace(/^(class|function|interface|type) /, ''), doc: docOf(symbol), members: membersOf(symbol, node) });
}
// What a client holds, as windie.artifacts, which is not exported by itself.
const client = items.find(item => item.name === 'Windie');
const windie = checker.getAliasedSymbol(exported.find(symbol => symbol.name === 'Windie')).declarations[0];
for (const member of windie.members) {
  const of = member.name && ts.isPropertyDeclaration(member) && member.type && checker.getTypeFromTypeNode(member.type).symbol;
  if (!of || !client.members.some(m => m.name === member.name.text)) continue;
  items.push({ name: of.name, kind: 'group', signature: `windie.${member.name.text}`, doc: docOf(of), members: membersOf(of, of.declarations[0]) });
}
const text = program.getSourceFile(entry).text;
const doc = (text.match(/^\/\*\*\n([\s\S]*?)\n \*\//)?.[1] ?? '').replace(/^ \* ?/gm, '');
const order = ['class', 'group', 'function', 'interface', 'type', 'constant'];
items.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || (a.name < b.name ? -1 : 1));
console.log(JSON.stringify({ title: '@windie/sdk', language: 'TypeScript', doc, items }, null, 1));
