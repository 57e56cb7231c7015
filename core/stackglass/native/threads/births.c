/* A list of at most 64 thread states that have no thread yet, and comparisons of their tids with
 * what they were at first. A state is an address that is followed only while the interpreter lists
 * it.
 *
 *     its tid has changed        ─▶ born: reported
 *     it is no longer listed     ─▶ born and gone: reported as 0
 *
 * Up to 3.11 a state has its creator's tid until its thread writes its own. Of several states with
 * one tid the oldest is the creator's; the newer ones are not born. */
#include "threads/births.h"

#include "cpu/snapshot.h"
#include "interpreter/interpreters.h"
#include "platform/engine_threads.h"

enum { MOST_UNBORN = 64, MOST_LOOKS = 50 };
static const int64_t LOOK_NS = 20 * 1000 * 1000;

struct unborn {
    void *interp, *thread; /* addresses, followed only while they are in the interpreter's lists */
    pid_t tid;             /* what its state had at first: 0, or its creator's */
    bool is_there;         /* seen by the look that runs */
};

/* Guarded by the GIL; n_unborn is read by the writer between jobs, looks are the writer's. */
static struct unborn unborn[MOST_UNBORN];
static size_t n_unborn;
static int n_looks; /* since the first states */
static int64_t looked_ns;

static bool add(void *interp, void *thread, pid_t tid) {
    if (n_unborn == MOST_UNBORN)
        return false;
    unborn[n_unborn++] = (struct unborn){interp, thread, tid, false};
    return true;
}

size_t sg_births_follow(void *interp, const struct sg_births_states *states,
                        const uint32_t *repeated, size_t n_repeated) {
    void *newer[MOST_UNBORN] = {0}; /* (n_repeated,): states with that tid; the list's are older */
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
    for (void *thread = sg_interpreter_thread(interp); thread;
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
