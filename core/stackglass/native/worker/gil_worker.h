/* GIL worker: the engine thread that does all work that needs the GIL or the loader's lock, so that
 * the writer never waits for either.
 *
 *     writer ──post──▶ job ──▶ worker: takes the GIL, runs it, releases the GIL ──▶ not busy
 *
 * There is one job at a time. From post until the worker is no longer busy the job belongs to the
 * worker, otherwise to the writer. No job imports modules, prints, or leaves an exception. Work
 * that grows with the program is cut into jobs of SG_MAX_NAMES code objects or one slice, except a
 * collection, a snapshot of all threads, and the beginning of a memory trace. */
#ifndef STACKGLASS_WORKER_GIL_WORKER_H
#define STACKGLASS_WORKER_GIL_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/module_names.h"
#include "worker/job.h"

/* Shared by the worker and the writer. The worker changes the paths only during jobs, so the writer
 * may use them between jobs. */
struct sg_gil_worker {
    struct sg_job job;
    struct sg_paths paths;
};
extern struct sg_gil_worker sg_gil_worker;

/* Run jobs on the calling thread until sg_gil_worker_end. */
void sg_gil_worker_run(void);

/* Hand the job to the worker. sg_gil_worker_is_busy returns whether the job is not done yet. The
 * writer calls both. */
void sg_gil_worker_post(enum sg_job_kind kind);
bool sg_gil_worker_is_busy(void);
/* Wait until the worker is not busy, at most `most_ns`. May return early. */
void sg_gil_worker_wait(int64_t most_ns);
/* Request the GIL from the main thread if the worker's wait for it gets long. Called periodically
 * while the worker is busy. */
void sg_gil_worker_maintain(void);
/* Return how long the present job has been waiting for the GIL; 0 = it is not waiting. */
int64_t sg_gil_worker_gil_wait_ns(void);
/* Make sg_gil_worker_run return after the posted job. */
void sg_gil_worker_end(void);

/* Note that Python code has called the engine, so the interpreter is initialized. From 3.15 on
 * Py_IsInitialized is false until site has been imported, and the engine of a recorded program is
 * called from there. */
void sg_gil_worker_vouch(void);

/* Reset the state: no job is posted, and the interpreter runs. No worker may run. */
void sg_gil_worker_open(void);
/* Free the results of the last job. The writer calls it between jobs; it is also called at the
 * end. */
void sg_gil_worker_free_results(void);
/* Free everything, once sg_gil_worker_run has returned. */
void sg_gil_worker_close(void);

#endif
