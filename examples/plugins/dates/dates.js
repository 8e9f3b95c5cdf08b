// dates counts with dates of the calendar: no times of day, no time zones.
// The gateway reads `tools` off globalThis; see README.md.

const DAY = 86400000; // milliseconds
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

// The most business days that are counted one by one: 40 years of them.
const MAX_BUSINESS_DAYS = 10440;

// parse reads YYYY-MM-DD. Dates are counted in days since 1970-01-01.
function parse(text, field) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!parts) throw new Error(`${field} must be a date such as 2026-02-28, and is ${JSON.stringify(text)}`);
  const [year, month, day] = parts.slice(1).map(Number);
  if (year < 1) throw new Error(`${field} must be in the years 0001 to 9999`);
  if (month < 1 || month > 12) throw new Error(`${field} has month ${parts[2]}; months are 01 to 12`);
  const last = daysIn(year, month);
  if (day < 1 || day > last) throw new Error(`${field} has day ${parts[3]}; ${parts[1]}-${parts[2]} has the days 01 to ${last}`);
  return days(year, month, day);
}

// days takes months beyond 1 to 12 too: 13 is January of the next year.
function days(year, month, day) {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // Date.UTC takes years below 100 for others
  return date.getTime() / DAY;
}

function daysIn(year, month) {
  return new Date(days(year, month + 1, 0) * DAY).getUTCDate();
}

function fields(n) {
  const date = new Date(n * DAY);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate(), weekday: date.getUTCDay() };
}

function format(n) {
  const { year, month, day } = fields(n);
  if (!(year >= 1 && year <= 9999)) throw new Error("the date is outside of the years 0001 to 9999; add or take away less");
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

// addMonths keeps the day, or takes the month's last where there is no such day.
function addMonths(n, months) {
  const { year, month, day } = fields(n);
  const first = fields(days(year, month + months, 1));
  return days(first.year, first.month, Math.min(day, daysIn(first.year, first.month)));
}

function isBusinessDay(n, holidays) {
  const { weekday } = fields(n);
  return weekday !== 0 && weekday !== 6 && !holidays.has(n);
}

function addBusinessDays(n, count, holidays) {
  const step = Math.sign(count);
  for (let left = Math.abs(count); left > 0; ) {
    n += step;
    if (isBusinessDay(n, holidays)) left--;
  }
  return n;
}

function holidaySet(list) {
  return new Set((list || []).map((text, i) => parse(text, `holidays[${i}]`)));
}

// isoWeek is of ISO 8601: weeks begin on Monday, and are of the year that their Thursday is in.
function isoWeek(n) {
  const thursday = n - ((fields(n).weekday + 6) % 7) + 3;
  const { year } = fields(thursday);
  return { year, week: Math.floor((thursday - days(year, 1, 1)) / 7) + 1 };
}

function about(n) {
  const { year, month, weekday } = fields(n);
  const week = isoWeek(n);
  return {
    date: format(n),
    weekday: WEEKDAYS[weekday],
    iso_week: `${String(week.year).padStart(4, "0")}-W${String(week.week).padStart(2, "0")}`,
    day_of_year: n - days(year, 1, 1) + 1,
    days_in_month: daysIn(year, month),
    leap_year: daysIn(year, 2) === 29,
  };
}

function add(args) {
  const holidays = holidaySet(args.holidays);
  let n = addMonths(parse(args.date, "date"), (args.years || 0) * 12 + (args.months || 0));
  n += (args.weeks || 0) * 7 + (args.days || 0);
  format(n); // refuses what is out of range, before days are counted one by one
  const business = args.business_days || 0;
  if (Math.abs(business) > MAX_BUSINESS_DAYS) throw new Error(`business_days must be from -${MAX_BUSINESS_DAYS} to ${MAX_BUSINESS_DAYS}`);
  return about(addBusinessDays(n, business, holidays));
}

// calendar returns how many whole years, months and days there are from one
// date to a later one.
function calendar(from, to) {
  const a = fields(from);
  const b = fields(to);
  let months = (b.year - a.year) * 12 + b.month - a.month;
  if (addMonths(from, months) > to) months--;
  return { years: Math.floor(months / 12), months: months % 12, days: to - addMonths(from, months) };
}

// businessDays counts those after from, up to and with to. Whole weeks have
// five, so that long spans take no time.
function businessDays(from, to, holidays) {
  const weeks = Math.floor((to - from) / 7);
  let count = weeks * 5;
  for (let n = from + weeks * 7 + 1; n <= to; n++) if (isBusinessDay(n, new Set())) count++;
  for (const n of holidays) if (n > from && n <= to && isBusinessDay(n, new Set())) count--;
  return count;
}

function between(args) {
  const from = parse(args.from, "from");
  const to = parse(args.to, "to");
  const [first, last] = from <= to ? [from, to] : [to, from];
  const sign = from <= to ? 1 : -1;
  const span = last - first;
  const signed = (n) => (n === 0 ? 0 : sign * n); // 0 and not -0
  return {
    days: signed(span),
    weeks: signed(Math.floor(span / 7)),
    business_days: signed(businessDays(first, last, holidaySet(args.holidays))),
    calendar: calendar(first, last),
    order: from === to ? "same" : from < to ? "forward" : "backward",
  };
}

const DATE = { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$", examples: ["2026-02-28"] };
const HOLIDAYS = { type: "array", maxItems: 1000, items: DATE, description: "Days that are no business days, besides Saturdays and Sundays." };
const ABOUT = {
  type: "object",
  required: ["date", "weekday", "iso_week", "day_of_year", "days_in_month", "leap_year"],
  properties: {
    date: { type: "string" },
    weekday: { type: "string" },
    iso_week: { type: "string" },
    day_of_year: { type: "integer" },
    days_in_month: { type: "integer" },
    leap_year: { type: "boolean" },
  },
};
const ANNOTATIONS = { readOnlyHint: true, openWorldHint: false };

function amount(description) {
  return { type: "integer", minimum: -120000, maximum: 4000000, default: 0, description };
}

globalThis.tools = [
  {
    name: "add",
    description: "Tells the date that is some years, months, weeks, days or business days after another. Negative amounts go back.",
    inputSchema: {
      type: "object",
      additionalProperties: false,
      required: ["date"],
      properties: {
        date: { ...DATE, description: "Where to count from." },
        years: amount("Added first, together with months. 29 February becomes 28 February where need be."),
        months: amount("A day that the month does not have becomes its last."),
        weeks: amount("Added after months."),
        days: amount("Added after months."),
        business_days: { type: "integer", minimum: -MAX_BUSINESS_DAYS, maximum: MAX_BUSINESS_DAYS, default: 0, description: "Added last." },
        holidays: HOLIDAYS,
      },
    },
    outputSchema: ABOUT,
    annotations: ANNOTATIONS,
    call: add,
  },
  {
    name: "between",
    description: "Tells how far it is from one date to another: in days, weeks, business days, and in years, months and days.",
    inputSchema: {
      type: "object",
      additionalProperties: false,
      required: ["from", "to"],
      properties: { from: DATE, to: { ...DATE, description: "Counted with; from is not." }, holidays: HOLIDAYS },
    },
    outputSchema: {
      type: "object",
      required: ["days", "weeks", "business_days", "calendar", "order"],
      properties: {
        days: { type: "integer", description: "Negative when to is before from, as weeks and business_days are then." },
        weeks: { type: "integer" },
        business_days: { type: "integer" },
        calendar: {
          type: "object",
          description: "From the earlier to the later date.",
          properties: { years: { type: "integer" }, months: { type: "integer" }, days: { type: "integer" } },
        },
        order: { enum: ["forward", "same", "backward"] },
      },
    },
    annotations: ANNOTATIONS,
    call: between,
  },
  {
    name: "about",
    description: "Tells a date's weekday, ISO week and day of the year, and how long its month is.",
    inputSchema: { type: "object", additionalProperties: false, required: ["date"], properties: { date: DATE } },
    outputSchema: ABOUT,
    annotations: ANNOTATIONS,
    call: (args) => about(parse(args.date, "date")),
  },
];
