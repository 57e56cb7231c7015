/* How the two fields of the GIL are read:
 *
 *     locked   last_holder            the thread's stack
 *     1        has the GIL now        the thread may be running: sampling.c asks it by a signal
 *     0        had the GIL last       read here, by calls that cannot fault
 *
 * Without the GIL a thread's Python stack does not change. freeze takes the GIL's mutex, so that
 * the GIL stays free until thaw. Where another thread has the mutex, read_free checks after the
 * read that neither the GIL nor the last holder's CPU clock has changed. */
#include "gil/state.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frames/walk.h"
#include "interpreter/contextvars.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/gil_search.h"
#include "labels/labels.h"
#include "platform/futex_sleepers.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"

enum {
    /* Bytes to copy of a thread state: in every version it is at least as large, and has in them
     * the fields that a walk needs. */
    STATE_BYTES = 256,
};

/* Written by sg_gil_state_find, constant from then on. */
static uintptr_t main_gil;     /* 0 = not found */
static int32_t pointer_to_gil; /* offset in an interpreter state; 0 = no such field, or not found */

const char *sg_gil_state_find(void) {
    const char *problem = sg_gil_search(&main_gil, &pointer_to_gil);
    if (!problem)
        sg_thread_ids_prepare();
    return problem;
}

uintptr_t sg_gil_state_main(void) { return main_gil; }

/* Is `gil`, which may be any address, an interpreter's GIL? Then the interpreter of the GIL's last
 * holder points to it. */
static bool is_of_interpreter(uintptr_t gil) {
    uintptr_t state, interp, pointer;
    return pointer_to_gil &&
           sg_memory_read_probed(gil + offsetof(struct sg_gil, last_holder), &state,
                                 sizeof state) &&
           sg_memory_read_probed(state + (uintptr_t)sg_debug_offsets.thread_interp, &interp,
                                 sizeof interp) &&
           sg_memory_read_probed(interp + (uintptr_t)pointer_to_gil, &pointer, sizeof pointer) &&
           pointer == gil;
}

static uintptr_t recognise(uintptr_t gil, bool is_its_mutex) {
    return main_gil && is_its_mutex && (gil == main_gil || is_of_interpreter(gil)) ? gil : 0;
}

uintptr_t sg_gil_state_of(const pthread_cond_t *cond, const pthread_mutex_t *mutex) {
    uintptr_t gil = (uintptr_t)cond - offsetof(struct sg_gil, cond);
    return recognise(gil, (uintptr_t)mutex - gil == offsetof(struct sg_gil, mutex));
}

uintptr_t sg_gil_state_of_switch(const pthread_cond_t *cond, const pthread_mutex_t *mutex) {
    uintptr_t gil = (uintptr_t)cond - offsetof(struct sg_gil, switch_cond);
    return recognise(gil, (uintptr_t)mutex - gil == offsetof(struct sg_gil, switch_mutex));
}

bool sg_gil_state_is_cond_of(uintptr_t gil, const pthread_cond_t *cond) {
    return (uintptr_t)cond == gil + offsetof(struct sg_gil, cond);
}

bool sg_gil_state_is_free(uintptr_t gil) {
    return sg_memory_load_int(gil + offsetof(struct sg_gil, locked)) == 0;
}

static uintptr_t find_holder(uintptr_t gil, sg_read_fn *read) {
    struct sg_gil now;
    return read(gil, &now, offsetof(struct sg_gil, cond)) && now.locked == 1 ? now.last_holder : 0;
}

/* The main GIL is never freed, and is asked for again and again. */
uintptr_t sg_gil_state_holder(uintptr_t gil) {
    return find_holder(gil, gil == main_gil ? sg_memory_read_probed : sg_memory_read_foreign);
}

pid_t sg_gil_state_tid_of(uintptr_t state) {
    pid_t tid = 0;
    uintptr_t handle;
    if (sg_debug_offsets.native_thread_id >= 0)
        return sg_memory_read_foreign(state + (uintptr_t)sg_debug_offsets.native_thread_id, &tid,
                                      sizeof tid)
                   ? sg_thread_ids_checked(tid)
                   : 0;
    return sg_memory_read_foreign(state + (uintptr_t)sg_debug_offsets.thread_id, &handle,
                                  sizeof handle)
               ? sg_thread_ids_of(handle)
               : 0;
}

bool sg_gil_state_freeze(uintptr_t gil) {
    struct sg_gil *main = (struct sg_gil *)main_gil;
    if (!main || gil != main_gil || pthread_mutex_trylock(&main->mutex))
        return false;
    if (sg_gil_state_is_free(gil))
        return true;
    pthread_mutex_unlock(&main->mutex);
    return false;
}

void sg_gil_state_thaw(uintptr_t gil) { pthread_mutex_unlock(&((struct sg_gil *)gil)->mutex); }

/* A thread that ends frees its thread state after releasing the GIL. So the state is copied, and
 * the frames that it points to are read by calls that cannot fault. Frames are freed with the GIL
 * held, so they stay while the GIL is frozen. */
static void read_holder(uintptr_t state, struct sg_gil_holder *holder) {
    static struct sg_page_cache pages;
    uint64_t copy[STATE_BYTES / sizeof(uint64_t)];
    struct sg_walk walk = {
        .thread = copy,
        .pages = &pages,
        .is_foreign = true,
        .frames = holder->frames,
        .capacity = holder->capacity,
    };
    holder->depth = 0;
    holder->labels = SG_NO_LABELS;
    holder->tid = state ? sg_gil_state_tid_of(state) : 0;
    if (!holder->tid || sg_debug_offsets.current_frame + sizeof state > sizeof copy ||
        !sg_memory_read_foreign(state, copy, sizeof copy))
        return;
    sg_frames_walk(&walk);
    if (!walk.depth && !walk.is_bad) /* the thread begins or ends, or has run C code only */
        walk.frames[walk.depth++] = (struct sg_frame){SG_NATIVE, -1};
    holder->depth = walk.is_bad ? 0 : walk.depth;
    holder->labels = sg_labels_outside((const void *)state);
}

void sg_gil_state_last_holder(uintptr_t gil, struct sg_gil_holder *holder) {
    read_holder(sg_memory_load(gil + offsetof(struct sg_gil, last_holder)), holder);
}

/* The last holder's stack is constant while that thread does not run. A subinterpreter's GIL may be
 * freed at any moment. */
bool sg_gil_state_read_free(uintptr_t gil, struct sg_gil_holder *holder) {
    struct sg_gil before, after;
    size_t n_bytes = offsetof(struct sg_gil, cond);
    holder->depth = 0;
    if (!sg_memory_read_foreign(gil, &before, n_bytes) || before.locked != 0 || !before.last_holder)
        return false;
    pid_t tid = holder->tid = sg_gil_state_tid_of(before.last_holder);
    uint64_t cpu_ns = tid ? sg_futex_sleepers_clock(tid) : SG_NO_CPU_CLOCK;
    if (cpu_ns == SG_NO_CPU_CLOCK)
        return false;
    read_holder(before.last_holder, holder);
    bool is_same = sg_futex_sleepers_rests(tid, cpu_ns) &&
                   sg_memory_read_foreign(gil, &after, n_bytes) && after.locked == 0 &&
                   after.last_holder == before.last_holder &&
                   after.switch_number == before.switch_number;
    if (!is_same)
        holder->depth = 0;
    return holder->depth != 0;
}

const void *sg_gil_state_owner(const uintptr_t context[2]) {
    uintptr_t state = context[1];
    if (find_holder(context[0], sg_memory_read_probed) != state)
        return NULL;
    /* The state has the GIL, so it is not freed. */
    bool is_own =
        sg_memory_load(state + (uintptr_t)sg_debug_offsets.thread_id) == sg_thread_ids_self();
    return is_own ? (const void *)state : NULL;
}
