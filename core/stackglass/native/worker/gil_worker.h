/* GIL worker: the engine thread that does all work that needs the GIL or the loader's lock, so that
 * the writer never waits for either.
 *
 *     writer ──post──▶ job ──▶ worker: takes the GIL, runs it, releases the GIL ──▶ not busy
 *                                └─ SG_JOB_NATIVE: runs it without the GIL ──────────┘
 *
 * There is one job at a time. From post until the worker is no longer busy the job belongs to the
 * worker, otherwise to the writer. No job imports modules, prints, or leaves an exception.
 *
 * Work that grows with the program is divided, so that each job holds the GIL for a few
 * milliseconds at most. A job names at most SG_MOST_JOB_CODES code objects. Other work runs in
 * slices: a job stops when its time is over, and the writer posts it again for the next slice. Not
 * divided are a collection, a snapshot of all threads, and the beginning of a memory trace. */
#ifndef STACKGLASS_WORKER_GIL_WORKER_H
#define STACKGLASS_WORKER_GIL_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/module_names.h"
#include "worker/job.h"

/* Shared by the worker and the writer. The worker changes the paths only during jobs, so the writer
 * may read them between jobs. While a job of kind SG_JOB_NAME waits for the GIL, the writer may
 * read which code objects it is to name. */
struct sg_gil_worker {
    struct sg_job job;
    struct sg_paths paths;
};
extern struct sg_gil_worker sg_gil_worker;

/* Run jobs on the calling thread, the worker, until sg_gil_worker_end. */
void sg_gil_worker_run(void);

/* ---- The writer calls these ---- */

/* Hand sg_gil_worker.job to the worker, as a job of this kind. Must not be called while the worker
 * is busy. */
void sg_gil_worker_post(enum sg_job_kind kind);
/* Return whether the posted job is not done yet. A job that failed is done too: job.problem says
 * why. */
bool sg_gil_worker_is_busy(void);
/* Wait until the worker is not busy, at most `most_ns`. May return early. */
void sg_gil_worker_wait(int64_t most_ns);
/* If the worker has been waiting long for the GIL, make the main thread hand it over
 * (gil_handover.h). Called periodically while the worker is busy. */
void sg_gil_worker_request_gil(void);
/* Return how long the present job has been waiting for the GIL; 0 = it is not waiting. */
int64_t sg_gil_worker_gil_wait_ns(void);
/* Free the results of the last job, between jobs. sg_gil_worker_close calls it as well. */
void sg_gil_worker_free_results(void);
/* Make sg_gil_worker_run return after the posted job, which is abandoned if it cannot get the GIL
 * because of another interpreter. */
void sg_gil_worker_end(void);

/* ---- Others ---- */

/* Note that the interpreter is initialized, because Python code has called the engine. Without the
 * note jobs wait for Py_IsInitialized. From 3.15 on that is false until site has been imported, and
 * the engine of a recorded program is called from there. Any thread. */
void sg_gil_worker_note_initialized(void);

/* Reset the state: no job is posted, and the interpreter is not ending. Called before the worker
 * starts, and in a forked child, where there is no worker. Frees nothing. */
void sg_gil_worker_reset(void);
/* Free everything. The worker's thread calls it once sg_gil_worker_run has returned and the writer
 * has ended. */
void sg_gil_worker_close(void);

#endif
