-- The view piece of a ledger that has files of draws. The program tells it which of them are there by the variable
-- draws; for other clients of DuckDB it is what their working folder has beside the ledger.
CREATE OR REPLACE VIEW piece AS
SELECT fit_id, parameter_id, chain, first, n, v FROM draw_piece
UNION ALL
SELECT p.fit_id, p.parameter_id, p.chain, p.first, p.n, p.v::DOUBLE[250] AS v
FROM read_parquet(coalesce(getvariable('draws')::VARCHAR[],
    CASE WHEN current_database() = 'memory' THEN error('the draws are in files beside the ledger: name them by SET VARIABLE draws = [''FOLDER/LEDGER.duckdb.draws/**/*.parquet''], or attach the ledger under its own name and USE it')
         ELSE [current_database() || '*.draws/**/*.parquet'] END)) p
JOIN draw_outside o ON o.fit_id = p.fit_id AND o.file_id = p.file_id AND p.parameter_id <= o.parameters;
