// Charts: SVG by Observable Plot, in the page's own colours, each in a figure
// whose caption says in words what it shows.

const chainColours = ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"];
const chainColour = (c) => chainColours[c % chainColours.length];

// Chains have a colour each; where they are of several imputations, these have.
const several = (s) => s.imputations > 1;
const hueOf = (s, c) => chainColour(several(s) ? Math.floor(c * s.imputations / s.trace.length) : c);
const chainLegend = (s) => (several(s) ? s.imputations <= 12 && legend(d3.range(s.imputations).map((i) => "imputation " + (i + 1))) : legend(s.trace.map((_, c) => "chain " + (c + 1))));

// drawings are redrawn when the window changes its width.
let drawings = [];

function figure(title, words, options) {
  const holder = el("div", {});
  const node = el("figure", {}, el("p", { class: "chart-title" }, title), holder, el("figcaption", {}, words));
  const draw = () => {
    const width = Math.max(260, Math.min(holder.clientWidth || 560, 1100));
    const svg = Plot.plot({ width, height: 210, marginLeft: 56, marginBottom: 40, ariaLabel: title, style: { background: "none", color: "var(--ink)" }, ...options(width) });
    svg.setAttribute("role", "img");
    svg.querySelectorAll("[aria-label]").forEach((g) => g.removeAttribute("aria-label")); // marks are parts of the image
    svg.setAttribute("aria-description", words);
    holder.replaceChildren(svg);
  };
  drawings.push(draw);
  return node;
}

const drawAll = () => drawings.forEach((d) => d());

function legend(labels, colour = chainColour) {
  return el("ul", { class: "legend", "aria-label": "Colours" }, labels.map((l, i) => {
    const mark = el("i", {});
    mark.style.borderTopColor = colour(i);
    return el("li", {}, mark, name(l));
  }));
}

// traceOf undoes the coding of one chain's trace.
function traceOf(series, chain) {
  const bytes = atob(series.trace[chain]);
  const step = (series.high - series.low) / 254;
  return Array.from(bytes, (b, i) => {
    const code = b.charCodeAt(0);
    return { x: i * series.every + 1, y: code === 255 ? NaN : series.low + code * step, chain };
  });
}

function traceChart(series) {
  const points = series.trace.flatMap((_, c) => traceOf(series, c));
  const every = series.every > 1 ? " One draw in " + series.every + " is drawn." : "";
  return figure("Trace", (several(series) ? "Chains of one imputation that mix look like one band; imputations may lie apart." : "Chains that mix look like one band; one that stays apart, drifts or sticks does not.") + every, () => ({
    x: { label: "draw" }, y: { label: null, grid: true, tickFormat: tick, nice: true },
    marks: [Plot.line(points, { x: "x", y: "y", z: "chain", stroke: (d) => hueOf(series, d.chain), strokeWidth: 0.8, strokeOpacity: 0.75 })],
  }));
}

// priorDensity is the density of a prior that the page knows, as text such as half_normal(2), of x; null of others.
function priorDensity(text) {
  const m = /^(half_)?(normal|student_t|cauchy|laplace|exponential)\(([^()]*)\)$/.exec(text || "");
  if (!m) return null;
  const half = Boolean(m[1]), v = m[3].split(",").map(Number);
  if (v.some((x) => !Number.isFinite(x))) return null;
  if (m[2] === "exponential") return (x) => (x < 0 ? 0 : v[0] * Math.exp(-v[0] * x));
  const t = m[2] === "student_t", at = half ? 0 : v[t ? 1 : 0], scale = v[v.length - 1];
  const shape = { normal: (z) => Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI), cauchy: (z) => 1 / (Math.PI * (1 + z * z)), laplace: (z) => Math.exp(-Math.abs(z)) / 2 };
  const gamma = (x) => { let s = 0; while (x < 12) s -= Math.log(x++); return s + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3); }; // Stirling
  const f = t ? (z) => Math.exp(gamma((v[0] + 1) / 2) - gamma(v[0] / 2) - (v[0] + 1) / 2 * Math.log1p(z * z / v[0])) / Math.sqrt(v[0] * Math.PI) : shape[m[2]];
  return (x) => (half && x < 0 ? 0 : (half ? 2 : 1) * f((x - at) / scale) / scale);
}

// densityOf is a gaussian kernel density of values at 80 points of a range, by Silverman's rule.
function densityOf(values, low, high) {
  const sd = d3.deviation(values), iqr = d3.quantile(values, 0.75) - d3.quantile(values, 0.25);
  const h = 0.9 * Math.min(sd, iqr > 0 ? iqr / 1.34 : sd) * values.length ** -0.2;
  if (!(h > 0)) return [];
  return d3.range(80).map((k) => {
    const x = low + (high - low) * k / 79;
    return { x, y: d3.sum(values, (v) => Math.exp(-(((x - v) / h) ** 2) / 2)) / (values.length * h * Math.sqrt(2 * Math.PI)) };
  });
}

function densityChart(series) {
  const chains = series.trace.map((_, c) => traceOf(series, c).map((p) => p.y).filter((y) => !Number.isNaN(y)));
  const pad = 0.08 * (series.high - series.low), low = series.low - pad, high = series.high + pad;
  const points = chains.flatMap((values, chain) => densityOf(values, low, high).map((p) => ({ ...p, chain })));
  if (points.length === 0) return null;
  const prior = priorDensity(series.prior), scale = series.scale || 1;
  const line = prior ? d3.range(80).map((k) => low + (high - low) * k / 79).map((x) => ({ x, y: scale * prior(x * scale) })) : [];
  const words = (several(series) ? "Posterior by chain: curves of one imputation lie on each other where chains agree, those of others need not." : "Posterior by chain: where chains agree the curves lie on each other.") + (prior ? " Dashed: the prior, " + series.prior + (scale === 1 ? "" : " of the coefficient times " + number(scale, 3)) + "; where both are alike, the data say little." : series.prior ? " Its prior, " + series.prior + ", is not drawn." : "");
  return figure("Density", words, () => ({
    x: { label: null, tickFormat: tick, ticks: 6 }, y: { label: null, ticks: [], domain: [0, Math.max(...points.map((p) => p.y)) * 1.05], clamp: true }, marginLeft: 16,
    marks: [Plot.ruleY([0]), Plot.line(points, { x: "x", y: "y", z: "chain", stroke: (d) => hueOf(series, d.chain), strokeWidth: 1.5 }),
      Plot.line(line, { x: "x", y: "y", stroke: "currentColor", strokeWidth: 1.5, strokeDasharray: "5,3" })],
  }));
}

// smallTraces are traces of all quantities, which mixed worst first; each is a button that shows its plots.
function smallTraces(all, show) {
  return el("div", { class: "small" }, all.map((s, i) => {
    const holder = el("span", {}), button = el("button", { type: "button", onclick: () => show(i) }, el("span", {}, name(shortened(s.name, 26))), el("span", { class: "quiet" }, "R-hat " + fixed(s.rhat, 3) + ", ESS " + whole(s.ess_bulk)), holder);
    const step = Math.max(1, Math.ceil(s.trace[0].length * s.trace.length / 400)), d = svg("svg", { viewBox: "0 0 200 60", "aria-hidden": "true", preserveAspectRatio: "none" });
    s.trace.forEach((_, c) => {
      const points = traceOf(s, c).filter((p, k) => k % step === 0 && !Number.isNaN(p.y)), n = points.length - 1 || 1;
      d.append(svg("polyline", { points: points.map((p, k) => (200 * k / n).toFixed(1) + "," + (58 - 56 * (s.high > s.low ? (p.y - s.low) / (s.high - s.low) : 0.5)).toFixed(1)).join(" "), fill: "none", stroke: hueOf(s, c), "stroke-width": 1, "stroke-opacity": 0.8, "vector-effect": "non-scaling-stroke" }));
    });
    holder.append(d);
    return button;
  }));
}

// pairChart sets two quantities against each other, with the draws that diverged.
function pairChart(a, b) {
  const points = a.trace.flatMap((_, c) => { const other = traceOf(b, c); return traceOf(a, c).map((p, i) => ({ x: p.y, y: other[i].y })); }).filter((p) => !Number.isNaN(p.x) && !Number.isNaN(p.y));
  const broken = (a.divergent || []).map((x, i) => ({ x, y: (b.divergent || [])[i] })).filter((p) => typeof p.x === "number" && typeof p.y === "number");
  const node = figure(a.name + " and " + b.name, "Draws of the one against the other." + (broken.length > 0 ? " Crosses: draws whose trajectories diverged; where they gather, the sampler does not get on." : ""), () => ({
    height: 260, x: { label: shortened(a.name, 40) + " →", tickFormat: tick, ticks: 5, nice: true }, y: { label: "↑ " + shortened(b.name, 40), tickFormat: tick, ticks: 5, nice: true, grid: true },
    marks: [Plot.dot(points, { x: "x", y: "y", r: 1.3, fill: "var(--c1)", fillOpacity: 0.35 }), Plot.dot(broken, { x: "x", y: "y", r: 4, symbol: "times", stroke: "var(--mark)", strokeWidth: 1.8 })],
  }));
  return node;
}

function rankChart(series) {
  const bins = series.ranks[0].length, chains = series.ranks.length, across = chains <= 6 ? chains : 10, down = Math.ceil(chains / across);
  if (down > 6) return null;
  const bars = series.ranks.flatMap((row, c) => row.map((n, b) => ({ at: c % across, below: Math.floor(c / across), colour: hueOf(series, c), x1: b / bins, x2: (b + 1) / bins, n })));
  const labels = d3.range(chains).map((c) => ({ at: c % across, below: Math.floor(c / across), text: (across === chains ? "chain " : "") + (c + 1) }));
  const words = "Ranks of each chain's draws among all draws" + (several(series) ? " of its imputation" : "") + ": flat where chains agree. The line is what every class would have.";
  return figure("Ranks", words, () => ({
    height: 130 + 80 * down, marginTop: 12, fx: { label: null, padding: 0.08, axis: null, domain: d3.range(across) }, fy: { label: null, padding: 0.12, axis: null, domain: d3.range(down) },
    x: { label: "rank, smallest to largest →", ticks: [], inset: 0 }, y: { label: null, ticks: 3, tickFormat: tick, domain: [0, Math.max(...bars.map((b) => b.n)) * (down > 1 ? 1.3 : 1.2)] },
    marks: [
      Plot.rect(bars, { fx: "at", fy: "below", x1: "x1", x2: "x2", y1: 0, y2: "n", fill: "colour", insetLeft: 0.3, insetRight: 0.3 }),
      Plot.ruleY(labels, { fx: "at", fy: "below", y: series.draws / bins, stroke: "currentColor", strokeDasharray: "3,3" }),
      Plot.text(labels, { fx: "at", fy: "below", text: "text", frameAnchor: "top", dy: -2 }),
    ],
  }));
}

function growthChart(series, gates) {
  const rows = series.grown.flatMap((x, i) => [{ x, y: series.grown_bulk[i], kind: 0 }, { x, y: series.grown_tail[i], kind: 1 }]).filter((r) => r.y !== null);
  const node = figure("Effective sample size over draws", "It grows in a straight line where more draws help; where it bends down, chains have found something new.", () => ({
    x: { label: "draws of all chains →", ticks: 5, tickFormat: tick }, y: { label: null, grid: true, tickFormat: tick, domain: [0, Math.max(1, ...rows.map((r) => r.y)) * 1.05] },
    marks: [
      Plot.line(rows, { x: "x", y: "y", z: "kind", stroke: (d) => chainColour(d.kind), strokeWidth: 2, strokeDasharray: (d) => d.kind ? "5,3" : null }),
      Plot.dot(rows, { x: "x", y: "y", fill: (d) => chainColour(d.kind), r: 2.5 }),
    ],
  }));
  node.append(legend(["bulk ESS", "tail ESS"]));
  return node;
}

function autoChart(series) {
  const rows = series.auto.flatMap((chain, c) => chain.map((y, i) => ({ x: series.lags[i], y, chain: c }))).filter((r) => r.y !== null);
  return figure("Autocorrelation", "How alike draws are that lie so many iterations apart, by chain: the sooner it falls to 0, the more each draw is worth.", () => ({
    x: { label: "lag →", ticks: 6 }, y: { label: null, grid: true, domain: [Math.min(-0.2, ...rows.map((r) => r.y)), 1] },
    marks: [Plot.ruleY([0]), Plot.line(rows, { x: "x", y: "y", z: "chain", stroke: (d) => hueOf(series, d.chain), strokeWidth: 1.5 })],
  }));
}
