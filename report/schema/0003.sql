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
