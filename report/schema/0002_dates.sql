-- What was the newest on a day.

CREATE MACRO latest_on(day) AS TABLE
SELECT f.* FROM fit f
WHERE f.fit_id IN (
    SELECT arg_max(fit_id, (place, created, fit_id)) FROM fit
    WHERE status = 'complete' AND replicate = 1
      AND created < day::TIMESTAMP + CASE WHEN day::TIMESTAMP = date_trunc('day', day::TIMESTAMP) THEN INTERVAL 1 DAY ELSE INTERVAL 0 DAY END
    GROUP BY dataset, key, model, sampler)
ORDER BY f.dataset, f.key, f.model, f.sampler;

CREATE MACRO coefficients_on(day) AS TABLE
SELECT f.fit_id, f.dataset, f.key, f.model, f.sampler, s.name AS parameter,
       s.mean, s.sd, s.q025, s.median, s.q975, s.rhat, s.ess_bulk, s.ess_tail, f.verdict, f.created, f.run_id
FROM latest_on(day) f
JOIN summary s ON s.fit_id = f.fit_id
WHERE s.kind NOT IN ('statistic', 'group_effect', 'smooth_effect')
ORDER BY f.dataset, f.key, f.model, f.sampler, s.parameter_id;

COMMENT ON MACRO TABLE latest_on IS 'The fits that were the newest complete ones at the end of a day, or at a TIMESTAMP, UTC; what pipeline prune took is not there.';
COMMENT ON MACRO TABLE coefficients_on IS 'Summaries of their parameters, as in coefficients.';

-- Draws say of which run they are, and whether that is still what counts. Who does not ask for state pays for a look at
-- the attempts of the runs, not at draws.
CREATE OR REPLACE VIEW draws AS
SELECT d.fit_id, f.dataset, f.key, f.model, f.sampler, d.chain,
       d.first + unnest(CASE WHEN d.n = 250 THEN range(250)::INTEGER[] ELSE range(d.n)::INTEGER[] END) AS iteration,
       p.name AS parameter, unnest(CASE WHEN d.n = 250 THEN d.v::DOUBLE[] ELSE d.v[:d.n] END) AS value,
       coalesce(l.state, 'older') AS state, f.created, f.run_id
FROM piece d
JOIN parameter p ON p.fit_id = d.fit_id AND p.parameter_id = d.parameter_id
JOIN fit f ON f.fit_id = d.fit_id
LEFT JOIN latest l ON l.fit_id = f.fit_id;
COMMENT ON VIEW draws IS 'Draws of all fits with names: filter by dataset, model, sampler, parameter, and by state where there are several nights.';
COMMENT ON COLUMN draws.chain IS '1, 2, …';
COMMENT ON COLUMN draws.iteration IS '1, 2, … over the kept draws of the chain.';
COMMENT ON COLUMN draws.value IS 'The draw, in the units of the data.';
COMMENT ON COLUMN draws.state IS 'current; error or uncommitted where that is what became of a newer attempt at the fit; older where a newer fit is complete.';
COMMENT ON COLUMN draws.created IS 'When the fit was drawn, UTC.';
COMMENT ON COLUMN draws.run_id IS 'The run that drew it.';
