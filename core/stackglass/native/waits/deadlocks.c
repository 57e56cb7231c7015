/* Finds cycles in a graph of out-degree one: each thread waits for at most one holder.
 *
 *     mark      from each row follow the holders up to a row that was visited before: a cycle if
 *               this walk has visited it, else none
 *     watch     remember each member: its wait, and how it is blocked
 *     confirm   judge each cycle as a whole: if one member has run, it is no deadlock
 *
 * The holder's row is found by binary search in rows sorted by thread, so the whole takes O(n log
 * n) time. */
#include "waits/deadlocks.h"

#include <stdlib.h>
#include <string.h>

#include "platform/futex_sleepers.h"
#include "platform/thread_ids.h"

/* A member of a cycle, and how it was blocked when it was watched. */
struct watched {
    struct sg_lock_waiter wait;
    struct sg_rest rest;
};

/* Used by the writer only. */
static struct {
    struct watched *members; /* (n,); owned */
    size_t n;
} candidates;

/* ---- Cycles ---- */

struct place {
    pid_t tid; /* first: rows are sorted by it */
    uint32_t row;
};

/* Return the rows' places, (n,) sorted by thread, malloc'ed; NULL if memory is short. */
static struct place *sort_rows(const struct sg_lock_waiter *waits, size_t n) {
    struct place *places = malloc((n + 1) * sizeof *places);
    for (size_t i = 0; places && i < n; i++)
        places[i] = (struct place){waits[i].tid, (uint32_t)i};
    if (places)
        qsort(places, n, sizeof *places, sg_thread_ids_compare);
    return places;
}

enum { NO_ROW = UINT32_MAX };

/* Return the row of the thread for which a row's thread waits; NO_ROW = there is none. */
static uint32_t next_row(const struct place *places, const struct sg_lock_waiter *waits, size_t n,
                         uint32_t row) {
    struct place wanted = {.tid = waits[row].holder.tid};
    const struct place *found =
        wanted.tid ? bsearch(&wanted, places, n, sizeof *places, sg_thread_ids_compare) : NULL;
    return found ? found->row : NO_ROW;
}

void sg_deadlocks_mark(struct sg_lock_waiter *waits, size_t n) {
    struct place *places = sort_rows(waits, n);
    /* number of the walk that visited each row; 0 = none */
    uint32_t *walks = calloc(n + 1, sizeof *walks);
    for (size_t i = 0; i < n; i++)
        waits[i].is_in_cycle = false;
    for (uint32_t start = 0; places && walks && start < n; start++) {
        uint32_t row = start;
        while (row != NO_ROW && !walks[row]) {
            walks[row] = start + 1;
            row = next_row(places, waits, n, row);
        }
        if (row == NO_ROW || walks[row] != start + 1)
            continue; /* the walk ends, or joins an earlier one */
        for (; !waits[row].is_in_cycle; row = next_row(places, waits, n, row))
            waits[row].is_in_cycle = true;
    }
    free(places);
    free(walks);
}

/* ---- Rest ---- */

void sg_deadlocks_forget(void) {
    free(candidates.members);
    candidates.members = NULL;
    candidates.n = 0;
}

void sg_deadlocks_after_fork_in_child(void) {
    candidates.members = NULL;
    candidates.n = 0;
}

bool sg_deadlocks_watch(const struct sg_lock_waiter *waits, size_t n) {
    size_t n_members = 0;
    sg_deadlocks_forget();
    for (size_t i = 0; i < n; i++)
        n_members += waits[i].is_in_cycle;
    candidates.members = n_members ? malloc(n_members * sizeof *candidates.members) : NULL;
    for (size_t i = 0; candidates.members && i < n; i++) {
        if (!waits[i].is_in_cycle)
            continue;
        struct watched *member = &candidates.members[candidates.n++];
        member->wait = waits[i];
        sg_futex_sleepers_read_rest(waits[i].tid, &member->rest);
    }
    return candidates.n > 0;
}

static bool is_same_wait(const struct sg_lock_waiter *wait, const struct sg_lock_waiter *before) {
    return wait->tid == before->tid && wait->thread == before->thread &&
           wait->primitive == before->primitive && wait->object == before->object &&
           wait->lock == before->lock && wait->since_mono_ns == before->since_mono_ns &&
           wait->holder.tid == before->holder.tid && wait->holder.source == before->holder.source;
}

static bool has_rested(const struct sg_lock_waiter *wait) {
    struct sg_rest now;
    for (size_t i = 0; i < candidates.n; i++) {
        const struct watched *before = &candidates.members[i];
        if (before->wait.tid == wait->tid)
            return is_same_wait(wait, &before->wait) && !before->rest.is_timed &&
                   sg_futex_sleepers_read_rest(wait->tid, &now) &&
                   sg_futex_sleepers_rest_equals(&now, &before->rest);
    }
    return false;
}

static bool is_proven(const struct sg_lock_waiter *wait) {
    switch (wait->holder.source) {
    case SG_HOLDER_OWNS:
    case SG_HOLDER_JOINED:
        return true;
    case SG_HOLDER_TOOK:
        return wait->is_in_block;
    case SG_HOLDER_INSIDE:
        return wait->holder.tid != wait->tid || wait->primitive == SG_PRIMITIVE_LOCK_ENTER;
    default:
        return false;
    }
}

/* Judge the cycle that contains row `first`. */
static enum sg_stuck judge(const struct place *places, const struct sg_lock_waiter *waits, size_t n,
                           uint32_t first) {
    bool are_proven = true, has_others = false;
    uint32_t row = first;
    do {
        if (!has_rested(&waits[row]))
            return SG_NOT_STUCK;
        are_proven &= is_proven(&waits[row]);
        has_others |= row != first;
        row = next_row(places, waits, n, row);
    } while (row != first);
    if (are_proven)
        return SG_STUCK_DEADLOCKED;
    return has_others ? SG_STUCK_MAYBE : SG_NOT_STUCK;
}

void sg_deadlocks_confirm(struct sg_lock_waiter *waits, size_t n) {
    struct place *places = sort_rows(waits, n);
    bool *are_judged = calloc(n + 1, sizeof *are_judged);
    for (uint32_t first = 0; places && are_judged && first < n; first++) {
        if (!waits[first].is_in_cycle || are_judged[first])
            continue;
        enum sg_stuck stuck = judge(places, waits, n, first);
        for (uint32_t row = first; !are_judged[row]; row = next_row(places, waits, n, row)) {
            are_judged[row] = true;
            waits[row].stuck = stuck;
        }
    }
    free(places);
    free(are_judged);
    sg_deadlocks_forget();
}
