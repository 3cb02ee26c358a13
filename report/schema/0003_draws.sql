-- Draws of the fits of each pipeline, and questions to the newest of them.

CREATE VIEW fit_state AS
SELECT m.pipeline, m.fit_id, coalesce(l.state, 'older') AS state
FROM (SELECT DISTINCT pipeline, fit_id FROM run_fit WHERE action IN ('computed', 'skipped') AND fit_id IS NOT NULL) m
LEFT JOIN latest l ON l.pipeline = m.pipeline AND l.fit_id = m.fit_id;
COMMENT ON VIEW fit_state IS 'The complete fits of each pipeline, replicates too, and whether each is what counts now.';
COMMENT ON COLUMN fit_state.state IS 'As state of latest for the newest fit of a name; older for the others.';
COMMENT ON COLUMN fit_state.pipeline IS 'A pipeline that the fit belongs to.';

CREATE OR REPLACE VIEW draws AS
SELECT d.fit_id, f.dataset, f.key, f.model, f.sampler, d.chain,
       d.first + unnest(CASE WHEN d.n = 250 THEN range(250)::INTEGER[] ELSE range(d.n)::INTEGER[] END) AS iteration,
       p.name AS parameter, unnest(CASE WHEN d.n = 250 THEN d.v::DOUBLE[] ELSE d.v[:d.n] END) AS value,
       s.state, f.created, f.run_id, s.pipeline
FROM piece d
JOIN parameter p ON p.fit_id = d.fit_id AND p.parameter_id = d.parameter_id
JOIN fit f ON f.fit_id = d.fit_id
JOIN fit_state s ON s.fit_id = d.fit_id;
COMMENT ON VIEW draws IS 'Draws of all fits with names: filter by pipeline, dataset, model, sampler and parameter, and by state if there are several runs. A fit that two pipelines share is there for each of them.';
COMMENT ON COLUMN draws.chain IS '1, 2, …';
COMMENT ON COLUMN draws.iteration IS '1, 2, … over the kept draws of the chain.';
COMMENT ON COLUMN draws.value IS 'The draw, in the units of the data.';
COMMENT ON COLUMN draws.state IS 'current; error, uncommitted or gone if that is what became of a newer attempt at the fit; older if the pipeline has a newer fit of the name.';
COMMENT ON COLUMN draws.created IS 'When the fit was drawn, UTC.';
COMMENT ON COLUMN draws.run_id IS 'The run that drew it.';
COMMENT ON COLUMN draws.pipeline IS 'Pipeline that the fit belongs to.';

CREATE OR REPLACE VIEW draws_standardized AS
SELECT d.fit_id, f.dataset, f.key, f.model, f.sampler, d.chain,
       d.first + unnest(CASE WHEN d.n = 250 THEN range(250)::INTEGER[] ELSE range(d.n)::INTEGER[] END) AS iteration,
       p.name AS parameter, p.scale * unnest(CASE WHEN d.n = 250 THEN d.v::DOUBLE[] ELSE d.v[:d.n] END) AS value, s.pipeline
FROM piece d
JOIN parameter p ON p.fit_id = d.fit_id AND p.parameter_id = d.parameter_id
JOIN fit f ON f.fit_id = d.fit_id
JOIN fit_state s ON s.fit_id = d.fit_id
WHERE p.kind = 'coefficient';
COMMENT ON VIEW draws_standardized IS 'Draws of coefficients times the scale of their column: effects of one unit of the standardised design.';
COMMENT ON COLUMN draws_standardized.chain IS '1, 2, …';
COMMENT ON COLUMN draws_standardized.iteration IS '1, 2, … over the kept draws of the chain.';
COMMENT ON COLUMN draws_standardized.value IS 'The draw, for one unit of the standardised column.';
COMMENT ON COLUMN draws_standardized.pipeline IS 'Pipeline that the fit belongs to.';

CREATE OR REPLACE MACRO latest_on(day) AS TABLE
SELECT f.* REPLACE (n.pipeline AS pipeline)
FROM (
    SELECT pipeline, dataset, key, model, sampler, arg_max(fit_id, (place, noted, rowid)) AS fit_id
    FROM run_fit
    WHERE action IN ('computed', 'skipped') AND replicate = 1 AND fit_id IN (SELECT fit_id FROM fit)
      AND noted < day::TIMESTAMP + CASE WHEN day::TIMESTAMP = date_trunc('day', day::TIMESTAMP) THEN INTERVAL 1 DAY ELSE INTERVAL 0 DAY END
    GROUP BY pipeline, dataset, key, model, sampler
) n
JOIN fit f USING (fit_id)
ORDER BY n.pipeline, f.dataset, f.key, f.model, f.sampler;

CREATE OR REPLACE MACRO coefficients_on(day) AS TABLE
SELECT f.fit_id, f.dataset, f.key, f.model, f.sampler, s.name AS parameter,
       s.mean, s.sd, s.q025, s.median, s.q975, s.rhat, s.ess_bulk, s.ess_tail, f.verdict, f.created, f.run_id, f.pipeline
FROM latest_on(day) f
JOIN summary s ON s.fit_id = f.fit_id
WHERE s.kind NOT IN ('statistic', 'group_effect', 'smooth_effect')
ORDER BY f.pipeline, f.dataset, f.key, f.model, f.sampler, s.parameter_id;

COMMENT ON MACRO TABLE latest_on IS 'The fits that were the newest complete ones at the end of a day, or at a TIMESTAMP, UTC; those that pipeline prune removed are not there.';
COMMENT ON MACRO TABLE coefficients_on IS 'Summaries of their parameters, as in coefficients.';
