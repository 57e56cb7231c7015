/* Progress and cancellation of a long loop. */
#ifndef SG_TICK_H
#define SG_TICK_H

/* Called with the share done, 0 … 1, without the GIL. 0 = go on, -1 = stop. */
struct sg_ticker {
    int (*tick)(struct sg_ticker *ticker, double done);
};

static inline int sg_tick(struct sg_ticker *ticker, double done) {
    return ticker->tick(ticker, done);
}

#endif
