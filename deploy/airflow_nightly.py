"""A nightly run under Airflow: copy this file into the folder of DAGs."""

import json
import subprocess

import pendulum
from airflow.decorators import dag, task
from airflow.exceptions import AirflowException, AirflowFailException

SPEC = "/srv/glmbatch/nightly.yaml"


@dag(
    schedule="0 2 * * *",
    start_date=pendulum.datetime(2026, 1, 1, tz="Europe/Vienna"),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 3, "retry_delay": pendulum.duration(minutes=10)},
)
def nightly():
    @task
    def fit():
        command = ["pipeline", "run", SPEC, "--quiet", "--output", "json"]
        run = subprocess.run(command, capture_output=True, text=True)
        print(run.stderr)
        if run.returncode in (1, 2):  # a fit failed, or the spec is wrong: the same inputs give the same result
            raise AirflowFailException(run.stderr)
        if run.returncode != 0:  # stopped, killed, or not stored: a retry resumes
            raise AirflowException(run.stderr)
        return json.loads(run.stdout)["counts"]  # an XCom: {"pass": 12}

    fit()


nightly()
