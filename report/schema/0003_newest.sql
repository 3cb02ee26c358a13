-- The newest fit of each name, defined once: the newest run (run.place, then the clock) that recorded a result for it
-- decides, and a fit that the run found unchanged is as much a result as one that it drew. A name is a pipeline, data
-- set, key, model, sampler and replicate.

ALTER TABLE run_fit ADD COLUMN pipeline VARCHAR DEFAULT '';
ALTER TABLE run_fit ADD COLUMN replicate INTEGER DEFAULT 1;
ALTER TABLE run_fit ADD COLUMN place INTEGER DEFAULT 0;

-- Ledgers of versions 1 and 2: what the tables run and fit have of each record. Imported draws had a pipeline of their
-- own; they belong to that of the newest fit of the same posterior.
UPDATE run_fit SET pipeline = r.pipeline, place = r.place FROM run r WHERE r.run_id = run_fit.run_id;
UPDATE run_fit SET replicate = f.replicate,
       pipeline = CASE WHEN f.run_id = run_fit.run_id THEN coalesce(f.pipeline, run_fit.pipeline) ELSE run_fit.pipeline END,
       place = CASE WHEN f.run_id = run_fit.run_id THEN f.place ELSE run_fit.place END
FROM fit f WHERE f.fit_id = run_fit.fit_id;
UPDATE run_fit SET pipeline = p.pipeline
FROM (SELECT i.fit_id, arg_max(p.pipeline, p.fit_id) AS pipeline
      FROM fit i
      JOIN fit p ON p.dataset = i.dataset AND p.key = i.key AND p.model = i.model AND p.data_hash = i.data_hash AND p.model_hash = i.model_hash
      WHERE i.method = 'imported' AND p.method <> 'imported' AND p.pipeline IS NOT NULL
      GROUP BY i.fit_id) p
WHERE p.fit_id = run_fit.fit_id;

COMMENT ON TABLE run_fit IS 'What each run did with each fit: drawn, skipped because it was unchanged, or not committed. The newest record of a name decides which fit is its result: see the view newest_fit.';
COMMENT ON COLUMN run_fit.fit_id IS 'The fit; NULL if none was stored, or if prune removed it. A fit that is drawn again with the same fingerprint replaces the earlier one here too.';
COMMENT ON COLUMN run_fit.pipeline IS 'Pipeline of the run; of imported draws that of the fit of the same posterior.';
COMMENT ON COLUMN run_fit.replicate IS '1 for the fit itself, 2, 3, … for its repetitions with other seeds.';
COMMENT ON COLUMN run_fit.place IS 'Place of the run, as in run: the order of the records.';
COMMENT ON COLUMN fit.pipeline IS 'Pipeline for which the fit was drawn. Others may share it: run_fit has all.';

-- Aggregates find the newest in a quarter of the time of windows.
CREATE VIEW newest_fit AS
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
COMMENT ON VIEW attempt IS 'What the newest run that tried for each pipeline, data set, key, model and sampler did about it.';
COMMENT ON COLUMN attempt.attempted IS 'When that run began, UTC.';
COMMENT ON COLUMN attempt.outcome IS 'computed, skipped (found unchanged), error or uncommitted; the worst one if there are replicates.';
COMMENT ON COLUMN attempt.fits IS 'The fits that it drew or found unchanged.';
COMMENT ON COLUMN attempt.reason IS 'The first reason of an error, or of a fit that is not committed.';
COMMENT ON COLUMN attempt.verdict IS 'The worst verdict that the run took, over replicates.';
COMMENT ON COLUMN attempt.reasons IS 'Reasons of that verdict.';
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
COMMENT ON COLUMN latest.attempted IS 'When the newest run that tried for this fit began, UTC.';
COMMENT ON COLUMN latest.state IS 'current if that run drew the fit or found it unchanged. Otherwise the fit is older than the last try: error and uncommitted are what became of that try, and gone is that its fit is not in the ledger any more (the next run draws it again).';
COMMENT ON COLUMN latest.pipeline IS 'Pipeline that the fit belongs to: another one may have drawn it, with equal data, model and settings.';

-- One row for each fit that a person has to look at. Warnings are not among them.
CREATE VIEW needs_attention AS
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
COMMENT ON COLUMN needs_attention.state IS 'error, uncommitted, fail (a gate is broken), or gone: its fit is not in the ledger any more.';
COMMENT ON COLUMN needs_attention.reason IS 'The first reason that the run recorded.';
COMMENT ON COLUMN needs_attention.remedy IS 'What to do about it, and which fit the views show until then.';
COMMENT ON COLUMN needs_attention.attempted IS 'When that run began, UTC.';
COMMENT ON COLUMN needs_attention.created IS 'When the fit that views show was drawn, UTC; NULL if there is none.';
COMMENT ON COLUMN needs_attention.fit_id IS 'The fit that views show; NULL if there is none.';
COMMENT ON COLUMN needs_attention.run_id IS 'The run that tried for it last.';
COMMENT ON COLUMN needs_attention.pipeline IS 'Its pipeline.';
