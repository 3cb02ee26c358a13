-- Another definition of it takes the place of this one while there are files: outside_view.sql.
CREATE OR REPLACE VIEW piece AS
SELECT fit_id, parameter_id, chain, first, n, v FROM draw_piece;
COMMENT ON VIEW piece IS 'Posterior draws as they are stored, in draw_piece or in files next to the ledger. Filters on fit_id reach both.';
-- As in draw_piece: fit_id, parameter_id, chain, first, n, v.

-- Filters on fit_id, parameter_id and chain reach the pieces, so that only those are read. Numbers of the draws are made
-- once for all full pieces.
CREATE OR REPLACE VIEW draw AS
SELECT fit_id, parameter_id, chain,
       first + unnest(CASE WHEN n = 250 THEN range(250)::INTEGER[] ELSE range(n)::INTEGER[] END) AS iteration,
       unnest(CASE WHEN n = 250 THEN v::DOUBLE[] ELSE v[:n] END) AS value
FROM piece;
COMMENT ON VIEW draw IS 'Posterior draws in the units of the data; the view draws adds the names.';
-- As in piece: fit_id, parameter_id, chain.
COMMENT ON COLUMN draw.iteration IS '1, 2, … over the kept draws.';
COMMENT ON COLUMN draw.value IS 'The draw.';

-- Lists that are not asked for are not read: each is indexed, where one that is taken apart is read by any query.
CREATE OR REPLACE VIEW chain AS
SELECT fit_id, chain, (first + i - 1)::INTEGER AS iteration, first < 1 AS warmup,
       log_lik[least(i, len(log_lik))] AS log_lik,
       log_prior[least(i, len(log_prior))] AS log_prior,
       evaluations[least(i, len(evaluations))] AS evaluations,
       touched[least(i, len(touched))] AS touched,
       gradients[least(i, len(gradients))] AS gradients,
       accept[least(i, len(accept))] AS accept,
       step_size[least(i, len(step_size))] AS step_size,
       energy[least(i, len(energy))] AS energy,
       depth[least(i, len(depth))] AS depth,
       leapfrogs[least(i, len(leapfrogs))] AS leapfrogs,
       divergent[least(i, len(divergent))] AS divergent
FROM (SELECT *, unnest(range(1, n + 1)) AS i FROM chain_piece);
COMMENT ON VIEW chain IS 'Statistics of each iteration of each chain.';
-- As in chain_piece: fit_id, chain.
COMMENT ON COLUMN chain.iteration IS 'Same count as in draw; 0, −1, … go back through the warm-up.';
COMMENT ON COLUMN chain.warmup IS 'Whether the iteration belongs to the warm-up.';
COMMENT ON COLUMN chain.log_lik IS 'Log likelihood with its constants.';
COMMENT ON COLUMN chain.log_prior IS 'Log prior density with its constants, design as sampled.';
COMMENT ON COLUMN chain.evaluations IS 'Evaluations of log densities.';
COMMENT ON COLUMN chain.touched IS 'Rows or entries of the design that likelihood work read.';
COMMENT ON COLUMN chain.gradients IS 'Full gradients.';
COMMENT ON COLUMN chain.accept IS 'Mean acceptance probability of Metropolis decisions; of models of kind mrf the share of variables whose state the sweep changed.';
COMMENT ON COLUMN chain.step_size IS 'Step size (Hamiltonian samplers).';
COMMENT ON COLUMN chain.energy IS 'Energy (Hamiltonian samplers).';
COMMENT ON COLUMN chain.depth IS 'Depth of the trajectory tree (NUTS).';
COMMENT ON COLUMN chain.leapfrogs IS 'Leapfrog steps (Hamiltonian samplers).';
COMMENT ON COLUMN chain.divergent IS 'Whether the trajectory diverged.';
