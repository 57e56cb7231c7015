/* Guarded walk: reads one thread's Python frames, leaf first, and checks every pointer before it
 * follows it.
 *
 * The thread may have been interrupted anywhere, also between two stores that belong together:
 * compiled code publishes a new frame before it sets `previous`. So a frame is read in place only
 * in the thread's own data stack (where CPython keeps frames) or C stack; elsewhere it is copied by
 * a system call that cannot fault. A code pointer counts only if it has a number or is a live code
 * object. An invalid pointer ends the walk; the frames before it stay. */
#ifndef STACKGLASS_FRAMES_WALK_H
#define STACKGLASS_FRAMES_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "frames/code_ids.h"

/* Cache of pages that were readable in the present epoch. An epoch lasts some milliseconds
 * (sg_walk_new_epoch), as memory may be unmapped. One thread at a time uses a cache. */
enum { SG_PAGE_CACHE_BITS = 9, SG_PAGE_CACHE_SIZE = 1 << SG_PAGE_CACHE_BITS };
struct sg_page_cache {
    uint32_t epoch;
    uintptr_t pages[SG_PAGE_CACHE_SIZE];
};

/* Frames that a walk looks for: the frames of coroutines. */
enum { SG_MOST_WANTED_FRAMES = 4 };
struct sg_wanted_frames {
    uintptr_t frames[SG_MOST_WANTED_FRAMES];
    uint32_t n;
    uint32_t found; /* out: 1 + the index in `frames` of the frame met first, from the leaf on; 0 =
                     * none was met */
};

/* Borders between Python frames and C code. A border stands for one evaluation loop on the C stack,
 * which runs the frames from the previous border's `depth` to its own. */
struct sg_border {
    uintptr_t address; /* an address in the loop's C frame */
    uint32_t depth;    /* of the stack so far: the frames [0, depth) are above the border */
};
struct sg_borders {
    struct sg_border *at; /* (n,), innermost first, with room for `capacity` */
    uint32_t n, capacity;
};

struct sg_walk {
    const void *thread; /* PyThreadState of the walked thread, live */
    uintptr_t pc;       /* where the thread was interrupted; 0 = in a call from Python code */
    const ucontext_t *context; /* the thread's registers there; NULL = not interrupted */
    uintptr_t stack_low;       /* the used part of its C stack, [low, high); equal = not known */
    uintptr_t stack_high;
    struct sg_page_cache *pages;
    bool is_foreign; /* the thread may run meanwhile: read nothing in place */
    bool is_settled; /* the thread is in a call from its Python code, and either walks its own
                      * frames or waits while the caller holds its GIL: the frames are complete and
                      * are read in place, without `pages` */

    struct sg_wanted_frames *wanted; /* NULL = look for none */
    struct sg_borders *borders;      /* NULL = do not record borders; up to 3.10 there are none */
    struct sg_frame *frames; /* room for `capacity`; the first `depth` are filled by the caller */
    uint32_t capacity;       /* ≥ 2 */
    uint32_t depth;
    bool is_bad; /* out: the guard cut the walk short */
};

/* Append the thread's frames to `walk->frames`. A stack that does not fit keeps its leaf side and
 * ends in SG_TRUNCATED. Async-signal-safe. */
void sg_frames_walk(struct sg_walk *walk);

/* Return the number of the live code object at `code`, which may be any address; SG_NO_CODE if
 * there is none. Async-signal-safe. */
sg_code_id sg_walk_identify(uintptr_t code);
/* The same on an engine thread, where another thread may free the code object meanwhile. */
sg_code_id sg_walk_identify_foreign(uintptr_t code);

/* Begin a new epoch: every cached page is tried again before it is read. Any thread. */
void sg_walk_new_epoch(void);

#endif
