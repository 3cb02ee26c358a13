"""Tests of the client. Run: GLMBATCH_PIPELINE=bin/pipeline python3 -m unittest clients/python/test_glmbatch.py"""

import math
import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import glmbatch


def frame():
    random.seed(3)
    x = [random.gauss(0, 1) for _ in range(60)]
    return {"y": [1 + 2 * v + random.gauss(0, 0.5) for v in x], "x": x, "g, h": ["1", "2", 'a "b"'] * 20,
            "flag": [True, False] * 30, "hole": [None if i == 3 else float(i) for i in range(60)]}


class Client(unittest.TestCase):
    def test_fit(self):
        f = glmbatch.fit(frame(), "y ~ x + `g, h`", run={"chains": 2})
        self.assertEqual(f.verdict, "pass", f.reasons)
        draws = f.draws()
        self.assertEqual(list(draws)[:2], ["(Intercept)", "x"])
        self.assertEqual(len(draws["x"]), 2)
        values = [v for chain in draws["x"] for v in chain]
        rows = f.summary()
        rows = rows if isinstance(rows, list) else rows.to_dict("records")
        x = next(r for r in rows if r["name"] == "x")
        self.assertAlmostEqual(sum(values) / len(values), x["mean"], places=9)
        self.assertLess(abs(x["mean"] - 2), 0.4)
        e = f.effects("x", at="x=0,1")
        e = e if isinstance(e, list) else e.to_dict("records")
        self.assertAlmostEqual(e[1]["mean"] - e[0]["mean"], x["mean"], places=6)

    def test_cells(self):
        f = glmbatch.fit(frame(), "y ~ x + hole + flag", missing="drop")
        self.assertEqual(f._facts["rows"], 59)
        self.assertIn("flagTRUE", f.draws())
        bad = frame()
        bad["g, h"][0] = "NA"
        with self.assertRaisesRegex(glmbatch.Error, "stands for a missing cell"):
            glmbatch.fit(bad, "y ~ x")

    def test_errors(self):
        with self.assertRaisesRegex(glmbatch.Error, 'there is no column "z"'):
            glmbatch.fit(frame(), "y ~ z")
        with self.assertRaisesRegex(glmbatch.Error, "columns of one length"):
            glmbatch.fit({"y": [1], "x": []}, "y ~ x")
        with self.assertRaisesRegex(glmbatch.Error, "there is no ledger"):
            glmbatch.Ledger("none.duckdb")

    def test_ledger(self):
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "l.duckdb")
            f = glmbatch.fit(frame(), "y ~ x", ledger=path)
            ledger = glmbatch.Ledger(path)
            rows = ledger.sql("SELECT 'NaN'::DOUBLE AS nothing, fit_id, verdict FROM latest")
            rows = rows if isinstance(rows, list) else rows.to_dict("records")
            self.assertTrue(math.isnan(rows[0]["nothing"]))
            again = ledger.fit(rows[0]["fit_id"])
            self.assertEqual(again.verdict, f.verdict)
            with self.assertRaisesRegex(glmbatch.Error, "effects needs the data"):
                again.effects("x")

    @unittest.skipIf(glmbatch.pandas is None, "pandas is not installed")
    def test_pandas(self):
        import pandas
        data = pandas.DataFrame(frame())
        data["size"] = pandas.Categorical(["small", "large", "huge"] * 20, categories=["small", "large", "huge"])
        f = glmbatch.fit(data, "y ~ x + size")
        self.assertIn("sizelarge", f.draws())
        self.assertIsInstance(f.summary(), pandas.DataFrame)
        try:
            import xarray
        except ImportError:
            return
        self.assertEqual(f.to_xarray()["x"].dims, ("chain", "draw"))


if __name__ == "__main__":
    unittest.main()
