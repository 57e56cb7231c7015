/* First the waits that the hooks have recorded, at once; then, thread by thread, those that began
 * before the hooks. The latter are found in the thread's memory, so they count only if the thread
 * has not run since its row and its system call were read. */
#include "threads/dump_waits.h"

#include <Python.h>

#include "cpu/snapshot.h"
#include "interpreter/interpreters.h"
#include "locks/hooks.h"
#include "locks/waits.h"
#include "platform/futex_sleepers.h"
#include "platform/time.h"
#include "threads/dump_threads.h"
#include "waits/preattach_waits.h"
#include "waits/waiters.h"

static void keep(struct sg_dumped_thread *row, const struct sg_lock_wait *wait) {
    struct sg_wait_target target;
    struct sg_lock_waiter waiter = sg_waiters_describe(wait, &target);
    row->primitive = target.object ? target.type : waiter.primitive;
    row->lock = (uintptr_t)(target.object ? target.object : waiter.object);
    row->since_mono_ns = waiter.since_mono_ns;
    row->holder = sg_lock_holders_find(waiter.object, waiter.primitive, wait->holder).tid;
}

static void keep_known(void *context, uint32_t entry, const struct sg_lock_wait *wait) {
    struct sg_dumped_thread *row = sg_dump_threads_find_state(context, wait->tid, wait->thread);
    (void)entry;
    /* A signal handler may wait while its thread waits already: the later wait counts. */
    if (row && row->since_mono_ns <= wait->since_mono_ns)
        keep(row, wait);
}

/* Find the wait of a thread, if the wait began before locks were hooked. */
static void find_earlier(struct sg_thread_dump *dump, const void *thread) {
    pid_t tid = sg_snapshot_tid(thread);
    struct sg_dumped_thread *row = tid ? sg_dump_threads_find_state(dump, tid, thread) : NULL;
    const struct sg_sleeper *sleeper =
        sg_dump_threads_find_sleeper(dump->sleepers, dump->n_sleepers, tid);
    struct sg_lock_wait wait = {.tid = tid};
    if (!row || row->primitive || !sleeper || !sleeper->futex || sleeper->cpu_ns != row->cpu_ns)
        return;
    /* The row may be of an earlier slice, and the wait over. */
    if (sg_futex_sleepers_rests(tid, row->cpu_ns) &&
        sg_preattach_waits_find(thread, sleeper->futex, &wait))
        keep(row, &wait);
}

bool sg_dump_waits_take(struct sg_thread_dump *dump, int64_t end_ns) {
    if (dump->has_waits || !sg_lock_hooks_are_installed())
        return true;
    if (!dump->has_known_waits)
        sg_lock_waits_visit(keep_known, dump);
    dump->has_known_waits = true;
    for (void *thread = sg_interpreter_thread(sg_interpreter_home()); thread;
         thread = sg_interpreters_next_at_home(thread)) {
        uint64_t id = sg_interpreters_id_at_home(thread);
        if (id >= dump->next_wait_id)
            continue;
        dump->next_wait_id = id;
        find_earlier(dump, thread);
        if ((int64_t)sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) >= end_ns)
            return false;
    }
    dump->has_waits = true;
    return true;
}
