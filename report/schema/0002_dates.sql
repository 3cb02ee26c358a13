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
WHERE s.kind NOT IN ('statistic', 'group_effect')
ORDER BY f.dataset, f.key, f.model, f.sampler, s.parameter_id;

COMMENT ON MACRO TABLE latest_on IS 'The fits that were the newest complete ones at the end of a day, or at a TIMESTAMP, UTC; what pipeline prune took is not there.';
COMMENT ON MACRO TABLE coefficients_on IS 'Summaries of their parameters, as in coefficients.';
