package report

import (
	"bytes"
	"context"
	"testing"
)

func TestQuery(t *testing.T) {
	l := open(t, Options{})
	store(t, l, sampleFit("f1"), sampleFit("f2"))
	for _, q := range []string{
		"SELECT * FROM coefficients", "SELECT * FROM draws WHERE parameter = 'glu' LIMIT 3", "SELECT * FROM comparison",
		"SELECT * FROM drift", "SHOW TABLES", "SELECT table_name, comment FROM duckdb_tables()", "SELECT * FROM run_fit",
		"SELECT 1.5::DECIMAL(4,2) d, DATE '2020-01-02' x, TIMESTAMP '2020-01-02 03:04:05' ts, now() n, 'NaN'::DOUBLE nan, [1.5,2] l, {'a': 1, 'b': 'x'} s, MAP {'k': 1} m, NULL, INTERVAL 3 DAY i, uuid() u, 'a'::BLOB b, 170141183460469231731687303715884105727 h, '{\"z\":[1,2]}'::JSON j, TIME '01:02:03' tm",
		"CREATE TABLE x (a INT)", "SELECT * FROM nope", "SELEC 1",
	} {
		for _, f := range []Format{Table, CSV, JSON} {
			var b bytes.Buffer
			err := l.Query(context.Background(), &b, QueryOptions{Format: f}, q)
			t.Logf("%s\n%s\n%v", q, b.String(), err)
		}
	}
	var b bytes.Buffer
	err := l.Query(context.Background(), &b, QueryOptions{Format: Parquet}, "SELECT * FROM draws WHERE parameter = ? -- c", "glu")
	t.Log(b.Len(), err)
}
