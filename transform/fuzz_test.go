package transform

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// fuzzTable reads a small table from bytes: y, then columns of all kinds, with
// missing cells, NaN, infinities and extreme numbers among them.
func fuzzTable(t *testing.T, data []byte) arrow.Table {
	extreme := []float64{0, 1, 2, -3, 0.5, 1e9, 1e9 + 1, math.NaN(), math.Inf(1), 1e139, -1e139, 1e300, 1e-300, math.SmallestNonzeroFloat64, math.Copysign(0, -1), 1e-145}
	next := func() byte {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return b
	}
	rows, chunk := int(next()%20), int(next()%4)
	var cols []col
	for _, name := range []string{"y", "a", "b", "sigma", "(Intercept)"} {
		kind := next() % 6
		c := col{name: name}
		var numbers []float64
		var counts []int64
		var words []string
		var flags []bool
		for i := range rows {
			v := next()
			if v >= 250 {
				c.missing = append(c.missing, i)
			}
			numbers = append(numbers, extreme[int(v)%len(extreme)])
			counts = append(counts, int64(v%5))
			words = append(words, string('a'+rune(v%7)))
			flags = append(flags, v%2 == 0)
		}
		c.values = []any{numbers, counts, words, flags, counts, counts}[kind]
		cols = append(cols, c)
	}
	return makeTable(t, chunk, cols...)
}

// Any small table gives a typed error, or a design of finite numbers under
// distinct names, whose record survives JSON and brings finite draws back.
func FuzzBuild(f *testing.F) {
	f.Add("y ~ .", uint8(0), []byte("\x08\x02\x04abcdefgh\x00abcdefgh\x02abcdefgh\x03abcdefgh\x01abcdefgh"))
	f.Add("y ~ a + b - 1", uint8(77), []byte("\x05\x00\x01abcde\x00\x01\x02\x03\x04\x05\x02abcde"))
	f.Add("y | trials(b) ~ a + offset(log(sigma))", uint8(130), []byte("\x04\x01\x01aaaa\x00abcd\x04bbbb\x04bbbb"))
	f.Add("y ~ (a + b)^2 - a", uint8(3), []byte("\x08\x02\x01abcdefgh\x02abcdefgh\x03abcdefgh\x03abcdefgh\x01abcdefgh"))
	f.Add("log(y + 9) ~ poly(a, 2):b + ns(a, 2)", uint8(0), []byte("\x09\x02\x01abcdefghi\x01abcdegibc\x02abcdefghi\x03abcdefghi\x01abcdefghi"))
	f.Add("y ~ bs(a, 4) %in% factor(b) + scale(sigma) + I(a^3/2)", uint8(9), []byte("\x09\x02\x01abcdefghi\x01abcdegibc\x01abcdefghi\x01abcdefghi\x01abcdefghi"))
	f.Add("y ~ a + (a | b) + (0 + sigma || b:sigma)", uint8(0), []byte("\x09\x02\x01acbdebabd\x01abcdeabce\x02abcababcd\x01cdabcabcd\x01abcdefghi"))
	f.Add("y | se(sigma) ~ (b * a | factor(sigma)/b)", uint8(0), []byte("\x09\x02\x01acbdebabd\x01abcdeabce\x02abababaab\x01bcebcebce\x01abcdefghi"))
	f.Add("y ~ bs(a, 4) * scale(a)", uint8(5), []byte("z02010+"))
	f.Fuzz(func(t *testing.T, formula string, choice uint8, data []byte) {
		parsed, err := ParseFormula(formula)
		if err != nil {
			return
		}
		pick := func(words ...string) string {
			n := uint8(len(words))
			word := words[choice%n]
			choice /= n
			return word
		}
		spec := Spec{Dataset: "d", Formula: parsed, Family: familyNamed(pick("gaussian", "bernoulli", "binomial", "poisson")),
			Standardize: pick("none", "center_scale", "max_abs"), Missing: pick("error", "drop"), InterceptAt: pick("", "means", "zero")}
		d, err := Build(fuzzTable(t, data), spec)
		if err != nil {
			var inFormula *FormulaError
			var inColumn *ColumnError
			var inTable *TableError
			if !errors.As(err, &inFormula) && !errors.As(err, &inColumn) && !errors.As(err, &inTable) {
				t.Errorf("an error of type %T: %v", err, err)
			}
			return
		}
		mustBeFinite(t, d.Data)
		if repeated := firstRepeated(d.Data.Names); repeated != "" {
			t.Errorf("%q names two columns", repeated)
		}
		theta := make([]float64, d.Data.Cols())
		for j := range theta {
			theta[j] = float64(j) - 1.5
		}
		d.Record.ToData(theta)
		if slices.ContainsFunc(theta, func(v float64) bool { return v-v != 0 }) {
			t.Errorf("a draw became %v with %+v", theta, d.Record.Columns)
		}
		text, err := json.Marshal(d.Record)
		must(t, err)
		record, err := UnmarshalRecord(text)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		again, err := record.Code(fuzzTable(t, data), Coding{Response: true})
		if err != nil || showEffects(again) != showEffects(d) || !slices.Equal(cells(again.Data.X), cells(d.Data.X)) || !slices.Equal(again.Data.Y, d.Data.Y) || !slices.Equal(again.Data.Offset, d.Data.Offset) {
			t.Errorf("the same rows are coded otherwise by %s: %v", text, err)
		}
	})
}
