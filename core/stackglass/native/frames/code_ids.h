/* Numbers of code objects, which samples store instead of pointers.
 *
 * Between the moment when a handler sees a code object and the moment when the writer names it, the
 * code object may be freed and its address reused. So the handler stores a number, which is unique
 * to the code object's lifetime:
 *
 *     handler ──intern(ptr)──▶ id ──▶ stack cache, sample log ──▶ writer ──▶ code info of id
 *                               ▲
 *     tp_dealloc of PyCode_Type ┘ keeps the info of a dying, numbered code object: a tombstone
 */
#ifndef STACKGLASS_FRAMES_CODE_IDS_H
#define STACKGLASS_FRAMES_CODE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/code_info.h"
#include "frames/frame.h"

/* The number of `code`, a live PyCodeObject; a new one if it has none. SG_UNKNOWN if the table is
 * full. Async-signal-safe. */
sg_code_id sg_code_ids_intern(const void *code);

/* The number of `code`, or SG_NO_CODE. Does not read `code`. Async-signal-safe. */
sg_code_id sg_code_ids_find(const void *code);

/* Is there a live code object at `code`, which may be any address? Async-signal-safe. */
bool sg_code_ids_is_alive(const void *code);

/* The code object of `id`, borrowed: it stays alive while the GIL is held. NULL if it has been
 * freed. Caller holds the GIL. */
void *sg_code_ids_alive(sg_code_id id);

/* The number of numbered code objects that have been freed. While it does not change, the address
 * of a code object still belongs to it. Any thread. */
uint64_t sg_code_ids_deaths(void);

/* Tombstone: names and lines of a numbered code object that has been freed. Owned by the caller,
 * freed with sg_code_ids_free_tombstone. */
struct sg_tombstone {
    struct sg_tombstone *next;
    sg_code_id id;
    struct sg_code_info facts;
};

/* All tombstones since the last call, newest first, or NULL. Any one thread; no lock. */
struct sg_tombstone *sg_code_ids_take_tombstones(void);
void sg_code_ids_free_tombstone(struct sg_tombstone *tombstone);

/* Hook and unhook PyCode_Type's tp_dealloc. Caller holds the GIL. 0 or -errno. */
int sg_code_ids_hook(void);
void sg_code_ids_unhook(void);

/* Forget every number and tombstone. No sampling may be going on. */
void sg_code_ids_clear(void);
/* In a forked child, before the table is discarded: drop the parent's tombstones. */
void sg_code_ids_after_fork_in_child(void);
/* Free the table as well, once unhooked; tombstones that were not taken stay. */
void sg_code_ids_discard(void);

#endif
