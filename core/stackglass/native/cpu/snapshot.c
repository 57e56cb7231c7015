/* Snapshot: walks over the lists of interpreters and threads; and the self-check, which compares
 * one walk with Python's frame objects. */
#include "cpu/snapshot.h"

#include <Python.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu/threads.h"
#include "frames/walk.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/interpreters.h"
#include "interpreter/python_symbols.h"
#include "labels/labels.h"
#include "platform/engine_threads.h"
#include "platform/futex_sleepers.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"
#include "platform/time.h"

/* Guarded by the GIL. */
static struct sg_frame frames[SG_MAX_DEPTH];
static struct sg_page_cache pages;

/* Return the system's id of a thread, found by its pthread_t, which is all that a thread state has
 * before 3.11; 0 if the thread has ended. */
static pid_t find_tid(const void *thread, uint64_t *cpu_ns) {
    uintptr_t handle = sg_memory_load((uintptr_t)thread + sg_debug_offsets.thread_id);
    pid_t tid = sg_thread_ids_of(handle);
    /* The memory may hold another number: is it a thread of this process? */
    return tid > 0 && sg_time_read(sg_time_thread_clock(tid), cpu_ns) ? tid : 0;
}

pid_t sg_snapshot_tid(const void *thread) {
    pid_t tid = 0;
    uint64_t cpu_ns;
    if (sg_debug_offsets.native_thread_id < 0)
        return find_tid(thread, &cpu_ns);
    /* The thread may belong to another interpreter, and its state may have been freed. */
    return sg_memory_read_foreign((uintptr_t)thread + (uintptr_t)sg_debug_offsets.native_thread_id,
                                  &tid, sizeof tid)
               ? sg_thread_ids_checked(tid)
               : 0;
}

pid_t sg_snapshot_tid_at_home(const void *thread, uint64_t *cpu_ns) {
    if (sg_debug_offsets.native_thread_id < 0)
        return find_tid(thread, cpu_ns);
    pid_t tid =
        sg_memory_load_int((uintptr_t)thread + (uintptr_t)sg_debug_offsets.native_thread_id);
    *cpu_ns = sg_futex_sleepers_clock(tid);
    return tid;
}

const struct sg_frame *sg_snapshot_walk(const void *thread, enum sg_walked what, uint32_t *depth) {
    struct sg_walk walk = {
        .thread = thread,
        .pages = &pages,
        .is_foreign = what == SG_WALK_FOREIGN,
        .is_settled = what == SG_WALK_WAITER,
        .frames = frames,
        .capacity = SG_MAX_DEPTH,
    };
    sg_frames_walk(&walk);
    *depth = walk.depth;
    return frames;
}

void sg_snapshot_all(sg_sample_fn *deliver, void *context) {
    uint32_t n_interpreters = sg_interpreters_count();
    sg_walk_new_epoch();
    for (void *interp = sg_interpreter_first(); interp && n_interpreters--;
         interp = sg_interpreter_next(interp)) {
        bool is_own = sg_interpreters_is_home_interpreter(interp);
        uint32_t n_threads = sg_interpreters_most_threads(interp);
        for (void *thread = sg_interpreter_thread(interp); thread && n_threads--;
             thread = sg_interpreter_next_thread(thread)) {
            pid_t tid = sg_snapshot_tid(thread);
            if (!tid || sg_engine_threads_has(tid))
                continue;
            struct sg_sample sample = {.tid = tid, .time = sg_sample_time(), .count = 1};
            sample.labels = is_own ? sg_labels_outside(thread) : SG_NO_LABELS;
            sample.frames =
                sg_snapshot_walk(thread, is_own ? SG_WALK_OWN : SG_WALK_FOREIGN, &sample.depth);
            deliver(context, &sample);
        }
    }
}

/* Compare a frame of the walk with Python's: code, line and instruction. Returns NULL if they are
 * equal, else how they differ. */
static const char *compare_frame(PyObject *frame, const struct sg_frame *walked, uint32_t depth) {
    static char difference[200]; /* guarded by the GIL */
    struct sg_code_info info;
    PyObject *code = sg_python_symbols.frame_code(frame);
    bool is_same_code = sg_code_ids_find(code) == walked->code;
    bool is_copied = is_same_code && sg_code_info_copy(code, &info) == 0;
    Py_DecRef(code); /* the frame keeps it alive */
    if (!is_same_code || !is_copied) {
        snprintf(difference, sizeof difference,
                 is_same_code ? "no memory to name frame %u"
                              : "frame %u belongs to another function than Python reports",
                 depth);
        return difference;
    }
    int expected = sg_python_symbols.frame_line(frame);
    int32_t line = sg_code_info_line(&info, walked->lasti, sg_debug_offsets.minor);
    if (line != expected && expected > 0) {
        snprintf(difference, sizeof difference, "frame %u (%.60s) is at line %d, Python reports %d",
                 depth, info.name, (int)line, expected);
        sg_code_info_free(&info);
        return difference;
    }
    sg_code_info_free(&info);
    if (sg_python_symbols.frame_lasti && sg_python_symbols.frame_lasti(frame) != walked->lasti) {
        snprintf(difference, sizeof difference, "frame %u is at instruction %d, Python reports %d",
                 depth, (int)walked->lasti, sg_python_symbols.frame_lasti(frame));
        return difference;
    }
    return NULL;
}

const char *sg_snapshot_self_check(void) {
    void *thread = PyThreadState_Get();
    if (thread != (void *)PyGILState_GetThisThreadState())
        return "the thread state is not where handlers look for it";
    struct sg_walk walk = {
        .thread = thread,
        .pages = &pages,
        .frames = frames,
        .capacity = SG_MAX_DEPTH,
    };
    sg_walk_new_epoch();
    sg_frames_walk(&walk);
    if (walk.is_bad)
        return "a walk over known frames reached unmapped memory";
    const char *difference = NULL;
    uint32_t depth = 0;
    PyObject *frame = sg_python_symbols.thread_frame(thread); /* new references from here on */
    while (frame && !difference && depth < walk.depth && frames[depth].code != SG_TRUNCATED) {
        difference = compare_frame(frame, &frames[depth], depth);
        PyObject *back = sg_python_symbols.frame_back(frame);
        Py_DecRef(frame);
        frame = back;
        depth++;
    }
    bool is_longer = frame != NULL;
    if (frame)
        Py_DecRef(frame);
    if (difference)
        return difference;
    bool is_cut = depth < walk.depth && frames[depth].code == SG_TRUNCATED;
    if ((is_longer && !is_cut) || (!is_cut && depth != walk.depth))
        return "a walk found another number of frames than Python reports";
    return depth ? NULL : "there is no Python frame to compare with";
}
