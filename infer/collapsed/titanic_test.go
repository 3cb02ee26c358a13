package collapsed

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/mixture"
)

func readCSV(t *testing.T, name string) [][]string {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "testdata", "mixtures", name))
	must(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%s: %d rows, error %v", name, len(rows), err)
	}
	return rows
}

// titanic are class, sex, age and survival of 2,201 people, a row each, with categories in the order of their names.
func titanic(t *testing.T) []Column {
	rows := readCSV(t, "titanic.csv")
	columns := make([]Column, 4)
	for j := range columns {
		c := &columns[j]
		c.Name, c.Prior = rows[0][j], categoriesPrior(1)
		for _, row := range rows[1:] {
			c.Categories = append(c.Categories, row[j])
		}
		slices.Sort(c.Categories)
		c.Categories = slices.Compact(c.Categories)
		for _, row := range rows[1:] {
			people, err := strconv.Atoi(row[4])
			must(t, err)
			c.Y = append(c.Y, slices.Repeat([]float64{float64(slices.Index(c.Categories, row[j]))}, people)...)
		}
	}
	return columns
}

// Two latent classes of the people on the Titanic have the posterior means that JAGS has (testdata/mixtures/classes.R).
//
// False alarms: |z| ≤ 5.5 of 22 means, from 40 batches of 60 iterations: 1e-4, with a fixed seed. Power: 5.5 standard
// errors, which are 0.0015 or less for most; no mean may be 0.01 away, whatever its error.
func TestTitanic(t *testing.T) {
	s, err := NewClasses(titanic(t), Options{Options: mixture.Options{Components: 2, Order: "Class_Crew"}})
	must(t, err)
	const chains, batches, length = 4, 10, 60
	half := len(s.Parameters()) / 2
	sums, squares := make([]float64, half), make([]float64, half)
	position := make([]float64, 2*half)
	for c := range chains {
		k, err := s.Kernel(infer.Chain{Index: c, Count: chains, Stream: infer.NewStream(2, "titanic", strconv.Itoa(c))})
		must(t, err)
		for b := range batches + 2 { // two of warm-up
			batch := make([]float64, half)
			for range length {
				if _, err := k.Step(); err != nil {
					t.Fatal(err)
				}
				k.Position(position)
				for j := range batch {
					batch[j] += position[j] / length
				}
			}
			for j, v := range batch {
				if b >= 2 {
					sums[j] += v
					squares[j] += v * v
				}
			}
		}
	}
	jags := map[string][]string{}
	for _, row := range readCSV(t, "classes.csv")[1:] {
		jags[row[0]] = row
	}
	for j, p := range s.Parameters()[:half] {
		row, ok := jags[p.Name]
		if !ok {
			t.Fatalf("JAGS has no %s", p.Name)
		}
		mean, err := strconv.ParseFloat(row[1], 64)
		mcse, err2 := strconv.ParseFloat(row[3], 64)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		const n = chains * batches
		own := sums[j] / n
		se := math.Sqrt((squares[j]/n - own*own) / (n - 1))
		if z := (own - mean) / math.Hypot(se, mcse); !(math.Abs(z) < 5.5 && math.Abs(own-mean) < 0.01) {
			t.Errorf("%s is %.4f ± %.4f, that of JAGS %.4f ± %.4f", p.Name, own, se, mean, mcse)
		}
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
