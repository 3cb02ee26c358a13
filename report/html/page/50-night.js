// The overview of a night. Its table stands in the page as plain HTML, for readers
// without scripts; here it becomes one that sorts and filters.

function overview(page) {
  const place = byId("overview-table");
  if (!place || page.fits.length < 2) return;
  const order = ["error", "fail", "", "warn", "pass"];
  const columns = [
    { title: "Verdict", value: (f) => order.indexOf(f.verdict), text: (f) => f.verdict || f.action, classOf: (f) => "v-" + (f.verdict || "none") },
    { title: "Fit", head: true, value: fitName, text: fitName, cell: (f) => el("a", { href: "#fit-" + page.fits.indexOf(f) }, name(fitName(f))) },
    { title: "Why", value: (f) => f.reasons.join(" "), text: (f) => f.reasons.join("; "), cell: (f) => (f.reasons.length === 0 ? "" : f.reasons[0].split("\n")[0] + (f.reasons.length > 1 ? " (and " + (f.reasons.length - 1) + " more)" : "")) },
    { title: "Largest R-hat", numeric: true, descending: true, value: (f) => f.rhat_max, text: (f) => number(f.rhat_max, 4) },
    { title: "Least bulk ESS", numeric: true, value: (f) => f.ess_min, text: (f) => whole(f.ess_min) },
    { title: "Draws", numeric: true, descending: true, value: (f) => f.chains * f.draws, text: (f) => (f.draws ? f.chains + " × " + f.draws : "—") },
    { title: "Seconds", numeric: true, descending: true, value: (f) => f.seconds, text: (f) => number(f.seconds, 3) },
  ];
  const only = el("select", { "data-verdict": "" }, ["all verdicts", "error or fail", "error", "fail", "warn", "pass"].map((v) => el("option", {}, v)));
  const table = new DataTable(page.fits, columns, {
    label: "Fits, failures first", filterText: (f) => fitName(f) + " " + f.verdict + " " + f.reasons.join(" "), pageSize: 100, filterLabel: "Filter fits", extra: el("label", {}, "Show", only),
  });
  table.table.id = "overview-table";
  only.addEventListener("change", () => {
    const v = only.value;
    table.keep = v === "all verdicts" ? () => true : v === "error or fail" ? (f) => f.verdict === "error" || f.verdict === "fail" : (f) => f.verdict === v;
    table.page = 0;
    table.refresh();
  });
  place.closest(".wide").replaceWith(table.node);
}

function earlierRuns(page) {
  if (page.runs.length < 2) return;
  const kinds = ["error", "fail", "warn", "pass"];
  byId("overview-runs").replaceChildren(el("h3", {}, "Runs of this pipeline, newest first"),
    simpleTable("Runs of this pipeline", ["Started", "Run", "#Exit code", "#Seconds", ...kinds.map((k) => "#" + k)],
      page.runs.map((r) => [clock(r.started), el("code", {}, r.id), r.exit_code === null ? "did not end" : String(r.exit_code), number(r.seconds, 3), ...kinds.map((k) => String(r.counts[k] || 0))])));
}
