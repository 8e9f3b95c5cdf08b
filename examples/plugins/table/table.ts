// table is a plugin that makes Markdown tables of rows and of CSV.

import { Answer, Json, Kind, Plugin, Tool } from "../../../sdk/plugin/assemblyscript";

/** What bounds a table. The schemas say so too. */
const MAX_ROWS = 2000;
const MAX_COLUMNS = 100;
const MAX_CELL = 4000; // characters

const ALIGN = `"align": {"type": "array", "maxItems": 100, "items": {"enum": ["auto", "left", "right", "center"]},
  "description": "How each column is aligned. Auto, and what is left out, is right for columns of numbers and left for others."}`;

const OUTPUT = `{"type": "object", "required": ["markdown", "rows", "columns"], "properties": {
  "markdown": {"type": "string"}, "rows": {"type": "integer"}, "columns": {"type": "integer"}}}`;

const plugin = new Plugin("table", "1.0.0", "Makes Markdown tables.")
  .tool(
    new Tool("markdown", "Makes a Markdown table of rows, which are lists of cells or objects.", markdown)
      .input(
        `{"type": "object", "additionalProperties": false, "required": ["rows"], "properties": {
          "headers": {"type": "array", "minItems": 1, "maxItems": 100, "items": {"type": "string", "maxLength": 4000},
            "description": "The columns' names. For rows that are objects these are the fields to show; by default all, as they come up."},
          "rows": {"type": "array", "maxItems": 2000, "items": {"type": ["array", "object"]},
            "description": "The rows. Cells are texts, numbers, true, false or null, which is left empty."},
          ${ALIGN}}}`,
      )
      .output(OUTPUT)
      .readOnly()
      .hint("openWorldHint", false),
  )
  .tool(
    new Tool("from_csv", "Makes a Markdown table of CSV, whose first line is the header.", fromCsv)
      .input(
        `{"type": "object", "additionalProperties": false, "required": ["csv"], "properties": {
          "csv": {"type": "string", "minLength": 1, "maxLength": 500000, "description": "The text. Cells may be quoted, with quotes doubled."},
          "separator": {"enum": [",", ";", "\\t", "|"], "default": ",", "description": "What is between cells."},
          ${ALIGN}}}`,
      )
      .output(OUTPUT)
      .readOnly()
      .hint("openWorldHint", false),
  );

export function describe(): i32 {
  return plugin.describe();
}

export function call(): i32 {
  return plugin.call();
}

/** A table while it is made. Problem says why it cannot be. */
class Table {
  headers: string[] = [];
  rows: string[][] = [];
  numeric: bool[] = []; // by column: whether all that stands there is a number
  problem: string = "";

  /** Adds a row that has as many cells as there are headers, or fewer. */
  add(cells: Json[]): void {
    const row: string[] = [];
    for (let i = 0; i < this.headers.length; i++) {
      const cell = i < cells.length ? cells[i] : Json.none();
      const text = cellText(cell);
      if (text.length > MAX_CELL) this.problem = `row ${this.rows.length + 1} has a cell of more than ${MAX_CELL} characters; shorten it`;
      if (cell.kind != Kind.Number && cell.kind != Kind.Null && !(cell.isText() && isNumber(text))) this.numeric[i] = false;
      row.push(text);
    }
    this.rows.push(row);
  }

  /** Sets the columns' names. */
  head(names: string[]): void {
    this.headers = names.map<string>((name) => escape(name));
    this.numeric = names.map<bool>(() => true);
    if (names.length == 0) this.problem = "there is no column: give headers, or rows with cells";
    if (names.length > MAX_COLUMNS) this.problem = `there are ${names.length} columns; up to ${MAX_COLUMNS} make a table`;
  }

  answer(align: Json): Answer {
    if (this.problem.length > 0) return Answer.fail(this.problem);
    const aligned = align.items();
    if (aligned.length > this.headers.length) {
      return Answer.fail(`align has ${aligned.length} entries for ${this.headers.length} columns; give one for each column or fewer`);
    }
    const text = this.markdown(aligned);
    const json = Json.object().set("markdown", Json.text(text)).set("rows", Json.number(this.rows.length));
    return Answer.of(json.set("columns", Json.number(this.headers.length))).text(text);
  }

  private markdown(aligned: Json[]): string {
    const width: i32[] = [];
    const how: string[] = [];
    for (let i = 0; i < this.headers.length; i++) {
      let widest = max(3, columns(this.headers[i]));
      for (let r = 0; r < this.rows.length; r++) widest = max(widest, columns(this.rows[r][i]));
      width.push(widest);
      const asked = i < aligned.length ? aligned[i].asText() : "auto";
      how.push(asked == "auto" ? (this.numeric[i] && this.rows.length > 0 ? "right" : "left") : asked);
    }
    const lines: string[] = [line(this.headers, width, how), rule(width, how)];
    for (let r = 0; r < this.rows.length; r++) lines.push(line(this.rows[r], width, how));
    return lines.join("\n") + "\n";
  }
}

function markdown(args: Json): Answer {
  const rows = args.get("rows").items();
  const table = new Table();
  if (rows.length > MAX_ROWS) return Answer.fail(`there are ${rows.length} rows; up to ${MAX_ROWS} make a table`);
  let objects = 0;
  for (let r = 0; r < rows.length; r++) if (rows[r].kind == Kind.Object) objects++;
  if (objects > 0 && objects < rows.length) return Answer.fail("rows must be all lists or all objects");
  const headers = args.get("headers").items().map<string>((name) => name.asText());
  if (objects > 0) fillFromObjects(table, headers, rows);
  else fillFromLists(table, headers, rows);
  return table.answer(args.get("align"));
}

function fillFromObjects(table: Table, headers: string[], rows: Json[]): void {
  if (headers.length == 0) {
    for (let r = 0; r < rows.length; r++) {
      const names = rows[r].names();
      for (let i = 0; i < names.length; i++) if (!headers.includes(names[i])) headers.push(names[i]);
      if (headers.length > MAX_COLUMNS) break; // head tells of it
    }
  }
  table.head(headers);
  for (let r = 0; r < rows.length && table.problem.length == 0; r++) {
    const cells: Json[] = [];
    for (let i = 0; i < headers.length; i++) cells.push(rows[r].get(headers[i]));
    table.add(cells);
  }
}

/** Without headers the first row is the header. */
function fillFromLists(table: Table, headers: string[], rows: Json[]): void {
  let first = 0;
  if (headers.length == 0 && rows.length > 0) headers = rows[first++].items().map<string>((cell) => plainText(cell));
  table.head(headers);
  for (let r = first; r < rows.length && table.problem.length == 0; r++) {
    if (rows[r].items().length > headers.length) {
      table.problem = `row ${r + 1} has ${rows[r].items().length} cells for ${headers.length} columns; add headers or leave cells out`;
      return;
    }
    table.add(rows[r].items());
  }
}

function fromCsv(args: Json): Answer {
  const rows: Json[] = [];
  const csv = new Csv(args.get("csv").asText(), args.get("separator").asText(",").charCodeAt(0));
  while (csv.more()) {
    rows.push(Json.list(csv.row()));
    if (csv.problem.length > 0) return Answer.fail(csv.problem);
    if (rows.length > MAX_ROWS + 1) return Answer.fail(`there are more than ${MAX_ROWS} lines; send fewer`);
  }
  const table = new Table();
  fillFromLists(table, [], rows);
  return table.answer(args.get("align"));
}

/** Reads CSV as RFC 4180 has it, with any separator and line ending. */
class Csv {
  problem: string = "";
  private at: i32 = 0;
  private lineNumber: i32 = 0;

  constructor(
    private text: string,
    private separator: i32,
  ) {}

  /** Whether there is another row; empty lines are none. */
  more(): bool {
    while (this.at < this.text.length && this.newline(this.text.charCodeAt(this.at))) this.at++;
    return this.at < this.text.length;
  }

  private newline(c: i32): bool {
    return c == 0x0a || c == 0x0d;
  }

  row(): Json[] {
    const cells: Json[] = [];
    this.lineNumber++;
    while (true) {
      cells.push(Json.text(this.cell()));
      const c = this.at < this.text.length ? this.text.charCodeAt(this.at) : 0x0a;
      if (c != this.separator) {
        if (!this.newline(c)) this.problem = `row ${this.lineNumber} of the CSV has text after a closing quote; double the quotes within a cell`;
        return cells;
      }
      this.at++;
    }
  }

  private cell(): string {
    if (this.at >= this.text.length || this.text.charCodeAt(this.at) != 0x22) {
      const start = this.at;
      while (this.at < this.text.length && this.text.charCodeAt(this.at) != this.separator && !this.newline(this.text.charCodeAt(this.at))) this.at++;
      return this.text.substring(start, this.at).trim();
    }
    const parts: string[] = [];
    while (this.at < this.text.length && this.text.charCodeAt(this.at) == 0x22) {
      const end = this.text.indexOf('"', this.at + 1);
      if (end < 0) {
        this.problem = `row ${this.lineNumber} of the CSV has a quote that nothing closes`;
        this.at = this.text.length;
        break;
      }
      parts.push(this.text.substring(this.at + 1, end));
      this.at = end + 1;
    }
    return parts.join('"'); // a doubled quote ended one part and began the next
  }
}

function plainText(cell: Json): string {
  if (cell.kind == Kind.Null) return "";
  return cell.isText() ? cell.asText() : cell.toString();
}

function cellText(cell: Json): string {
  return escape(plainText(cell));
}

/** Keeps a text within its cell: no bar ends it, and no new line. */
function escape(text: string): string {
  text = text.replaceAll("\\", "\\\\").replaceAll("|", "\\|");
  return text.replaceAll("\r\n", "<br>").replaceAll("\n", "<br>").replaceAll("\r", "<br>").trim();
}

function isNumber(text: string): bool {
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c >= 0x30 && c <= 0x39) digits++;
    else if (c != 0x2e && c != 0x2c && c != 0x25 && c != 0x20 && !((c == 0x2d || c == 0x2b) && i == 0)) return false;
  }
  return digits > 0 || text.length == 0;
}

function line(cells: string[], width: i32[], how: string[]): string {
  let out = "|";
  for (let i = 0; i < width.length; i++) {
    const gap = width[i] - columns(cells[i]);
    const before = how[i] == "right" ? gap : how[i] == "center" ? gap / 2 : 0;
    out += " " + " ".repeat(before) + cells[i] + " ".repeat(gap - before) + " |";
  }
  return out;
}

function rule(width: i32[], how: string[]): string {
  let out = "|";
  for (let i = 0; i < width.length; i++) {
    const dashes = "-".repeat(width[i] - (how[i] == "center" ? 2 : how[i] == "right" ? 1 : 0));
    out += how[i] == "center" ? " :" + dashes + ": |" : how[i] == "right" ? " " + dashes + ": |" : " " + dashes + " |";
  }
  return out;
}

/** How many columns of a fixed-width font a text takes: East Asian characters
 * and emoji take two, combining marks none. */
function columns(text: string): i32 {
  let n = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.codePointAt(i);
    if (c > 0xffff) i++;
    if ((c >= 0x300 && c < 0x370) || c == 0x200d || (c >= 0xfe00 && c <= 0xfe0f)) continue;
    const wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff);
    const wider = (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) || (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
    n += wide || wider ? 2 : 1;
  }
  return n;
}
