/* A snapshot of suspended tasks, and its delivery as samples.
 *
 *     due, at random ─▶ slices with the GIL ─▶ ready ─▶ drained: sorted by labels, thread, stack
 *      ▲                                          │
 *      └── a pause of 100 times its CPU time, or more
 *
 * Equal rows make one sample: its time is their number times the time since the snapshot before. If
 * there are more than 4096 tasks, one in `one_in` is chosen at random, and stands for the
 * others. */
#include "threads/task_samples.h"

#include <stdlib.h>
#include <string.h>

#include "interpreter/debug_offsets.h"
#include "labels/labels.h"
#include "platform/random_bits.h"
#include "platform/time.h"
#include "tasks/asyncio_offsets.h"
#include "tasks/coroutine_frames.h"
#include "tasks/names.h"
#include "tasks/running.h"
#include "threads/dump_seen.h"
#include "threads/dump_tasks.h"
#include "threads/task_counts.h"

enum {
    FIRST_MINOR_WITH_RINGS = 14,
    MOST_HZ = 4,       /* snapshots a second, on average */
    MOST_COST = 100,   /* snapshots take 1/MOST_COST of a processor at most, on average */
    MOST_TASKS = 4096, /* tasks of a snapshot; if there are more, one in `one_in` is chosen */
    NS_PER_S = 1000 * 1000 * 1000,
};
#define WITHOUT_TASKS_NS (INT64_C(2) * NS_PER_S)

/* The writer and the worker own these in turn: the one that has the job. */
static struct sg_thread_dump look; /* used for its tasks; it has no threads and no greenlets */
static bool is_open;               /* the wall profile is on */
static bool is_ready;              /* the snapshot is complete, and waits to be drained */
/* time of the snapshot before, or when the profile was turned on */
static int64_t before_ns;
/* time of the next snapshot; during a snapshot, the pause after it */
static int64_t due_ns;
static uint64_t cost_ns; /* CPU time of this look */

static void free_look(void) {
    SG_ROWS_FREE(&look.tasks);
    SG_ROWS_FREE(&look.edges);
    SG_ROWS_FREE(&look.frames);
    SG_ROWS_FREE(&look.texts);
    sg_hash_table_free(&look.seen);
    memset(&look, 0, sizeof look);
    is_ready = false;
}

/* Return a random pause, so that snapshots do not synchronise with a periodic program. */
static int64_t choose_rest_ns(unsigned wall_hz) {
    unsigned hz = wall_hz < MOST_HZ ? wall_hz : MOST_HZ;
    uint64_t period_ns = NS_PER_S / hz;
    return (int64_t)(period_ns / 2 + sg_random_bits() % (period_ns + 1));
}

bool sg_task_samples_are_due(unsigned wall_hz, int64_t now_mono_ns) {
    if (!wall_hz) {
        if (is_open)
            sg_task_samples_close();
        return false;
    }
    if (!is_open) {
        is_open = true;
        before_ns = now_mono_ns;
        due_ns = now_mono_ns + choose_rest_ns(wall_hz);
    }
    if (look.is_begun)
        return !is_ready;
    if (now_mono_ns < due_ns)
        return false;
    if (sg_debug_offsets.minor >= FIRST_MINOR_WITH_RINGS)
        sg_asyncio_offsets_search();
    look = (struct sg_thread_dump){
        .is_begun = true, .is_whole = true, .seen.entry_bytes = sizeof(uint64_t)};
    due_ns = choose_rest_ns(wall_hz); /* counts from the end of the snapshot */
    cost_ns = 0;
    return true;
}

void sg_task_samples_continue(int64_t budget_ns) {
    if (!look.n_slices++) {
        sg_coroutine_frames_prepare();
        look.taken_mono_ns = sg_time_mono_ns();
        look.one_in = (uint32_t)((sg_task_counts_estimate() + MOST_TASKS - 1) / MOST_TASKS);
        look.choice = sg_random_bits();
    }
    look.is_done = sg_dump_tasks_take(&look, budget_ns);
}

void sg_task_samples_note_cost(uint64_t cpu_ns, int64_t now_mono_ns) {
    cost_ns += cpu_ns;
    sg_dump_seen_note(&look);
    if (!look.is_done)
        return;
    is_ready = true;
    int64_t rest_ns = due_ns, least_ns = (int64_t)(MOST_COST * cost_ns);
    if (!look.tasks.n)
        least_ns = WITHOUT_TASKS_NS;
    due_ns = now_mono_ns + (rest_ns > least_ns ? rest_ns : least_ns);
}

/* ---- Drain ---- */

/* Return whether asyncio made up the name, as "Task-12". A server has a task for each request. */
static bool is_numbered(const char *name) {
    static const char prefix[] = "Task-";
    size_t at = sizeof prefix - 1;
    return strncmp(name, prefix, at) == 0 && name[at] &&
           strspn(name + at, "0123456789") == strlen(name + at);
}

/* Add the name to the table of task names, cut between two characters as the names of running tasks
 * are. Returns its number. */
static uint32_t put_name(const char *name) {
    static const char ellipsis[] = "…";
    enum { MOST_BYTES = SG_TASK_NAME_BYTES - 1, N_CUT = MOST_BYTES - (sizeof ellipsis - 1) };
    uint8_t row[2 + MOST_BYTES] = {0};
    size_t n = strlen(name), n_kept = n;
    if (n > MOST_BYTES) {
        for (n_kept = N_CUT; n_kept && ((unsigned char)name[n_kept] & 0xC0) == 0x80;)
            n_kept--;
        memcpy(row + 2 + n_kept, ellipsis, sizeof ellipsis - 1);
        n = n_kept + sizeof ellipsis - 1;
    }
    memcpy(row + 2, name, n_kept);
    row[1] = (uint8_t)n;
    return sg_task_names_put(row, 2 + n, false);
}

static uint32_t label_of(const struct sg_dumped_task *task) {
    const char *name = look.texts.at ? look.texts.at + task->name : "";
    if (task->number || is_numbered(name))
        return task->labels | SG_OTHER_TASKS << SG_TASK_LABEL_SHIFT;
    return task->labels | (*name ? put_name(name) << SG_TASK_LABEL_SHIFT : 0);
}

static int compare(const void *left, const void *right) {
    const struct sg_dumped_task *a = left, *b = right;
    if (a->labels != b->labels)
        return a->labels < b->labels ? -1 : 1;
    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return memcmp(look.frames.at + a->first_frame, look.frames.at + b->first_frame,
                  a->depth * sizeof *look.frames.at);
}

/* Deliver `n` equal rows as one sample. Each row stands for `one_in` tasks. */
static void deliver_rows(const struct sg_dumped_task *row, uint32_t n, sg_sample_fn *deliver,
                         void *context) {
    static const struct sg_frame unknown = {SG_UNKNOWN, -1};
    if (look.one_in > 1)
        n *= look.one_in;
    const struct sg_sample sample = {
        .tid = row->tid,
        .labels = row->labels,
        .time = sg_sample_time(),
        .count = n,
        .cpu_ns = (uint64_t)(look.taken_mono_ns - before_ns) * n,
        .depth = row->depth ? row->depth : 1,
        .frames = row->depth ? look.frames.at + row->first_frame : &unknown,
        .wall_state = SG_WALL_SUSPENDED + 1,
        .call = -1,
    };
    deliver(context, &sample);
}

void sg_task_samples_drain(sg_sample_fn *deliver, void *context) {
    if (!is_ready)
        return;
    size_t n = 0;
    for (size_t i = 0; i < look.tasks.n; i++) {
        if (look.tasks.at[i].state != SG_TASK_SUSPENDED)
            continue;
        look.tasks.at[n] = look.tasks.at[i];
        look.tasks.at[n].labels = label_of(&look.tasks.at[n]);
        n++;
    }
    if (n)
        qsort(look.tasks.at, n, sizeof *look.tasks.at, compare);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && compare(&look.tasks.at[i], &look.tasks.at[end]) == 0;)
            end++;
        deliver_rows(&look.tasks.at[i], (uint32_t)(end - i), deliver, context);
    }
    before_ns = look.taken_mono_ns;
    free_look();
}

void sg_task_samples_close(void) {
    free_look();
    is_open = false;
}

void sg_task_samples_after_fork_in_child(void) {
    memset(&look, 0, sizeof look);
    is_open = is_ready = false;
}
