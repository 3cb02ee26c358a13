// Text, numbers and elements. Names come from data: they reach the page as text
// nodes and attributes, never as markup.

const byId = (id) => document.getElementById(id);

// visible writes blanks at the ends of a name, and of a level in brackets, as ␣, as the terminal does.
const visible = (text) => (text.includes(" ") ? text.replace(/ +(?=[,\]]|$)|(?<=^|\[) +/g, (blanks) => "␣".repeat(blanks.length)) : text);

const dataOf = (id) => {
  const script = byId(id);
  return script ? JSON.parse(script.textContent, (_, value) => (typeof value === "string" ? visible(value) : value)) : null;
};

// rowsOf returns a list of objects. A long list comes as columns: {key: {all: value}, {of: distinct values, at: indices}
// or {each: values}}.
function rowsOf(list) {
  if (Array.isArray(list)) return list;
  return Array.from({ length: list.rows }, (_, i) => Object.fromEntries(Object.entries(list.columns)
    .map(([key, c]) => [key, "at" in c ? c.of[c.at[i]] : "each" in c ? c.each[i] : c.all]).filter(([, v]) => v !== undefined)));
}

// el makes an element: attributes (on* are listeners), then children, which may be
// text, nodes, lists of them, or nothing.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

// name isolates the direction of foreign text.
// A long name may break after a separator, and nowhere else.
const name = (text) => el("bdi", {}, String(text).split(/(?<=__|[[,:])/).flatMap((part, i) => (i > 0 ? [el("wbr", {}), part] : [part])));

// number writes x with so many significant digits, and a dash for none.
function number(x, digits = 4) {
  if (x === null || x === undefined) return "—";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e7 || size < 1e-4) return x.toExponential(Math.min(2, digits - 1)).replace("-", "−").replace("e+", "e").replace("e-", "e−");
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return x.toFixed(Math.min(places, 6)).replace("-", "−");
}

// tick writes a number on an axis: short, and without trailing zeros.
function tick(x) {
  const size = Math.abs(x);
  if (size > 0 && (size >= 1e6 || size < 1e-4)) return x.toExponential(0).replace("-", "−").replace("e+", "e").replace("e-", "e−");
  return String(Number(x.toPrecision(4))).replace("-", "−");
}

// fixed writes x with so many places.
const fixed = (x, places) => (x === null || x === undefined ? "—" : x.toFixed(places).replace("-", "−"));

const whole = (x) => (x === null || x === undefined ? "—" : Math.round(x).toString());

const seconds = (x) => (x === null || x === undefined ? "—" : number(x, 3) + " s");

const clock = (text) => (text && !text.startsWith("0001") ? text.slice(0, 10) + " " + text.slice(11, 16) + " UTC" : "—");

const minute = (text) => text.slice(5, 10) + " " + text.slice(11, 16);

const unitOf = (f) => (f.pipeline ? f.pipeline + ": " : "") + f.dataset + (f.key ? "/" + f.key : "");

const posteriorOf = (f) => unitOf(f) + " × " + f.model;

const fitName = (f) => posteriorOf(f) + " × " + f.sampler;

const plural = (n, word) => n + " " + word + (n === 1 ? "" : "s");

// interval writes a median with its interval, where it has one.
const interval = (v) => (v[0] === null ? "—" : number(v[0], 3) + (v[1] === null ? "" : " [" + number(v[1], 3) + ", " + number(v[2], 3) + "]"));

const verdictWords = {
  pass: "pass: every gate holds",
  warn: "warn: it may be used, and there is something to know",
  fail: "fail: do not use it as it is",
  error: "error: it could not be computed",
};

// plain is text as a spreadsheet takes it: a minus is a hyphen, a dash is nothing,
// and tabs and line breaks are blanks.
const plain = (text) => (text === "—" ? "" : text.replace(/−/g, "-").replace(/[\t\r\n]+/g, " "));
