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
COMMENT ON VIEW piece IS 'Posterior draws as they are stored, wherever they are: in draw_piece, or in files beside the ledger. Filters on fit_id reach both.';
COMMENT ON COLUMN piece.fit_id IS 'The fit.';
COMMENT ON COLUMN piece.parameter_id IS 'The parameter.';
COMMENT ON COLUMN piece.chain IS '1, 2, …';
COMMENT ON COLUMN piece.first IS 'Iteration of v[1]: 1, 251, …';
COMMENT ON COLUMN piece.n IS 'How many draws v holds: 250, or fewer at the end of a chain.';
COMMENT ON COLUMN piece.v IS 'The draws; zeros behind the first n.';
