// Intervals as rows, and groups: how much lies between levels, and each level's effect.

// shortened cuts a name for an axis; the mark's title has the whole name.
const shortened = (text, most) => ([...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text);

// leftOf is the room that labels need at the left of a picture.
const leftOf = (labels, width) => Math.min(width * 0.4, 24 + 6.6 * Math.max(2, ...labels.map((l) => [...l].length)));

// intervalRows are the marks of rows {y, q: five quantiles, strong, title}: thin for 95 %, thick for 50 %, a dot at the median.
function intervalRows(rows, colour, dot = 3) {
  const known = rows.filter((r) => r.q[0] !== null && r.q[4] !== null);
  return [
    Plot.ruleY(known, { y: "y", x1: (r) => r.q[0], x2: (r) => r.q[4], stroke: colour, strokeWidth: 1.4 }),
    Plot.ruleY(known.filter((r) => r.q[1] !== null), { y: "y", x1: (r) => r.q[1], x2: (r) => r.q[3], stroke: colour, strokeWidth: dot + 1 }),
    Plot.dot(known.filter((r) => r.q[2] !== null), { y: "y", x: (r) => r.q[2], r: dot, fill: "var(--paper)", stroke: colour, strokeWidth: 1.6, title: "title" }),
  ];
}

// sdCharts show the standard deviations, those of one term, and so of one unit, on one axis; shareChart shows intraclass
// correlations.
const sdCharts = (terms) => [...new Set(terms.map((t) => t.term))].map((term) => sdChart(term, terms.filter((t) => t.term === term)));

function sdChart(term, terms) {
  const rows = terms.map((t, i) => ({ y: i, label: t.term + " by " + t.grouping, q: t.quantiles, title: t.term + " by " + t.grouping + ": " + number(t.quantiles[2], 3) + " [" + number(t.quantiles[0], 3) + ", " + number(t.quantiles[4], 3) + "]" }));
  return figure("Standard deviation among levels, " + term, "In the units of the data: 95 % and 50 % intervals with medians.", (width) => rowPlot(rows, width, { rule: 0 }));
}

// rowPlot sets labelled rows one under the other; a row with a head is a heading.
function rowPlot(rows, width, { rule = null, log = false, domain, colour = () => "var(--c1)" } = {}) {
  const marginLeft = leftOf(rows.map((r) => r.label), width), room = Math.floor((marginLeft - 10) / 6.4);
  const values = rows.flatMap((r) => r.q).filter((v) => v !== null && (!log || v > 0));
  const low = Math.min(...values, rule ?? Infinity), high = Math.max(...values, rule ?? -Infinity), pad = log ? 0 : (high - low) * 0.03 || 1;
  const ticks = { label: null, ticks: Math.max(3, Math.floor((width - marginLeft) / 80)), tickFormat: tick };
  return {
    height: 56 + 20 * rows.length, marginLeft, marginRight: 20, marginTop: 24, marginBottom: 28,
    x: { ...ticks, axis: null, type: log ? "log" : "linear", domain: domain || (log ? [low / 1.05, high * 1.05] : [low - pad, high + pad]) },
    y: { domain: [rows.length - 0.5, -0.5], axis: null },
    marks: [Plot.gridX(ticks), Plot.axisX({ ...ticks, anchor: "bottom" }), rows.length > 20 && Plot.axisX({ ...ticks, anchor: "top" }), rule !== null && Plot.ruleX([rule]), ...intervalRows(rows, colour),
      Plot.text(rows.filter((r) => !r.head), { y: "y", text: (r) => shortened(r.label, room), frameAnchor: "left", textAnchor: "end", dx: -8, title: "label" }),
      Plot.text(rows.filter((r) => r.head), { y: "y", text: (r) => shortened(r.head, Math.floor(width / 8)), frameAnchor: "left", textAnchor: "start", dx: 8 - marginLeft, fontWeight: 600 })].filter(Boolean),
  };
}

function shareChart(terms) {
  const rows = terms.filter((t) => t.icc[0] !== null).map((t, i) => ({ y: i, label: t.grouping, q: [t.icc[1], null, t.icc[0], null, t.icc[2]], title: number(t.icc[0], 3) + " [" + number(t.icc[1], 3) + ", " + number(t.icc[2], 3) + "]" }));
  if (rows.length === 0) return null;
  return figure("Intraclass correlation", "Share of the variance that lies between levels, on the scale of the linear predictor: mean and 95 % interval.", (width) => rowPlot(rows, width, { domain: [0, 1] }));
}

// levelsOf lays the levels of a term out from the largest effect to the smallest: where not all are shown, the ends have
// rows with names, and the levels between them a narrow line each.
function levelsOf(t) {
  const e = t.effects, whole = e.rank.length === t.levels;
  const rows = [];
  let y = 0;
  for (let i = e.rank.length - 1; i >= 0; i--) {
    const end = whole || e.rank[i] <= 12 || e.rank[i] > t.levels - 12;
    const after = i < e.rank.length - 1 && e.rank[i] < e.rank[i + 1] - 1 || !end;
    y += end ? 16 : 3.2;
    rows.push({ y, end, after, level: e.level[i], mean: e.mean[i], told: e.told[i], q: [e.q025[i], e.q25[i], e.median[i], e.q75[i], e.q975[i]],
      title: e.level[i] + ": " + number(e.median[i], 3) + " [" + number(e.q025[i], 3) + ", " + number(e.q975[i], 3) + "]" });
  }
  return { rows, whole, height: y + 12 };
}

function caterpillar(t) {
  const { rows, whole, height } = levelsOf(t);
  const apart = rows.filter((r) => r.q[0] > 0 || r.q[4] < 0).length;
  const words = "Effect of each level, to be added to the coefficient of the term, by size: 95 % and 50 % intervals. " + (whole ? apart + " of " + plural(t.levels, "level") + " leave 0 out, in colour." :
    "Of " + t.levels + " levels the 12 largest and smallest have names; of those between, " + rows.filter((r) => !r.end).length + " at even ranks are drawn. Those in colour leave 0 out.");
  return figure(t.term + " by " + t.grouping, words, (width) => {
    const named = rows.filter((r) => r.end), marginLeft = leftOf(named.map((r) => r.level), width), room = Math.floor((marginLeft - 10) / 6.2);
    const colour = (r) => (r.q[0] > 0 || r.q[4] < 0 ? "var(--c1)" : "var(--quiet)");
    const ticks = { label: null, ticks: Math.max(3, Math.floor((width - marginLeft) / 90)), tickFormat: tick };
    return {
      height: height + 60, marginLeft, marginTop: 26, marginRight: 16, x: { ...ticks, axis: null }, y: { domain: [height, 0], axis: null },
      marks: [Plot.gridX(ticks), Plot.axisX({ ...ticks, anchor: "bottom" }), height > 500 && Plot.axisX({ ...ticks, anchor: "top" }), Plot.ruleX([0]), ...intervalRows(named, colour, 2.4), ...intervalRows(rows.filter((r) => !r.end), colour, 0.8),
        Plot.text(named, { y: "y", text: (r) => shortened(r.level, room), frameAnchor: "left", textAnchor: "end", dx: -8, fontSize: 11, title: (r) => r.level })].filter(Boolean),
    };
  });
}

// shrinkage draws each level's effect against the share of it that its own rows determine.
function shrinkage(t) {
  const { rows } = levelsOf(t);
  const known = rows.filter((r) => r.told !== null && r.mean !== null).map((r) => ({ ...r, title: r.level + ": effect " + number(r.mean, 3) + ", " + number(100 * r.told, 2) + " % from its own rows" }));
  if (known.length < 2) return null;
  return figure("Shrinkage, " + t.term + " by " + t.grouping, "Mean effect of a level against the share of it that the level's own rows determine (1 − its variance over that among levels). Levels at the left have few or noisy rows and stay near 0, where all levels lie.", () => ({
    height: 260, marginRight: 20, x: { label: "share from own rows →", domain: [0, 1], ticks: 5, tickFormat: "%" }, y: { label: null, grid: true, tickFormat: tick, ticks: 5, nice: true },
    marks: [Plot.ruleY([0]), Plot.dot(known, { x: "told", y: "mean", r: 3, fill: "var(--c1)", fillOpacity: 0.7, title: "title" })],
  }));
}

function groupPictures(detail) {
  if (!detail.terms) return [];
  const drawn = detail.terms.filter((t) => t.effects.rank && t.effects.rank.length > 0);
  return [el("h3", {}, "Groups"), groupsOf(detail.groups), el("div", { class: "charts" }, sdCharts(detail.terms), shareChart(detail.terms)),
    drawn.map((t) => el("div", { class: "charts" }, caterpillar(t), shrinkage(t)))];
}

// curveChart draws a smooth with its bands.
function curveChart(c) {
  const points = c.x.map((x, i) => ({ x, q: c.of[i] })).filter((p) => p.x !== null && p.q.every((v) => v !== null));
  const title = c.smooth + (c.level ? ", " + c.level : "");
  return figure(title, "The curve on the scale of the linear predictor, around its mean: median, 50 % and 95 % bands, each at its x alone.", () => ({
    height: 240, x: { label: null, tickFormat: tick, ticks: 6 }, y: { label: null, grid: true, tickFormat: tick, ticks: 5, nice: true },
    marks: [Plot.areaY(points, { x: "x", y1: (p) => p.q[0], y2: (p) => p.q[4], fill: "var(--c1)", fillOpacity: 0.18 }),
      Plot.areaY(points, { x: "x", y1: (p) => p.q[1], y2: (p) => p.q[3], fill: "var(--c1)", fillOpacity: 0.32 }),
      Plot.ruleY([0]), Plot.line(points, { x: "x", y: (p) => p.q[2], stroke: "var(--c1)", strokeWidth: 2 })],
  }));
}

const smoothPictures = (detail) => detail.curves && [el("h3", {}, "Smooths"), el("div", { class: "charts" }, detail.curves.map(curveChart))];
