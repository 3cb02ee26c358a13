-- Models refitted without folds of their rows.

CREATE TABLE kfold (
    fit_id        BIGINT NOT NULL,
    asked         VARCHAR NOT NULL,
    folds         INTEGER NOT NULL,
    observations  BIGINT NOT NULL,
    elpd_kfold    DOUBLE,
    se_elpd_kfold DOUBLE,
    rhat_max      DOUBLE,
    outcomes      VARCHAR NOT NULL
);
COMMENT ON TABLE kfold IS 'K-fold cross-validation: sums over the rows of kfold_pointwise, each predicted by the model fitted without its fold.';
COMMENT ON COLUMN kfold.fit_id IS 'The fit.';
COMMENT ON COLUMN kfold.asked IS 'What the spec asked for, a number of folds or a grouping, and the version of it.';
COMMENT ON COLUMN kfold.folds IS 'Folds that there were.';
COMMENT ON COLUMN kfold.observations IS 'Observations that are summed: rows, as often as they count.';
COMMENT ON COLUMN kfold.elpd_kfold IS 'Expected log predictive density of as many new observations; higher is better.';
COMMENT ON COLUMN kfold.se_elpd_kfold IS 'Its standard error, as if the rows were a sample.';
COMMENT ON COLUMN kfold.rhat_max IS 'Largest R-hat over folds, of the log likelihood.';
COMMENT ON COLUMN kfold.outcomes IS 'Hash of the responses in order: only fits that share it can be compared.';

CREATE TABLE kfold_pointwise (
    fit_id      BIGINT NOT NULL,
    observation BIGINT NOT NULL,
    fold        INTEGER NOT NULL,
    elpd_kfold  DOUBLE,
    frequency   DOUBLE NOT NULL
);
COMMENT ON TABLE kfold_pointwise IS 'K-fold results by observation.';
COMMENT ON COLUMN kfold_pointwise.fit_id IS 'The fit.';
COMMENT ON COLUMN kfold_pointwise.observation IS '1, 2, … in the order of the used rows.';
COMMENT ON COLUMN kfold_pointwise.fold IS '1, 2, …: the fold that it is in.';
COMMENT ON COLUMN kfold_pointwise.elpd_kfold IS 'Log predictive density by the model fitted without its fold.';
COMMENT ON COLUMN kfold_pointwise.frequency IS 'Equal observations that the row stands for; the number is that of one.';

CREATE VIEW kfold_compare AS
WITH known AS (
    SELECT f.dataset, f.key, f.model, f.sampler, k.*,
           first_value(f.fit_id) OVER best AS best_fit, first_value(f.model) OVER best AS best_model
    FROM latest f
    JOIN kfold k ON k.fit_id = f.fit_id
    WINDOW best AS (PARTITION BY f.dataset, f.key, k.outcomes, k.asked ORDER BY k.elpd_kfold DESC NULLS LAST, f.fit_id)
), difference AS ( -- the error is sqrt(n * variance) of the n observations' differences
    SELECT fit_id, sum(w * d) AS elpd_diff,
           sqrt(sum(w) / nullif(sum(w) - 1, 0) * greatest(0, sum(w * d * d) - sum(w * d) * sum(w * d) / sum(w))) AS se_diff
    FROM (SELECT k.fit_id, p.elpd_kfold - b.elpd_kfold AS d, p.frequency AS w
          FROM known k
          JOIN kfold_pointwise p ON p.fit_id = k.fit_id
          JOIN kfold_pointwise b ON b.fit_id = k.best_fit AND b.observation = p.observation)
    GROUP BY fit_id
    HAVING count(*) = count(d)
)
SELECT k.dataset, k.key, k.model, k.sampler, d.elpd_diff, d.se_diff, k.elpd_kfold, k.se_elpd_kfold, k.folds, k.asked,
       k.best_model, k.observations, k.rhat_max, concat_ws(', ', k.outcomes, k.asked) AS outcomes, k.fit_id
FROM known k
LEFT JOIN difference d ON d.fit_id = k.fit_id
ORDER BY k.dataset, k.key, k.outcomes, k.asked, d.elpd_diff DESC, k.fit_id;
COMMENT ON VIEW kfold_compare IS 'Models of one data set by k-fold cross-validation: the difference to the best one of the same responses and folds, with its standard error.';
COMMENT ON COLUMN kfold_compare.elpd_diff IS 'elpd_kfold less that of the best model: 0 for the best, negative for the others.';
COMMENT ON COLUMN kfold_compare.se_diff IS 'Standard error of elpd_diff from the rows'' differences.';
COMMENT ON COLUMN kfold_compare.elpd_kfold IS 'Expected log predictive density of the model.';
COMMENT ON COLUMN kfold_compare.se_elpd_kfold IS 'Its standard error, as if the rows were a sample.';
COMMENT ON COLUMN kfold_compare.folds IS 'Folds that there were.';
COMMENT ON COLUMN kfold_compare.asked IS 'What the spec asked for, and the version of it.';
COMMENT ON COLUMN kfold_compare.best_model IS 'The model that is compared with.';
COMMENT ON COLUMN kfold_compare.observations IS 'Observations that are summed.';
COMMENT ON COLUMN kfold_compare.rhat_max IS 'Largest R-hat over folds, of the log likelihood.';
COMMENT ON COLUMN kfold_compare.outcomes IS 'Hash of the responses, and the folds: fits with others are never subtracted.';
