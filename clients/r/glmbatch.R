# Fit data frames with the program "pipeline" of glmbatch, and read its ledgers.
#
#   source("glmbatch.R")
#   fit <- glmbatch_fit(frame, y ~ x + (1 | g), family = "poisson")
#   fit$verdict; summary(fit); draws(fit)$x; effects(fit, "x")
#   ledger_sql(open_ledger("nightly.duckdb"), "SELECT * FROM latest")
#
# It needs R alone. draws() returns a draws_df of the package posterior if it is installed, else a data frame with the
# same columns. The program is the one that GLMBATCH_PIPELINE names, or pipeline in the PATH.

.missing <- "NA"

.program <- function() {
  path <- Sys.getenv("GLMBATCH_PIPELINE")
  if (!nzchar(path)) path <- Sys.which("pipeline")[[1]]
  if (!nzchar(path)) {
    stop("the program pipeline is not in the PATH: install it, or set GLMBATCH_PIPELINE to its path", call. = FALSE)
  }
  path
}

# .call runs a verb of the program and returns its standard output. The error is the program's text.
.call <- function(..., accept = 0L) {
  out <- tempfile("glmbatch-out-")
  err <- tempfile("glmbatch-err-")
  on.exit(unlink(c(out, err)))
  status <- system2(.program(), shQuote(c(...)), stdout = out, stderr = err)
  read <- function(path) paste(readLines(path, warn = FALSE, encoding = "UTF-8"), collapse = "\n")
  if (!status %in% accept) {
    text <- read(err)
    stop(if (nzchar(text)) text else read(out), call. = FALSE)
  }
  read(out)
}

# .table returns CSV of the program as a data frame. NULL is NA.
.table <- function(text) {
  utils::read.csv(text = text, check.names = FALSE, na.strings = "", stringsAsFactors = FALSE, encoding = "UTF-8")
}

# .json returns a value as JSON: lists and vectors with names are mappings, I(x) is always a list.
.json <- function(x) {
  if (is.null(x)) return("null")
  if (is.list(x) || !is.null(names(x)) || length(x) != 1 || inherits(x, "AsIs")) {
    each <- vapply(x, .json, "", USE.NAMES = FALSE)
    if (is.null(names(x))) return(paste0("[", paste(each, collapse = ", "), "]"))
    keys <- vapply(names(x), function(n) .json(n), "", USE.NAMES = FALSE)
    return(paste0("{", paste0(keys, ": ", each, collapse = ", "), "}"))
  }
  if (is.logical(x)) return(if (x) "true" else "false")
  if (is.numeric(x)) return(sprintf("%.17g", x))
  x <- gsub("\\", "\\\\", enc2utf8(as.character(x)), fixed = TRUE)
  x <- gsub("\"", "\\\"", x, fixed = TRUE)
  for (c in list(c("\n", "\\n"), c("\t", "\\t"), c("\r", "\\r"))) x <- gsub(c[1], c[2], x, fixed = TRUE)
  paste0("\"", x, "\"")
}

# .cells returns a column as text for a CSV file.
.cells <- function(x) {
  out <- if (is.factor(x) || is.character(x)) {
    as.character(x)
  } else if (is.logical(x)) {
    ifelse(x, "true", "false")
  } else if (inherits(x, "Date")) {
    format(x, "%Y-%m-%d")
  } else if (inherits(x, "POSIXt")) {
    format(x, "%Y-%m-%d %H:%M:%S")
  } else if (is.numeric(x)) {
    sprintf("%.17g", x)
  } else {
    stop("columns are numbers, text, factors, logical values, dates or times", call. = FALSE)
  }
  out[is.na(x)] <- NA
  enc2utf8(out)
}

# .write writes a data frame as CSV and returns the names of its columns that are text.
.write <- function(frame, path) {
  if (!is.data.frame(frame) || nrow(frame) == 0 || ncol(frame) == 0) {
    stop("a frame is a data frame with at least one row and one column", call. = FALSE)
  }
  text <- names(frame)[vapply(frame, function(x) is.factor(x) || is.character(x), TRUE)]
  for (n in text) {
    if (any(as.character(frame[[n]]) == .missing, na.rm = TRUE)) {
      stop(sprintf("column \"%s\": the text \"%s\" stands for a missing cell; rename that level", n, .missing),
           call. = FALSE)
    }
  }
  cells <- lapply(frame, .cells)
  cells <- as.data.frame(cells, stringsAsFactors = FALSE, check.names = FALSE, col.names = names(frame))
  con <- file(path, "wb")
  on.exit(close(con))
  utils::write.table(cells, con, sep = ",", qmethod = "double", na = .missing, row.names = FALSE,
                     quote = which(names(frame) %in% text), fileEncoding = "UTF-8")
  text
}

#' Fit a data frame by a formula.
#'
#' formula is a formula of R or a text. prior, run and further arguments are keys of a spec, for example
#' prior = list(coefficients = "normal(0, 2.5)"), run = list(chains = 4, loo = TRUE), standardize = "none". A list of
#' one text is I("text"). With ledger the fit is added to this file; else it is in a temporary folder, which is deleted
#' with the fit.
glmbatch_fit <- function(frame, formula, family = "gaussian", link = NULL, prior = NULL, method = "auto", seed = 1,
                         ledger = NULL, run = NULL, ...) {
  folder <- tempfile("glmbatch-")
  dir.create(folder)
  folder <- normalizePath(folder)
  done <- FALSE
  on.exit(if (!done) unlink(folder, recursive = TRUE))
  at <- function(name) file.path(folder, name)
  if (inherits(formula, "formula")) formula <- paste(deparse(formula, width.cutoff = 500L), collapse = " ")
  text <- .write(frame, at("data.csv"))
  model <- Filter(Negate(is.null), list(formula = formula, family = family, link = link, prior = prior, ...))
  if (is.null(model$levels)) {
    used <- tryCatch(all.vars(stats::as.formula(formula)), error = function(e) names(frame)) # not R's syntax
    model$levels <- lapply(Filter(function(x) is.factor(x) && nlevels(x) > 1, frame[names(frame) %in% used]),
                           function(x) I(levels(x)))
    if (length(model$levels) == 0) model$levels <- NULL
  }
  source <- list(path = at("data.csv"), null_values = I(.missing))
  if (length(text) > 0) source$types <- as.list(stats::setNames(rep("text", length(text)), text))
  path <- if (is.null(ledger)) at("ledger.duckdb") else file.path(normalizePath(dirname(ledger)), basename(ledger))
  spec <- list(pipeline = "r", database = path, seed = seed, datasets = list(data = source),
               models = list(model = model), samplers = list(sampler = list(method = method)))
  if (!is.null(run)) spec$run <- run
  writeLines(.json(spec), at("spec.yaml"), useBytes = TRUE)
  .call("run", at("spec.yaml"), "--quiet", "--allow", folder, "--allow", dirname(path), accept = 0:1)
  result <- ledger_sql(open_ledger(path), paste(
    "SELECT fit_id, verdict, array_to_string(reasons, chr(10)) AS reasons FROM run_fit WHERE pipeline = 'r'",
    "ORDER BY place DESC, noted DESC LIMIT 1"))
  if (nrow(result) == 0 || identical(result$verdict, "error") || is.na(result$fit_id)) {
    stop(if (nrow(result) > 0) result$reasons else "the fit is not in the ledger", call. = FALSE)
  }
  done <- TRUE
  ledger_fit(open_ledger(path), result$fit_id, folder)
}

#' Open a ledger for reading. The file is opened one call at a time.
open_ledger <- function(path) {
  if (!file.exists(path)) stop("there is no ledger ", path, call. = FALSE)
  structure(list(path = path), class = "glmbatch_ledger")
}

#' Return the rows of a query as a data frame.
ledger_sql <- function(ledger, query) {
  .table(.call("sql", "--database", ledger$path, "--format", "csv", query))
}

#' Return the newest fit of each name.
ledger_fits <- function(ledger) {
  ledger_sql(ledger, "SELECT fit_id, pipeline, dataset, key, model, sampler, verdict, state FROM latest")
}

#' Return a fit by its number. folder is for glmbatch_fit alone.
ledger_fit <- function(ledger, number, folder = NULL) {
  facts <- ledger_sql(ledger, sprintf(
    "SELECT verdict, unnest(CASE WHEN len(reasons) > 0 THEN reasons ELSE [''] END) AS reason FROM fit WHERE fit_id = %d",
    as.integer(number)))
  if (nrow(facts) == 0) stop(sprintf("the ledger %s has no fit %d", ledger$path, as.integer(number)), call. = FALSE)
  fit <- list(ledger = ledger, number = as.integer(number), verdict = facts$verdict[1],
              reasons = facts$reason[!is.na(facts$reason) & nzchar(facts$reason)])
  if (!is.null(folder)) {
    fit$spec <- file.path(folder, "spec.yaml")
    fit$files <- new.env()
    reg.finalizer(fit$files, function(e) unlink(folder, recursive = TRUE), onexit = TRUE)
  }
  structure(fit, class = "glmbatch_fit")
}

#' Return a row for each parameter: mean, sd, quantiles, R-hat and effective sample sizes.
summary.glmbatch_fit <- function(object, ...) {
  .table(.call("show", as.character(object$number), "--all", "--database", object$ledger$path, "--format", "csv"))
}

print.glmbatch_fit <- function(x, ...) {
  cat(x$verdict, if (length(x$reasons) > 0) paste0(": ", paste(x$reasons, collapse = "; ")), "\n", sep = "")
  s <- summary(x)
  print(s[s$kind != "statistic", c("parameter", "mean", "sd", "q025", "q975", "rhat", "ess_bulk")], row.names = FALSE)
  invisible(x)
}

#' Return the draws: a draws_df of the package posterior if it is installed, else a data frame with its columns.
draws <- function(fit) {
  rows <- ledger_sql(fit$ledger, sprintf(
    "SELECT parameter, chain, iteration, value FROM draws WHERE fit_id = %d ORDER BY parameter, chain, iteration",
    fit$number))
  if (nrow(rows) == 0) stop("the ledger has no draws of this fit", call. = FALSE)
  each <- split(rows$value, factor(rows$parameter, unique(rows$parameter)))
  order <- intersect(summary(fit)$parameter, names(each))
  one <- rows[rows$parameter == rows$parameter[1], ]
  out <- as.data.frame(each[c(order, setdiff(names(each), order))], check.names = FALSE)
  names(out) <- c(order, setdiff(names(each), order))
  out$.chain <- one$chain
  out$.iteration <- one$iteration
  out$.draw <- seq_len(nrow(out))
  if (requireNamespace("posterior", quietly = TRUE)) posterior::as_draws_df(out) else out
}

#' Return means of the response at values of a variable, as pipeline effects does.
#'
#' Options are its flags with underscores: at = "age=30,50", contrast = "pairwise", average = TRUE.
effects.glmbatch_fit <- function(object, variable, ...) {
  if (is.null(object$spec)) stop("effects needs the data: call it on the result of glmbatch_fit()", call. = FALSE)
  options <- list(...)
  flags <- unlist(lapply(names(options), function(n) {
    flag <- paste0("--", gsub("_", "-", n))
    unlist(lapply(options[[n]], function(v) if (isTRUE(v)) flag else if (!isFALSE(v)) c(flag, as.character(v))))
  }))
  .table(.call("effects", object$spec, variable, "--format", "csv", flags))
}
