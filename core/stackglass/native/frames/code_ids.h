/* Numbers of code objects, which samples store instead of pointers.
 *
 * Between the moment when a handler sees a code object and the moment when the writer names it, the
 * code object may be freed and its address reused. So the handler stores a number, which is unique
 * to the code object's lifetime:
 *
 *     handler ──intern(ptr)──▶ id ──▶ stack cache, sample log ──▶ writer ──▶ code info of id
 *                               ▲
 *     tp_dealloc of PyCode_Type ┘ keeps the info of a dying, numbered code object: a tombstone */
#ifndef STACKGLASS_FRAMES_CODE_IDS_H
#define STACKGLASS_FRAMES_CODE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/code_info.h"
#include "frames/frame.h"

/* Return the number of `code`, a live PyCodeObject, and assign one at the first call. Returns
 * SG_UNKNOWN if the table is full. Async-signal-safe. */
sg_code_id sg_code_ids_intern(const void *code);

/* Return the number of `code`, or SG_NO_CODE if it has none. Does not read the memory at `code`.
 * Async-signal-safe. */
sg_code_id sg_code_ids_find(const void *code);

/* Is there a live code object at `code`, which may be any address? Async-signal-safe. */
bool sg_code_ids_is_alive(const void *code);
/* The same on an engine thread, where another thread may free the code object meanwhile. */
bool sg_code_ids_is_alive_foreign(const void *code);

/* Return the code object of `id`, or NULL if it has been freed or `id` stands for no code object.
 * The caller holds the GIL, which keeps the borrowed object alive. */
void *sg_code_ids_alive(sg_code_id id);

/* Return how many numbered code objects have been freed. While this count does not change, the
 * address of a numbered code object still belongs to that code object. Any thread may call this. */
uint64_t sg_code_ids_deaths(void);

/* Tombstone: names and lines of a numbered code object that has been freed. Owned by the caller,
 * freed with sg_code_ids_free_tombstone. */
struct sg_tombstone {
    struct sg_tombstone *next;
    sg_code_id id;
    struct sg_code_info info;
};

/* Take the list of all tombstones since the last call, newest first; NULL if there are none.
 * Lock-free; only the writer calls this. */
struct sg_tombstone *sg_code_ids_take_tombstones(void);
void sg_code_ids_free_tombstone(struct sg_tombstone *tombstone);

/* Hook and unhook PyCode_Type's tp_dealloc. The caller holds the GIL. Hooking returns 0, or -errno
 * if it failed. */
int sg_code_ids_hook(void);
void sg_code_ids_unhook(void);

/* Forget every number and tombstone. The caller has stopped all sampling. */
void sg_code_ids_clear(void);
/* Drop the parent's tombstones. Called in a forked child, before sg_code_ids_discard. */
void sg_code_ids_after_fork_in_child(void);
/* Free the table; the caller has unhooked. Tombstones that were not taken stay. */
void sg_code_ids_discard(void);

#endif
