/* At most 64 thread states without a thread, and comparisons of their tids with the first value
 * read:
 *
 *     the tid has changed            ─▶ born: reported
 *     the state is no longer listed  ─▶ born and gone: reported as 0
 *
 * Up to 3.11 a state has its creator's tid until its thread writes its own. Of several states with
 * one tid the oldest belongs to the creator; the threads of the newer ones are not born. An address
 * of a state is followed only while the interpreter lists it. */
#include "threads/births.h"

#include "cpu/snapshot.h"
#include "interpreter/interpreters.h"
#include "platform/engine_threads.h"

enum { MOST_UNBORN = 64, MOST_LOOKS = 50 };
static const int64_t LOOK_NS = 20 * 1000 * 1000;

struct unborn {
    void *interp, *thread; /* addresses; `thread` is read only while it is listed */
    pid_t tid;             /* the tid that the state had at first: 0, or its creator's */
    bool is_there;         /* listed during the check that runs */
};

/* The GIL guards the list. The writer reads `n_unborn` between jobs; it alone uses `n_looks` and
 * `looked_ns` meanwhile. */
static struct unborn unborn[MOST_UNBORN];
static size_t n_unborn;
static int n_looks; /* checks since states were last added */
static int64_t looked_ns;

static bool add(void *interp, void *thread, pid_t tid) {
    if (n_unborn == MOST_UNBORN)
        return false;
    unborn[n_unborn++] = (struct unborn){interp, thread, tid, false};
    return true;
}

size_t sg_births_follow(void *interp, const struct sg_births_states *states,
                        const uint32_t *repeated, size_t n_repeated) {
    /* (n_repeated,): the last state seen with that tid; later ones in the list are older */
    void *newer[MOST_UNBORN] = {0};
    size_t n_left_out = n_repeated > MOST_UNBORN ? n_repeated - MOST_UNBORN : 0;
    n_repeated -= n_left_out;
    n_looks = 0;
    for (size_t s = 0; s < states->n; s++) {
        void *thread = states->at[s].thread;
        pid_t tid = states->at[s].tid;
        if (!tid)
            n_left_out += !add(interp, thread, 0);
        for (size_t i = 0; tid && i < n_repeated; i++)
            if (repeated[i] == (uint32_t)tid) {
                n_left_out += newer[i] && !add(interp, newer[i], tid);
                newer[i] = thread;
            }
    }
    return n_left_out;
}

static void find_in(void *interp, void (*report)(pid_t tid)) {
    uint32_t n_threads = sg_interpreters_most_threads(interp);
    for (void *thread = sg_interpreter_thread(interp); thread && n_threads--;
         thread = sg_interpreter_next_thread(thread))
        for (size_t i = 0; i < n_unborn; i++) {
            if (unborn[i].thread != thread || unborn[i].interp != interp)
                continue;
            pid_t tid = sg_snapshot_tid(thread);
            unborn[i].is_there = true;
            if (!tid || tid == unborn[i].tid)
                continue;
            if (!sg_engine_threads_has(tid))
                report(tid);
            unborn[i--] = unborn[--n_unborn];
        }
}

void sg_births_look(void (*report)(pid_t tid)) {
    uint32_t n_interpreters = sg_interpreters_count();
    for (size_t i = 0; i < n_unborn; i++)
        unborn[i].is_there = false;
    for (void *interp = sg_interpreter_first(); interp && n_interpreters--;
         interp = sg_interpreter_next(interp))
        find_in(interp, report);
    for (size_t i = 0; i < n_unborn; i++)
        if (!unborn[i].is_there) {
            report(0);
            unborn[i--] = unborn[--n_unborn];
        }
}

bool sg_births_are_due(int64_t now_ns) {
    if (!n_unborn || n_looks == MOST_LOOKS || now_ns - looked_ns < LOOK_NS)
        return false;
    n_looks++;
    looked_ns = now_ns;
    return true;
}

void sg_births_forget(void) {
    n_unborn = 0;
    looked_ns = 0;
}
