/* GIL worker: the thread for everything that needs the GIL or the loader's lock, so that the writer
 * never waits for either.
 *
 *     writer ──post──▶ job ──▶ worker: takes the GIL, runs it, releases the GIL ──▶ not busy
 *
 * One job at a time: from post until it is no longer busy it belongs to the worker, otherwise to
 * the writer. No job imports, prints, or leaves an exception. None holds the GIL for more than
 * SG_MAX_NAMES code objects or one slice, except a collection. */
#ifndef STACKGLASS_WORKER_GIL_WORKER_H
#define STACKGLASS_WORKER_GIL_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/module_names.h"
#include "worker/job.h"

/* Shared by both threads. The worker changes the paths during jobs only, so that the writer may use
 * them between jobs. */
struct sg_gil_worker {
    struct sg_job job;
    struct sg_paths paths;
};
extern struct sg_gil_worker sg_gil_worker;

/* Run jobs on the calling thread until sg_gil_worker_end. */
void sg_gil_worker_run(void);

/* By the writer. */
void sg_gil_worker_post(enum sg_job_kind kind);
bool sg_gil_worker_is_busy(void);
/* Wait until the worker is not busy, `most_ns` at most. May return early. */
void sg_gil_worker_wait(int64_t most_ns);
/* Periodically while the worker is busy: requests the GIL from the main thread if the wait gets
 * long. */
void sg_gil_worker_maintain(void);
/* How long the present job has been waiting for the GIL; 0 = it is not waiting. */
int64_t sg_gil_worker_gil_wait_ns(void);
/* Have sg_gil_worker_run return, after the posted job. */
void sg_gil_worker_end(void);

/* Python code has called the engine, so the interpreter is initialized. From 3.15 on
 * Py_IsInitialized is false until site has been imported, and a recorded program's engine enters
 * from there. */
void sg_gil_worker_vouch(void);

/* Reset: no job posted, and the interpreter runs. No worker runs. */
void sg_gil_worker_open(void);
/* Free the results of the last job. By the writer between jobs; at the end; in a forked child. */
void sg_gil_worker_free_results(void);
/* Free everything, once sg_gil_worker_run has returned. */
void sg_gil_worker_close(void);

#endif
