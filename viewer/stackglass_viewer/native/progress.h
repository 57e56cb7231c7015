/* Progress and cancellation of a long loop. */
#ifndef SG_PROGRESS_H
#define SG_PROGRESS_H

/* Called with the share done, 0 … 1, without the GIL. 0 = go on, -1 = stop. */
struct sg_progress {
    int (*report)(struct sg_progress *progress, double done);
};

static inline int sg_progress_report(struct sg_progress *progress, double done) {
    return progress->report(progress, done);
}

#endif
