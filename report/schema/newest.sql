-- The newest fit of each name, defined once: the newest run (run.place, then the clock) that recorded a result for it
-- decides, and a fit that the run found unchanged is as much a result as one that it drew. A name is a pipeline, data
-- set, key, model, sampler and replicate.

-- Aggregates find the newest in a quarter of the time of windows.
CREATE OR REPLACE VIEW newest_fit AS
SELECT pipeline, dataset, key, model, sampler, replicate, arg_max(fit_id, (place, noted, rowid)) AS fit_id
FROM run_fit
WHERE action IN ('computed', 'skipped') AND fit_id IN (SELECT fit_id FROM fit)
GROUP BY pipeline, dataset, key, model, sampler, replicate;
COMMENT ON VIEW newest_fit IS 'The newest complete fit of each pipeline, data set, key, model, sampler and replicate: the one that the newest run with a result drew or found unchanged. All views of newest fits use it.';
COMMENT ON COLUMN newest_fit.pipeline IS 'Pipeline that the fit belongs to. Two pipelines can share a fit.';

CREATE OR REPLACE VIEW newest AS
SELECT DISTINCT fit_id FROM newest_fit WHERE replicate = 1;
COMMENT ON VIEW newest IS 'Numbers of the newest complete fits: those of latest.';

CREATE OR REPLACE VIEW attempt AS
WITH tried AS (
    SELECT pipeline, dataset, key, model, sampler, arg_max(run_id, (place, noted, rowid)) AS run_id
    FROM run_fit
    GROUP BY ALL
), ranked AS (
    SELECT n.*, n.rowid AS line, CASE n.action WHEN 'error' THEN 0 WHEN 'uncommitted' THEN 1 WHEN 'computed' THEN 3 WHEN 'skipped' THEN 4 ELSE 2 END AS action_rank,
           CASE n.verdict WHEN 'error' THEN 0 WHEN 'fail' THEN 1 WHEN 'warn' THEN 3 WHEN 'pass' THEN 4 ELSE 2 END AS verdict_rank
    FROM tried
    JOIN run_fit n USING (pipeline, dataset, key, model, sampler, run_id)
)
SELECT n.dataset, n.key, n.model, n.sampler, n.run_id, max(coalesce(r.started, n.noted)) AS attempted,
       arg_min(n.action, n.action_rank) AS outcome,
       list(n.fit_id) FILTER (n.action IN ('computed', 'skipped') AND n.fit_id IS NOT NULL) AS fits,
       arg_min(n.reasons[1], (n.action_rank, n.replicate, n.line)) FILTER (n.action NOT IN ('computed', 'skipped')) AS reason,
       arg_min(n.verdict, n.verdict_rank) AS verdict, arg_min(n.reasons, (n.verdict_rank, n.replicate, n.line)) AS reasons,
       arg_min(n.fit_id, (n.action_rank, -n.line)) FILTER (n.replicate = 1 AND n.fit_id IS NOT NULL) AS fit_id, n.pipeline
FROM ranked n
LEFT JOIN run r USING (run_id)
GROUP BY ALL;
COMMENT ON VIEW attempt IS 'Newest attempt for each pipeline, data set, key, model and sampler, and its result.';
-- As in run_fit: reasons.
COMMENT ON COLUMN attempt.attempted IS 'When that run began, UTC.';
COMMENT ON COLUMN attempt.outcome IS 'computed, skipped (found unchanged), error or uncommitted; the worst one if there are replicates.';
COMMENT ON COLUMN attempt.fits IS 'The fits that it drew or found unchanged.';
COMMENT ON COLUMN attempt.reason IS 'The first reason of an error, or of a fit that is not committed.';
COMMENT ON COLUMN attempt.verdict IS 'The worst verdict that the run took, over replicates.';
COMMENT ON COLUMN attempt.fit_id IS 'The fit itself, without replicates, complete or an error; NULL if nothing is stored.';
COMMENT ON COLUMN attempt.pipeline IS 'Pipeline of the run.';

CREATE OR REPLACE VIEW latest AS
SELECT f.* REPLACE (n.pipeline AS pipeline), a.attempted,
       CASE WHEN list_contains(a.fits, f.fit_id) THEN 'current' WHEN a.outcome IN ('computed', 'skipped') THEN 'gone' ELSE a.outcome END AS state
FROM newest_fit n
JOIN fit f USING (fit_id)
JOIN attempt a ON a.pipeline = n.pipeline AND a.dataset = n.dataset AND a.key = n.key AND a.model = n.model AND a.sampler = n.sampler
WHERE n.replicate = 1;
COMMENT ON VIEW latest IS 'The newest complete fit of each pipeline, data set, key, model and sampler, without replicates. Look at state: a newer attempt may have failed.';
COMMENT ON COLUMN latest.pipeline IS 'Pipeline that the fit belongs to: another one may have drawn it, with equal data, model and settings.';
COMMENT ON COLUMN latest.attempted IS 'When the newest run that tried for this fit began, UTC.';
COMMENT ON COLUMN latest.state IS 'current if that run drew the fit or found it unchanged. Otherwise the fit is older than the last try: error and uncommitted are what became of that try, and gone is that its fit is not in the ledger any more (the next run draws it again).';

-- Draws of the fits of each pipeline, and questions to the newest of them.
CREATE OR REPLACE VIEW fit_state AS
SELECT m.pipeline, m.fit_id, coalesce(l.state, 'older') AS state
FROM (SELECT DISTINCT pipeline, fit_id FROM run_fit WHERE action IN ('computed', 'skipped') AND fit_id IS NOT NULL) m
LEFT JOIN latest l ON l.pipeline = m.pipeline AND l.fit_id = m.fit_id;
COMMENT ON VIEW fit_state IS 'The complete fits of each pipeline, replicates too, and whether each is what counts now.';
COMMENT ON COLUMN fit_state.pipeline IS 'A pipeline that the fit belongs to.';
COMMENT ON COLUMN fit_state.state IS 'As state of latest for the newest fit of a name; older for the others.';

-- One row for each fit that a person has to look at. Warnings are not among them.
CREATE OR REPLACE VIEW needs_attention AS
WITH found AS (
    SELECT a.pipeline, a.dataset, a.key, a.model, a.sampler, a.verdict, a.attempted, a.run_id, l.fit_id, l.created, l.model AS has_fit,
           CASE WHEN a.outcome IN ('error', 'uncommitted') THEN a.outcome
                WHEN l.fit_id IS NULL OR l.state <> 'current' THEN 'gone'
                WHEN a.verdict NOT IN ('pass', 'warn') OR l.verdict NOT IN ('pass', 'warn') THEN 'fail' END AS state,
           coalesce(a.reason, CASE WHEN a.verdict IN ('pass', 'warn') THEN l.reasons[1] ELSE a.reasons[1] END, '') AS text
    FROM attempt a
    LEFT JOIN latest l ON l.pipeline = a.pipeline AND l.dataset = a.dataset AND l.key = a.key AND l.model = a.model AND l.sampler = a.sampler
)
SELECT pipeline, dataset, key, model, sampler, state,
       CASE WHEN state = 'gone' THEN 'the fit of the newest run is not in the ledger any more' ELSE split_part(text, chr(10), 1) END AS reason,
       concat_ws('; ',
           CASE WHEN state = 'gone' THEN 'run the pipeline again'
                WHEN state = 'uncommitted' THEN 'load what was drawn with pipeline commit'
                WHEN state = 'error' THEN coalesce(nullif(split_part(split_part(text, 'hint: ', 2), chr(10), 1), ''), 'remove the cause') || '; then pipeline retry'
                ELSE format('pipeline show {} has the diagnostics and what to do', fit_id) END,
           CASE WHEN fit_id IS NULL THEN 'there is no complete fit of this name'
                WHEN state <> 'fail' THEN 'views show the fit of ' || strftime(created, '%Y-%m-%d %H:%M UTC') END) AS remedy,
       attempted, created, fit_id, run_id
FROM found
WHERE state IS NOT NULL
ORDER BY pipeline, dataset, key, model, sampler;
COMMENT ON VIEW needs_attention IS 'One row for each fit that a person has to look at: the newest run erred on it, did not commit it or broke a gate of it, whether it ever succeeded or not. Warnings are not among them.';
-- As in attempt: attempted.
COMMENT ON COLUMN needs_attention.pipeline IS 'Its pipeline.';
COMMENT ON COLUMN needs_attention.state IS 'error, uncommitted, fail (a gate is broken), or gone: its fit is not in the ledger any more.';
COMMENT ON COLUMN needs_attention.reason IS 'The first reason that the run recorded.';
COMMENT ON COLUMN needs_attention.remedy IS 'Remedy, and the fit that the views show until then.';
COMMENT ON COLUMN needs_attention.created IS 'When the fit that views show was drawn, UTC; NULL if there is none.';
COMMENT ON COLUMN needs_attention.fit_id IS 'The fit that views show; NULL if there is none.';
COMMENT ON COLUMN needs_attention.run_id IS 'The run that tried for it last.';

CREATE OR REPLACE VIEW draws AS
SELECT d.fit_id, f.dataset, f.key, f.model, f.sampler, d.chain,
       d.first + unnest(CASE WHEN d.n = 250 THEN range(250)::INTEGER[] ELSE range(d.n)::INTEGER[] END) AS iteration,
       p.name AS parameter, unnest(CASE WHEN d.n = 250 THEN d.v::DOUBLE[] ELSE d.v[:d.n] END) AS value,
       s.state, f.created, f.run_id, s.pipeline
FROM piece d
JOIN parameter p ON p.fit_id = d.fit_id AND p.parameter_id = d.parameter_id
JOIN fit f ON f.fit_id = d.fit_id
JOIN fit_state s ON s.fit_id = d.fit_id;
COMMENT ON VIEW draws IS 'Draws of all fits with names: filter by pipeline, dataset, model, sampler and parameter, and by state if there are several runs. A fit that two pipelines share appears once for each.';
-- As in piece: chain.
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
-- As in piece: chain.
-- As in draws: iteration, pipeline.
COMMENT ON COLUMN draws_standardized.value IS 'The draw, for one unit of the standardised column.';
