// What is shown is named behind the address's #, so that links, the way back and
// a reload work, also from a file.

function start() {
  const page = dataOf("data-page");
  page.fits = rowsOf(page.fits);
  const tabs = [["#overview", "Overview"], ...(page.fits.length === 1 ? [["#fit-0", "Fit"]] : []), ["#compare", "Samplers"], ["#drift", "Drift"]];
  const titles = { compare: "Samplers", drift: "Drift" };
  const view = byId("view"), front = byId("run"), title = document.title;

  const show = (moved) => {
    const place = location.hash.replace(/^#/, "") || (page.fits.length === 1 ? "fit-0" : "overview");
    if (place === "main") return; // the link that skips to the content
    const fit = /^fit-(\d+)$/.exec(place);
    const index = fit ? Number(fit[1]) : -1;
    let content = null;
    drawings = [];
    if (fit && page.fits[index]) content = fitPage(page, index);
    else if (place === "compare") content = comparePage(page);
    else if (place === "drift") content = driftPage(page);
    front.hidden = content !== null;
    view.hidden = content === null;
    view.replaceChildren(...(content || []).flat(Infinity).filter(Boolean));
    document.title = (content === null ? "" : fit ? fitName(page.fits[index]) + " · " : titles[place] + " · ") + title;
    byId("tabs").replaceChildren(...tabs.map(([href, words]) => el("a", { href, "aria-current": href === "#" + place || (href === "#overview" && (content === null || (fit && page.fits.length > 1))) ? "page" : null }, words)));
    if (content === null) drawings = [results];
    drawAll();
    if (moved) {
      byId("main").focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
  };

  overview(page);
  const results = resultsOf(page);
  earlierRuns(page);
  themeSwitch();
  show(false);
  window.addEventListener("hashchange", () => show(true));
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    drawAll();
  });
  document.addEventListener("keydown", (e) => { // / goes to the filter, as elsewhere
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    const box = [...document.querySelectorAll("[data-filter]")].find((b) => b.offsetParent !== null);
    if (!box) return;
    e.preventDefault();
    box.focus();
  });
}

// themeSwitch goes round: as the system has it, light, dark.
function themeSwitch() {
  const schemes = ["system", "light", "dark"];
  let now = "system";
  try { now = localStorage.getItem("glmbatch-scheme") || now; } catch { /* a page from a file may have no storage */ }
  const button = el("button", { type: "button", "data-scheme-switch": "" });
  const apply = () => {
    if (now === "system") document.documentElement.removeAttribute("data-scheme");
    else document.documentElement.setAttribute("data-scheme", now);
    button.textContent = "Colours: " + now;
  };
  button.addEventListener("click", () => {
    now = schemes[(schemes.indexOf(now) + 1) % schemes.length];
    try { localStorage.setItem("glmbatch-scheme", now); } catch { /* then it lasts for this visit */ }
    apply();
  });
  apply();
  byId("theme").append(button);
}

start();
