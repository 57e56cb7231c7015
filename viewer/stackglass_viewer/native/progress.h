/* Progress and cancellation of a long loop. */
#ifndef SG_PROGRESS_H
#define SG_PROGRESS_H

/* The loop calls `report` now and then with the share that is done, 0 … 1, without the GIL. It
 * returns 0 to go on, or -1 to stop the loop. */
struct sg_progress {
    int (*report)(struct sg_progress *progress, double done);
};

static inline int sg_progress_report(struct sg_progress *progress, double done) {
    return progress->report(progress, done);
}

#endif
