"""Fit data frames with the program ``pipeline`` of glmbatch, and read its ledgers.

    import glmbatch
    fit = glmbatch.fit(frame, "y ~ x + (1 | g)", family="poisson")
    fit.verdict, fit.summary(), fit.draws()["x"], fit.effects("x")
    glmbatch.Ledger("nightly.duckdb").sql("SELECT * FROM latest")

A frame is a pandas DataFrame, or a dict of columns. Without pandas, tables are
lists of dicts; without numpy, draws are lists of one list for each chain.
"""

import csv
import datetime
import io
import json
import math
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import weakref

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None

__all__ = ["Error", "Fit", "Ledger", "fit"]
_DATA, _MODEL, _SAMPLER, _MISSING = "data", "model", "sampler", "NA"


class Error(RuntimeError):
    """The program refused a call, or a fit ended in an error. The text is the program's."""


def _program():
    installed = os.path.join(sysconfig.get_path("scripts"), "pipeline")  # by the wheel, next to this Python
    path = os.environ.get("GLMBATCH_PIPELINE") or shutil.which(installed) or shutil.which("pipeline")
    if not path:
        raise Error("the program pipeline is not in the PATH: install it, or set GLMBATCH_PIPELINE to its path")
    return path


def _call(*args, accept=(0,)):
    """Run a verb of the program and return its standard output."""
    done = subprocess.run([_program(), *args], capture_output=True, encoding="utf-8")
    if done.returncode not in accept:
        raise Error((done.stderr or done.stdout).strip())
    return done.stdout


def _table(text):
    """Return JSON rows of the program as a DataFrame, or as a list of dicts without pandas."""
    rows = json.loads(text or "[]")
    special = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    for row in rows:
        for key, value in row.items():
            if isinstance(value, str) and value in special:
                row[key] = special[value]
    return rows if pandas is None else pandas.DataFrame(rows)


class Ledger:
    """A DuckDB file that the program wrote. It is opened for reading, one call at a time."""

    def __init__(self, path):
        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            raise Error(f"there is no ledger {self.path}")

    def sql(self, query):
        """Return the rows of a query as a DataFrame, or as a list of dicts without pandas."""
        return _table(_call("sql", "--database", self.path, "--format", "json", query))

    def fits(self):
        """Return the newest fit of each name: numbers, names and verdicts."""
        return self.sql("SELECT fit_id, pipeline, dataset, key, model, sampler, verdict, state FROM latest")

    def fit(self, number):
        """Return a fit by its number (fit_id)."""
        return Fit(self, int(number))


class Fit:
    """A fit of a ledger: its verdict, draws, summaries and effects."""

    def __init__(self, ledger, number, spec=None):
        self.ledger, self.number, self._spec = ledger, number, spec
        rows = json.loads(_call("show", str(number), "--all", "--database", ledger.path, "--format", "json"))["fits"]
        if not rows:
            raise Error(f"the ledger {ledger.path} has no fit {number}")
        self._facts = rows[0]

    @property
    def verdict(self):
        """pass, warn or fail. Do not rest conclusions on a fit that fails."""
        return self._facts.get("verdict", "")

    @property
    def reasons(self):
        """The reasons of the verdict, as text."""
        return list(self._facts.get("reasons") or [])

    def summary(self):
        """Return a row for each parameter: mean, sd, quantiles, R-hat and effective sample sizes."""
        rows = self._facts.get("parameter_summaries") or []
        return _table(json.dumps(rows))

    def draws(self):
        """Return a dict of parameter to draws, an array of chains × iterations."""
        text = _call("sql", "--database", self.ledger.path, "--format", "csv",
                     "SELECT parameter, chain, value FROM draws WHERE fit_id = %d ORDER BY parameter, chain, iteration" % self.number)
        rows = csv.reader(io.StringIO(text))
        next(rows)
        out = {}
        for name, chain, value in rows:
            chains = out.setdefault(name, {})
            chains.setdefault(int(chain), []).append(float(value) if value else math.nan)
        order = [row["name"] for row in self._facts.get("parameter_summaries") or []]
        names = [n for n in order if n in out] + [n for n in out if n not in order]
        out = {name: [out[name][c] for c in sorted(out[name])] for name in names}
        return out if numpy is None else {name: numpy.array(values) for name, values in out.items()}

    def to_xarray(self):
        """Return the draws as an xarray Dataset with the dimensions chain and draw."""
        import xarray
        draws = self.draws()
        return xarray.Dataset({name: (("chain", "draw"), values) for name, values in draws.items()})

    def to_inference_data(self):
        """Return the draws as ArviZ InferenceData."""
        import arviz
        return arviz.from_dict(posterior=self.draws())

    def effects(self, variable, **options):
        """Return means of the response at values of a variable, as pipeline effects does.

        Options are its flags, with underscores: at="age=30,50", contrast="pairwise", average=True.
        """
        if self._spec is None:
            raise Error("effects needs the data: call it on the result of fit()")
        return _table(_call("effects", self._spec, variable, "--format", "json", *_flags(options)))


def _flags(options):
    """Return keyword arguments as flags; lists repeat a flag, and None leaves it out."""
    out = []
    for name, value in options.items():
        for v in value if isinstance(value, (list, tuple)) else [value]:
            if v is not None and v is not False:
                out += ["--" + name.replace("_", "-")] + ([] if v is True else [str(v)])
    return out


def _columns(frame):
    """Return the columns of a frame by name, with the levels of categorical ones."""
    if pandas is not None and isinstance(frame, pandas.DataFrame):
        levels = {str(n): [str(v) for v in c.cat.categories] for n, c in frame.items()
                  if isinstance(c.dtype, pandas.CategoricalDtype)}
        missing = {str(n): c.isna().tolist() for n, c in frame.items()}
        columns = {str(n): [None if m else v for v, m in zip(c.tolist(), missing[str(n)])] for n, c in frame.items()}
        return columns, levels
    return {str(n): list(c) for n, c in frame.items()}, {}


def _cell(value):
    """Return a cell of the CSV file."""
    if value is None or isinstance(value, float) and math.isnan(value):
        return _MISSING
    if isinstance(value, bool) or numpy is not None and isinstance(value, numpy.bool_):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat(sep=" ") if isinstance(value, datetime.datetime) else value.isoformat()
    return str(value)


def _write(columns, path):
    """Write a CSV file, and return the columns that are text."""
    sizes = {len(c) for c in columns.values()}
    if len(sizes) != 1 or sizes == {0}:
        raise Error("a frame has columns of one length, and at least one row")
    text = []
    for name, values in columns.items():
        if any(isinstance(v, str) for v in values):
            text.append(name)
            if _MISSING in values:
                raise Error(f'column "{name}": the text "{_MISSING}" stands for a missing cell; rename that level')
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(columns)
        out.writerows(zip(*([_cell(v) for v in c] for c in columns.values())))
    return text


def fit(frame, formula, family="gaussian", *, link=None, prior=None, method="auto", seed=1, ledger=None, run=None,
        **model):
    """Fit a data frame by a formula, and return a Fit.

    prior, run and further arguments are keys of a spec, for example prior={"coefficients": "normal(0, 2.5)"},
    run={"chains": 4, "loo": True}, standardize="none". With ledger the fit is added to this file; else it is in a
    temporary folder, which is deleted with the Fit.
    """
    folder = tempfile.mkdtemp(prefix="glmbatch-")
    try:
        out = _fit(folder, frame, {"formula": formula, "family": family, "link": link, "prior": prior, **model}, method,
                   seed, ledger, run)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(out, shutil.rmtree, folder, True)
    return out


def _fit(folder, frame, m, method, seed, ledger, run):
    """Write data and spec to a folder, run them, and return the Fit."""
    where = lambda name: os.path.join(folder, name)
    columns, levels = _columns(frame)
    source = {"path": where("data.csv"), "null_values": [_MISSING]}
    text = _write(columns, source["path"])
    if text:
        source["types"] = {name: "text" for name in text}
    m = {key: value for key, value in m.items() if value is not None}
    used = {name: of for name, of in levels.items()
            if len(of) > 1 and re.search(r"(?<![\w.])%s(?![\w.])" % re.escape(name), m["formula"])}
    if used and "levels" not in m:
        m["levels"] = used
    path = os.path.abspath(ledger) if ledger else where("ledger.duckdb")
    spec = {"pipeline": "python", "database": path, "seed": seed, "datasets": {_DATA: source}, "models": {_MODEL: m},
            "samplers": {_SAMPLER: {"method": method}}}
    if run:
        spec["run"] = run
    with open(where("spec.yaml"), "w", encoding="utf-8") as f:
        json.dump(spec, f, default=str)
    allow = [flag for d in (folder, os.path.dirname(path)) for flag in ("--allow", d)]
    outcome = json.loads(_call("run", where("spec.yaml"), "--output", "json", *allow, accept=(0, 1)))
    result = outcome["fits"][0]
    if result.get("verdict") == "error" or not result.get("fit_id"):
        raise Error("\n".join(result.get("reasons") or ["the fit is not in the ledger"]))
    return Fit(Ledger(path), result["fit_id"], where("spec.yaml"))
