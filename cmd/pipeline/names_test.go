package main

import (
	"strings"
	"testing"

	"glmbatch/internal/words"
)

// No command writes a character to a terminal that does not print, nor a line that a name begins, for any name of a
// column, a level, a file or a data set.
func TestNamesAreVisible(t *testing.T) {
	t.Chdir(t.TempDir())
	const hostile = "x\u202ey\u200bz"
	const forged = "\nFORGED"
	level := "\"" + hostile + "\x1b[2J" + forged + "\"" // of a column whose name is hostile, too
	column := "\"g" + hostile + forged + "\""
	write(t, ".", hostile+".csv", "by,y,x,"+column+"\n"+
		strings.Repeat(level+",1,2,a\n"+level+",3,1,"+level+"\n"+level+",2,3,a\n"+level+",5,4,"+level+"\n", 3))
	write(t, ".", "s.yaml", strings.ReplaceAll(`pipeline: s
datasets: {"d\u202e\u200b": {path: "x\u202ey\u200bz.csv", by: [by]}}
models: {m: {formula: y ~ ., family: poisson, prior: {coefficients: "normal(0, 1)"}}, bad: {formula: "y ~ x + BACK", family: poisson}}
samplers: {"s\u200b": {method: cggibbs}, nuts: {method: nuts}}
run: {warmup: 20, draws: 50}
gates: {rhat: 1.0001, ess_bulk: 10000, ess_tail: 1}
`, "BACK", "`missing\\u202e`"))
	for _, args := range []string{
		"run s.yaml", "run s.yaml --output json", "run s.yaml --dry-run --seed 3", "run s.yaml --quiet --log - --seed 5", "run s.yaml --only dataset=d\u202e",
		"validate s.yaml", "explain s.yaml", "show", "show 1", "show --output json 1", "show *", "runs", "compare", "compare --output json", "drift", "weights", "predict --only sampler=nuts",
		"sql SELECT_dataset,key,name_FROM_coefficients", "sql SELECT_nothing\u202e_FROM_fit", "sql --format json SELECT_name_FROM_parameter",
		"report --output page.html", "export --to out", "check s.yaml --simulations 20 --only model=m --only sampler=nuts",
		"init x\u202ey\u200bz.csv --output new.yaml", "run nothing\u202e.yaml",
	} {
		given := strings.Fields(args)
		for i := range given {
			given[i] = strings.ReplaceAll(given[i], "_", " ")
		}
		_, out, errs := call(t, given...)
		if out+errs == "" {
			t.Errorf("%s: it says nothing", args)
		}
		for what, text := range map[string]string{"output": out, "errors": errs} {
			for i, line := range strings.Split(text, "\n") {
				if words.VisibleLines(line) != line || strings.HasPrefix(strings.TrimLeft(line, " │"), "FORGED") {
					t.Errorf("%s: line %d of its %s: %s", args, i+1, what, words.VisibleLines(line))
					break
				}
			}
		}
	}
}
