// Missing cells that were drawn with the coefficients, beside those that are there; and imputations of another program,
// beside each other.

// binRows are the classes of a column as shares: of the observed cells, and of the missing ones over the draws.
function binRows(c) {
  const share = (v) => (v === null ? null : v / c.missing);
  return c.bins.map((b) => ({ ...b, seen: c.observed > 0 ? b.observed / c.observed : 0, drawn: share(b.mean), q: b.quantiles.map(share) }));
}

const binTitle = (what, r) => what + ": " + percent(r.seen) + " of the observed cells, " + percent(r.drawn) + " [" + percent(r.q[0]) + ", " + percent(r.q[4]) + "] of the missing ones";

const imputedLegend = () => el("ul", { class: "legend", "aria-label": "Marks" }, ["observed", "imputed"].map((l, i) => {
  const mark = el("i", {});
  mark.style.borderTopColor = i === 0 ? "var(--band)" : "var(--c1)";
  if (i === 0) mark.style.borderTopWidth = "0.7rem";
  return el("li", {}, mark, l);
}));

// few reports whether a column misses so few cells that intervals of a class have two or three values.
const few = (c) => c.missing < 20;

const binWords = (c) => "Bars: the cells that are there. Dots: mean shares of the missing ones over the draws" + (few(c) ? "." : ", with 95 % and 50 % intervals.");

// numberBins draws a column of numbers.
function numberBins(c) {
  const inner = c.bins.filter((b) => b.low !== null && b.high !== null), width = inner[0].high - inner[0].low;
  const counts = ["poisson", "negative_binomial", "binomial"].includes(c.family), shift = counts ? -0.5 : 0;
  let rows = binRows(c).map((b) => {
    const low = b.low === null ? b.high - width : b.low, high = b.high === null ? b.low + width : b.high, open = b.low === null || b.high === null;
    const what = b.low === null ? "below " + tick(b.high) : b.high === null ? "from " + tick(b.low) + " on" : counts && width === 1 ? tick(b.low) : tick(b.low) + " to " + tick(counts ? b.high - 1 : b.high);
    return { ...b, open, low: low + shift, high: high + shift, x: (low + high) / 2 + shift, title: binTitle(what, b) };
  });
  const seen = rows.filter((r) => r.seen > 0), beyond = d3.sum(rows.filter((r) => r.high <= seen[0].low || r.low >= seen[seen.length - 1].high), (r) => r.drawn);
  const empty = (r) => r.seen === 0 && r.q[4] === 0 && r.drawn < 0.002; // at the ends these are room for nothing
  rows = rows.slice(rows.findIndex((r) => !empty(r)), rows.findLastIndex((r) => !empty(r)) + 1);
  const words = binWords(c) + (beyond > 0.005 ? " " + percent(beyond) + " of the missing ones lie beyond all observed values." : "") + (rows.some((r) => r.open) ? " Pale: as far as they may go." : "");
  const faint = (r) => (r.open ? 0.5 : 1);
  return figure(c.variable + ", observed and imputed", words, () => ({
    height: 250, marginBottom: 28, x: { label: null, tickFormat: tick, ticks: 6 }, y: { label: null, grid: true, ticks: 5, tickFormat: "%", domain: [0, 1.05 * mostOf(c, rows)] },
    marks: [Plot.rect(rows, { x1: "low", x2: "high", y1: 0, y2: "seen", fill: "var(--band)", insetLeft: 0.5, insetRight: 0.5, title: "title" }),
      Plot.line(rows, { x: "x", y: "drawn", stroke: "var(--c1)", strokeWidth: 1.2, strokeOpacity: 0.6 }),
      !few(c) && Plot.ruleX(rows, { x: "x", y1: (r) => r.q[0], y2: (r) => r.q[4], stroke: "var(--c1)", strokeWidth: 1.5, strokeOpacity: faint }),
      !few(c) && Plot.ruleX(rows, { x: "x", y1: (r) => r.q[1], y2: (r) => r.q[3], stroke: "var(--c1)", strokeWidth: 4, strokeOpacity: faint }),
      Plot.dot(rows, { x: "x", y: "drawn", r: 2.2, fill: "var(--paper)", stroke: "var(--c1)", strokeOpacity: faint, title: "title" }), Plot.ruleY([0])].filter(Boolean),
  }));
}

// mostOf is the largest share that is drawn.
const mostOf = (c, rows) => d3.max(rows, (r) => Math.max(r.seen, r.drawn, few(c) ? 0 : r.q[4]));

// levelBins draws a column of levels, one under the other.
function levelBins(c) {
  const rows = binRows(c).map((b, i) => ({ ...b, y: i, title: binTitle(b.level, b) }));
  return figure(c.variable + ", observed and imputed", binWords(c), (width) => {
    const marginLeft = leftOf(rows.map((r) => r.level), width), room = Math.floor((marginLeft - 10) / 6.4);
    return {
      height: 36 + 30 * rows.length, marginLeft, marginRight: 24, marginTop: 8, marginBottom: 28, x: { label: null, ticks: 5, tickFormat: "%", grid: true, domain: [0, Math.min(1, 1.05 * mostOf(c, rows))] }, y: { domain: [rows.length - 0.5, -0.5], axis: null },
      marks: [Plot.rect(rows, { x1: 0, x2: "seen", y1: (r) => r.y - 0.38, y2: (r) => r.y + 0.38, fill: "var(--band)", title: "title" }), Plot.ruleX([0]),
        !few(c) && [Plot.ruleY(rows, { y: "y", x1: (r) => r.q[0], x2: (r) => r.q[4], stroke: "var(--c1)", strokeWidth: 1.5 }), Plot.ruleY(rows, { y: "y", x1: (r) => r.q[1], x2: (r) => r.q[3], stroke: "var(--c1)", strokeWidth: 4 })],
        Plot.dot(rows, { y: "y", x: "drawn", r: 3, fill: "var(--paper)", stroke: "var(--c1)", strokeWidth: 1.6, title: "title" }),
        Plot.text(rows, { y: "y", text: (r) => shortened(r.level, room), frameAnchor: "left", textAnchor: "end", dx: -8, title: "level" })].filter(Boolean).flat(),
    };
  });
}

// apartCell is the R-hat from which a cell stands out.
const apartCell = (r) => r.rhat !== null && r.rhat > 1.01;

function cellWords(c) {
  const shown = c.cells.length < c.missing ? "Of " + c.missing + " missing cells the 12 that are least certain and the 4 of the largest R-hat." : "Each missing cell.";
  return shown + (c.cells.some(apartCell) ? " Marked: an R-hat above 1.01." : "");
}

// numberCells draws missing numbers by size, over the range of those that are there.
function numberCells(c) {
  const known = c.cells.filter((r) => r.q.every((v) => v !== null)).sort((a, b) => a.q[2] - b.q[2]);
  if (known.length === 0) return null;
  const rows = known.map((r, i) => ({ ...r, y: i, label: "row " + r.row, title: "row " + r.row + ": " + number(r.q[2], 3) + " [" + number(r.q[0], 3) + ", " + number(r.q[4], 3) + "], R-hat " + fixed(r.rhat, 3) }));
  const seen = c.bins.filter((b) => b.observed > 0), range = seen.length > 0 && seen[0].low !== null && { low: seen[0].low, high: seen[seen.length - 1].high };
  return figure(c.variable + ", missing " + (c.response ? "responses" : "cells"), cellWords(c) + " 95 % and 50 % intervals with medians." + (range ? " Behind them: the range of the observed values." : ""), (width) => {
    const plot = rowPlot(rows, width, { colour: (r) => (apartCell(r) ? "var(--mark)" : "var(--c1)") }), [low, high] = plot.x.domain;
    if (range) {
      plot.x.domain = [Math.min(low, range.low), Math.max(high, range.high)];
      plot.marks.unshift(Plot.rect([range], { x1: "low", x2: "high", y1: -0.5, y2: rows.length - 0.5, fill: "var(--band)", fillOpacity: 0.45 }));
    }
    return plot;
  });
}

// levelCells draws the most probable level of missing cells, the least certain first.
function levelCells(c) {
  const known = c.cells.filter((r) => r.mean !== null && r.level).sort((a, b) => a.mean - b.mean);
  if (known.length === 0) return null;
  const rows = known.map((r, i) => ({ ...r, y: i, label: "row " + r.row + ": " + r.level, title: "row " + r.row + ": " + r.level + " with probability " + number(r.mean, 3) + ", R-hat " + fixed(r.rhat, 3) }));
  return figure(c.variable + ", missing " + (c.response ? "responses" : "cells"), cellWords(c) + " Bars: the probability of the most probable level.", (width) => {
    const marginLeft = leftOf(rows.map((r) => r.label), width), room = Math.floor((marginLeft - 10) / 6.4);
    return {
      height: 36 + 20 * rows.length, marginLeft, marginRight: 24, marginTop: 8, marginBottom: 28, x: { label: null, ticks: 5, tickFormat: "%", grid: true, domain: [0, 1] }, y: { domain: [rows.length - 0.5, -0.5], axis: null },
      marks: [Plot.rect(rows, { x1: 0, x2: "mean", y1: (r) => r.y - 0.3, y2: (r) => r.y + 0.3, fill: (r) => (apartCell(r) ? "var(--mark)" : "var(--c1)"), fillOpacity: 0.75, title: "title" }), Plot.ruleX([0]),
        Plot.text(rows, { y: "y", text: (r) => shortened(r.label, room), frameAnchor: "left", textAnchor: "end", dx: -8, title: "label" })],
    };
  });
}

function incompletePictures(detail) {
  const list = detail.incomplete;
  if (!list) return null;
  const drawn = list.filter((c) => c.bins && c.bins.length > 0), models = coefficientRows(detail.coefficients).filter((r) => r.kind === "imputation");
  return [el("h3", {}, "Missing cells"),
    el("p", { class: "quiet" }, "They are drawn in each iteration, with the coefficients. Where cells are missing at random, imputed ones need not look like observed ones: their rows may differ in what is seen of them. Shares beyond all observed values, or a shape that no value of the column could have, speak against the column's model."),
    simpleTable("Incomplete columns", ["Column", "Model", "Family", "#Missing", "#Observed", "#Largest R-hat", "#Least bulk ESS"],
      list.map((c) => [name(c.variable), [el("code", {}, name(c.formula)), c.response && ", the regression itself"], c.family, whole(c.missing), whole(c.observed), fixed(c.rhat, 3), whole(c.ess_bulk)])),
    drawn.map((c) => {
      const levels = c.bins[0].level !== undefined, picture = levels ? levelBins(c) : numberBins(c);
      picture.append(imputedLegend());
      return el("div", { class: "charts" }, picture, c.cells && (levels ? levelCells(c) : numberCells(c)));
    }),
    models.length > 0 && [el("h4", {}, "Models of the columns"), coefficientTable(models, null, "Parameters of the models of columns")]];
}

// imputationChart sets the intervals of a parameter by imputation below that of all draws.
function imputationChart(p, row) {
  const known = row.each.map((v, i) => ({ low: v[0], mid: v[1], high: v[2], y: i + 1, title: p.imputations[i] + ": " + number(v[1], 3) + " [" + number(v[0], 3) + ", " + number(v[2], 3) + "]" })).filter((r) => r.low !== null && r.high !== null);
  const step = Math.max(5, Math.min(16, 200 / row.each.length)), all = [{ y: -0.2, q: row.of, title: "all: " + number(row.of[2], 3) + " [" + number(row.of[0], 3) + ", " + number(row.of[4], 3) + "]" }];
  const words = "Above: all draws, 95 % and 50 % intervals. Below: 95 % of each imputation. Missing information " + percent(row.fmi) + ".";
  return figure(row.name, words, () => ({
    height: 70 + step * (row.each.length + 1), marginLeft: 16, marginTop: 10, marginBottom: 28, x: { label: null, ticks: 5, tickFormat: tick, grid: true, nice: true }, y: { domain: [row.each.length + 0.7, -0.8], axis: null },
    marks: [row.of[2] !== null && Plot.ruleX([row.of[2]], { stroke: "var(--c1)", strokeDasharray: "2,2" }), ...intervalRows(all, "var(--c1)"),
      Plot.ruleY(known, { y: "y", x1: "low", x2: "high", stroke: "var(--quiet)", strokeWidth: Math.min(2, step / 4) }), Plot.dot(known, { y: "y", x: "mid", r: Math.min(3, step / 3.2), fill: "var(--quiet)", title: "title" })].filter(Boolean),
  }));
}

// pooledSection tells what imputations of the data say of the parameters, by Rubin's rules.
function pooledSection(p) {
  if (!p) return null;
  const drawn = p.rows.filter((r) => r.each && r.each.length > 0);
  return [el("h3", {}, "Imputations"), el("p", {}, p.words + "."),
    simpleTable("What imputations say of the parameters", ["Parameter", "#Mean", "#sd within", "#sd between", "#sd in all", "#df", "#Increase of variance", "#Missing information", "#R-hat within", "#R-hat over all"],
      p.rows.map((r) => [name(r.name), number(r.mean), number(r.within), number(r.between), number(r.total), number(r.df, 3), number(r.riv, 3), percent(r.fmi), fixed(r.rhat, 3), fixed(r.across, 3)])),
    drawn.length < p.rows.length && drawn.length > 0 && el("p", { class: "quiet" }, "Drawn are the " + drawn.length + " parameters with the largest fraction of missing information."),
    el("div", { class: "charts" }, drawn.map((r) => imputationChart(p, r)))];
}
