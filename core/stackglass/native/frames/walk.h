/* Guarded walk of one thread's Python frames, leaf first.
 *
 * The thread may have been interrupted anywhere, also between two stores that belong together:
 * compiled code publishes a new frame before it sets `previous`. So a frame is read in place only
 * in the thread's own data stack or C stack; elsewhere it is copied by a system call that cannot
 * fault. A code pointer counts only if it has a number or is a live code object. An invalid pointer
 * ends the walk; the frames before it stay. */
#ifndef STACKGLASS_FRAMES_WALK_H
#define STACKGLASS_FRAMES_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "frames/code_ids.h"

/* Pages found readable in the present epoch, which ends when memory may have been unmapped; one
 * cache for each thread. */
enum { SG_PAGE_CACHE_BITS = 9, SG_PAGE_CACHE_SIZE = 1 << SG_PAGE_CACHE_BITS };
struct sg_page_cache {
    uint32_t epoch;
    uintptr_t pages[SG_PAGE_CACHE_SIZE];
};

/* Frames that are looked for in a walk: those of coroutines. */
enum { SG_MOST_WANTED_FRAMES = 4 };
struct sg_wanted_frames {
    uintptr_t frames[SG_MOST_WANTED_FRAMES];
    uint32_t n;
    uint32_t found; /* out: index in `frames` of the one innermost in the stack, + 1; 0 = none */
};

/* Borders between Python frames and C code. Each is one evaluation loop on the C stack, which runs
 * the frames from the previous border's `depth` to its own. */
struct sg_border {
    uintptr_t address; /* in the loop's own C frame */
    uint32_t depth;    /* of the stack so far: the frames [0, depth) are above the border */
};
struct sg_borders {
    struct sg_border *at; /* (n,), innermost first, with room for `capacity` */
    uint32_t n, capacity;
};

struct sg_walk {
    const void *thread;        /* PyThreadState of the walked thread, live */
    uintptr_t pc;              /* where it was interrupted; 0 = in a call from Python code */
    const ucontext_t *context; /* its registers then; NULL = not interrupted */
    uintptr_t stack_low;       /* its C stack in use, [low, high); equal = not known */
    uintptr_t stack_high;
    struct sg_page_cache *pages;
    bool is_foreign; /* the thread may run meanwhile: read nothing in place */
    bool is_settled; /* the walking thread itself, called by its Python code: its frames are
                      * complete, and read in place; needs no `pages` */

    struct sg_wanted_frames *wanted; /* NULL = none */
    struct sg_borders *borders;      /* NULL = none are wanted; up to 3.10 there are none */
    struct sg_frame *frames; /* room for `capacity`; the first `depth` are filled by the caller */
    uint32_t capacity;       /* ≥ 2 */
    uint32_t depth;
    bool is_bad; /* out: the guard cut the walk short */
};

/* Append the thread's frames. A stack that does not fit keeps its leaf side and ends in
 * SG_TRUNCATED. Async-signal-safe. */
void sg_frames_walk(struct sg_walk *walk);

/* The number of the live code object at `code`, which may be any address; SG_NO_CODE if there is
 * none. Async-signal-safe. */
sg_code_id sg_walk_identify(uintptr_t code);

/* Begin a new epoch: every cached page is tried again before it is read. Any thread. */
void sg_walk_new_epoch(void);

#endif
