// Charts: SVG by Observable Plot, in the page's own colours, each in a figure
// whose caption says in words what it shows.

const chainColours = ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"];
const chainColour = (c) => chainColours[c % chainColours.length];

// drawings are redrawn when the window changes its width.
let drawings = [];

function figure(title, words, options) {
  const holder = el("div", {});
  const node = el("figure", {}, el("p", { class: "chart-title" }, title), holder, el("figcaption", {}, words));
  const draw = () => {
    const width = Math.max(260, Math.min(holder.clientWidth || 560, 1100));
    const svg = Plot.plot({ width, height: 210, marginLeft: 56, marginBottom: 36, ariaLabel: title, style: { background: "none", color: "var(--ink)" }, ...options(width) });
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
  return figure("Trace", "Chains that mix look like one band; one that stays apart, drifts or sticks does not." + every, () => ({
    x: { label: "draw" }, y: { label: null, grid: true, tickFormat: tick, nice: true },
    marks: [Plot.line(points, { x: "x", y: "y", z: "chain", stroke: (d) => chainColour(d.chain), strokeWidth: 0.8, strokeOpacity: 0.75 })],
  }));
}

function rankChart(series) {
  const bins = series.ranks[0].length;
  const bars = series.ranks.flatMap((row, c) => row.map((n, b) => ({ chain: "chain " + (c + 1), colour: chainColour(c), x1: b / bins, x2: (b + 1) / bins, n })));
  const mean = series.draws / bins;
  return figure("Ranks", "Ranks of each chain's draws among all draws: flat where chains agree. The line is what every class would have.", () => ({
    fx: { label: null, padding: 0.08 },
    x: { label: "rank, smallest to largest →", ticks: [], inset: 0 }, y: { label: null, ticks: 3, tickFormat: tick, domain: [0, Math.max(...bars.map((b) => b.n)) * 1.05] },
    marks: [
      Plot.rect(bars, { fx: "chain", x1: "x1", x2: "x2", y1: 0, y2: "n", fill: "colour", insetLeft: 0.3, insetRight: 0.3 }),
      Plot.ruleY([mean], { stroke: "currentColor", strokeDasharray: "3,3" }),
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
    marks: [Plot.ruleY([0]), Plot.line(rows, { x: "x", y: "y", z: "chain", stroke: (d) => chainColour(d.chain), strokeWidth: 1.5 })],
  }));
}
