-- Rows are fits that a person has to look at, with the reason and what to do.
SELECT pipeline, dataset, key, model, sampler, state, reason, remedy
FROM {{ source('ledger', 'needs_attention') }}
