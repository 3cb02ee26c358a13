package report

import (
	"context"
	"database/sql"

	"glmbatch/infer"
	"glmbatch/infer/loo"
)

// Weight is the share of a model in a mixture of the models of one data set, by its predictions of rows that it has not
// seen.
type Weight struct {
	Pipeline string `json:"pipeline"`
	Dataset  string `json:"dataset"`
	Group    string `json:"key"`
	Model    string `json:"model"`
	Sampler  string `json:"sampler"`
	// Stacking has the mixture that predicts best; PseudoBMA weighs each model by itself.
	Stacking  float64 `json:"stacking"`
	PseudoBMA float64 `json:"pseudo_bma"`
	ELPD      float64 `json:"elpd"`

	id       int64
	outcomes string
}

// bootstraps is the number of draws that pseudo-BMA+ averages over.
const bootstraps = 10_000

// Weights are those of the models that the view loo_compare has, or kfold_compare where folds says so, by data set: of
// each group of equal responses of a pipeline (empty: of each). only narrows them; models with rows of unknown density
// are left out.
//
// It returns a *MissingError without a ledger.
func (l *Ledger) Weights(ctx context.Context, pipeline string, folds bool,
	only func(dataset, group, model, sampler string) bool) (out []Weight, err error) {
	view, rows, elpd := "loo_compare", "pointwise", "elpd_loo"
	if folds {
		view, rows, elpd = "kfold_compare", "kfold_pointwise", "elpd_kfold"
	}
	out = []Weight{}
	err = l.readTables(ctx, func(c *sql.Conn) error {
		err := scanRows(ctx, c, "SELECT pipeline, dataset, key, model, sampler, "+elpd+", fit_id, outcomes FROM "+view+
			" WHERE (?1 = '' OR pipeline = ?1) AND "+elpd+" IS NOT NULL ORDER BY pipeline, dataset, key, outcomes, "+elpd+
			" DESC, fit_id",
			func(rows *sql.Rows) error {
				var w Weight
				err := rows.Scan(&w.Pipeline, &w.Dataset, &w.Group, &w.Model, &w.Sampler, &w.ELPD, &w.id, &w.outcomes)
				if only(w.Dataset, w.Group, w.Model, w.Sampler) {
					out = append(out, w)
				}
				return err
			}, pipeline)
		for from := 0; from < len(out) && err == nil; {
			to := from + 1
			for to < len(out) && out[to].comparable(&out[from]) {
				to++
			}
			err = weigh(ctx, c, rows, elpd, out[from:to])
			from = to
		}
		return err
	})
	return out, err
}

// comparable reports whether two models predict the same responses.
func (w *Weight) comparable(o *Weight) bool {
	return w.Pipeline == o.Pipeline && w.Dataset == o.Dataset && w.Group == o.Group && w.outcomes == o.outcomes
}

// weigh computes the weights of models of the same responses.
func weigh(ctx context.Context, c *sql.Conn, rows, column string, models []Weight) error {
	elpd, frequency := make([][]float64, len(models)), []float64(nil)
	for i := range models {
		frequency = nil
		err := scanRows(ctx, c, "SELECT "+column+", frequency FROM "+rows+" WHERE fit_id = ? ORDER BY observation",
			func(rows *sql.Rows) error {
				var x, w float64
				err := rows.Scan(&x, &w)
				elpd[i], frequency = append(elpd[i], x), append(frequency, w)
				return err
			}, models[i].id)
		if err != nil {
			return err
		}
	}
	stacked := loo.Stacking(elpd, frequency)
	averaged := loo.PseudoBMA(elpd, frequency, bootstraps, infer.NewStream(0, "pseudo-BMA+"))
	for i := range models {
		models[i].Stacking, models[i].PseudoBMA = stacked[i], averaged[i]
	}
	return nil
}
