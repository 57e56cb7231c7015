/* Takes the slices of a dump. The steps follow in this order, and a slice continues where the one
 * before ran out of time.
 *
 *     threads ─▶ tasks ─▶ greenlets ─▶ names of threads ─▶ waits for locks ─▶ leaks, if wanted
 *
 * The writer's parts lie around it: begin reads /proc before, settle reads it again after. */
#include "threads/thread_dump.h"

#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "interpreter/debug_offsets.h"
#include "platform/time.h"
#include "platform/vector.h"
#include "tasks/asyncio_offsets.h"
#include "tasks/coroutine_frames.h"
#include "threads/dump_creations.h"
#include "threads/dump_greenlets.h"
#include "threads/dump_leaks.h"
#include "threads/dump_seen.h"
#include "threads/dump_tasks.h"
#include "threads/dump_threads.h"
#include "threads/dump_waits.h"
#include "threads/task_creations.h"

enum { FIRST_MINOR_WITH_RINGS = 14 };

static struct sg_thread_dump dump; /* thread_dump.h says which thread owns it */

/* Write to each page, so that the kernel maps it now. */
static void touch(void *memory, size_t size) {
    enum { PAGE_BYTES = 4096 }; /* pages may be larger, never smaller */
    for (size_t at = 0; memory && at < size; at += PAGE_BYTES)
        ((volatile char *)memory)[at] = 0;
}

/* Reserve room, so that the first thousands of tasks need no allocation and no page faults while
 * the GIL is held. If memory is short, the dump allocates as it goes. */
static void reserve(struct sg_thread_dump *into) {
    enum { THREADS = 64, TASKS = 1 << 14, FRAMES = 1 << 16, TEXT_BYTES = 1 << 19 };
    SG_ROWS_RESERVE(&into->threads, into->n_sleepers + THREADS);
    SG_ROWS_RESERVE(&into->tasks, TASKS);
    SG_ROWS_RESERVE(&into->frames, FRAMES);
    SG_ROWS_RESERVE(&into->texts, TEXT_BYTES);
    touch(into->threads.at, into->threads.capacity * sizeof *into->threads.at);
    touch(into->tasks.at, into->tasks.capacity * sizeof *into->tasks.at);
    touch(into->frames.at, into->frames.capacity * sizeof *into->frames.at);
    touch(into->texts.at, into->texts.capacity);
}

void sg_thread_dump_begin(bool wants_leaks) {
    sg_thread_dump_end();
    if (sg_debug_offsets.minor >= FIRST_MINOR_WITH_RINGS)
        sg_asyncio_offsets_search();
    dump = (struct sg_thread_dump){.is_begun = true,
                                   .is_whole = true,
                                   .next_id = UINT64_MAX,
                                   .next_wait_id = UINT64_MAX,
                                   .seen.entry_bytes = sizeof(uint64_t)};
    sg_dump_creations_begin(&dump);
    dump.sleepers = sg_dump_threads_list_sleepers(&dump.n_sleepers);
    reserve(&dump);
    sg_dump_threads_list_tids(&dump);
    dump.wants_leaks = wants_leaks;
    if (wants_leaks)
        sg_dump_leaks_begin(&dump);
}

static int64_t read_cpu_ns(void) { return (int64_t)sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

/* Read threads, tasks and greenlets, which are of one moment if they fit into one slice. */
static void take_moment(int64_t end_ns) {
    size_t n_before = dump.threads.n + dump.tasks.n;
    if (!dump.n_slices) {
        sg_thread_states_prepare();
        sg_coroutine_frames_prepare();
        sg_task_creations_learn();
        dump.taken_mono_ns = sg_time_mono_ns();
    }
    if (!dump.has_threads)
        dump.has_threads = sg_dump_threads_take(&dump, end_ns);
    if (!dump.has_tasks)
        dump.has_tasks = dump.has_threads && sg_dump_tasks_take(&dump, end_ns - read_cpu_ns());
    bool is_searched = dump.has_greenlet_walk;
    if (dump.has_tasks)
        dump.has_greenlets = sg_dump_greenlets_take(&dump, end_ns - read_cpu_ns());
    /* A slice does not count if it has found nothing left to read. */
    dump.n_slices += !dump.n_slices || is_searched || dump.threads.n + dump.tasks.n > n_before;
}

bool sg_thread_dump_continue(int64_t budget_ns) {
    int64_t end_ns = read_cpu_ns() + budget_ns;
    if (!dump.has_greenlets)
        take_moment(end_ns);
    dump.is_done = dump.has_greenlets && sg_dump_threads_name(&dump, end_ns);
    if (dump.is_done)
        dump.is_done = sg_dump_waits_take(&dump, end_ns);
    if (dump.is_done && dump.wants_leaks)
        dump.is_done = sg_dump_leaks_take(&dump);
    return dump.is_done;
}

void sg_thread_dump_note_hold(uint64_t held_ns, uint64_t cpu_ns) {
    if (held_ns > dump.longest_hold_ns)
        dump.longest_hold_ns = held_ns;
    if (cpu_ns > dump.longest_cpu_ns)
        dump.longest_cpu_ns = cpu_ns;
    sg_dump_seen_note(&dump);
}

size_t sg_thread_dump_list_codes_if_short(sg_code_id *ids, size_t max) {
    enum { PLACES = 2 * SG_LISTED_CODES }; /* open addressing; 0 = free */
    sg_code_id seen[PLACES] = {0};
    size_t n = 0;
    if (dump.frames.n > SG_SHORT_DUMP_FRAMES)
        return 0;
    if (max > SG_LISTED_CODES)
        max = SG_LISTED_CODES;
    for (size_t i = 0; i < dump.frames.n && n < max; i++) {
        sg_code_id id = dump.frames.at[i].code;
        size_t place = id % PLACES;
        if (id < SG_FIRST_CODE_ID || id >= SG_FIRST_NATIVE_ID)
            continue;
        while (seen[place] && seen[place] != id)
            place = (place + 1) % PLACES;
        if (seen[place])
            continue;
        seen[place] = ids[n++] = id;
    }
    return n;
}

void sg_thread_dump_settle(void) {
    sg_dump_threads_settle(&dump);
    sg_dump_greenlets_settle(&dump);
    if (dump.wants_leaks)
        sg_dump_leaks_settle(&dump);
}

const struct sg_thread_dump *sg_thread_dump_current(void) { return &dump; }

void sg_thread_dump_end(void) {
    SG_ROWS_FREE(&dump.threads);
    SG_ROWS_FREE(&dump.tasks);
    SG_ROWS_FREE(&dump.edges);
    SG_ROWS_FREE(&dump.links);
    SG_ROWS_FREE(&dump.frames);
    SG_ROWS_FREE(&dump.texts);
    free(dump.sleepers);
    SG_ROWS_FREE(&dump.early_tids);
    sg_hash_table_free(&dump.seen);
    sg_hash_table_free(&dump.creations);
    SG_ROWS_FREE(&dump.still);
    sg_thread_dump_after_fork_in_child();
}

void sg_thread_dump_after_fork_in_child(void) { memset(&dump, 0, sizeof dump); }
