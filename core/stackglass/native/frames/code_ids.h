/* Code objects by number: what a sample stores in place of a pointer.
 *
 * A code object may die, and its address be given to another one, between the moment a handler
 * sees it and the moment the writer names it. So the handler never stores a pointer. It stores a
 * number that is given once to a code object's lifetime and never again:
 *
 *     handler ──intern(ptr)──▶ id ──▶ recent stacks / log ──▶ writer ──▶ facts of id
 *                               ▲
 *     tp_dealloc of PyCode_Type ┘ files the facts of a dying, numbered code as an obituary
 */
#ifndef STACKGLASS_FRAMES_CODE_IDS_H
#define STACKGLASS_FRAMES_CODE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/code_info.h"

typedef uint32_t sg_code_id;

/* Frames that are no code object. Their names are in sg_code_ids_pseudo_name(). */
enum {
    SG_NO_CODE = 0,
    SG_LOST_SAMPLES = 1,
    SG_NATIVE = 2,
    SG_KERNEL = 3,
    SG_GC = 4,
    SG_NO_PYTHON_THREAD = 5,
    SG_CALL_ENTRY = 6,
    SG_TRUNCATED = 7,
    SG_BEFORE_ATTACH = 8,
    SG_UNKNOWN = 9,
    SG_SIGNAL_BLOCKED = 10,
    SG_FIRST_PRIMITIVE_ID = 16, /* C functions that wait, by enum sg_primitive: primitives.h */
    SG_FIRST_ARENA_ID = 96,     /* by library: arena_names.h */
    SG_FIRST_CODE_ID = 128,
};

/* One frame of a sample. `lasti` is the byte offset of the instruction in the code's bytecode;
 * -1 = the frame has not started. */
struct sg_frame {
    sg_code_id code;
    int32_t lasti;
};

/* "<native>" and so on; NULL if `id` is a real code's. Any thread. */
const char *sg_code_ids_pseudo_name(sg_code_id id);

/* The number of a code object, a new one if it has none. SG_UNKNOWN if the table is full.
 * Async-signal-safe. The caller vouches that `code` is a live PyCodeObject. */
sg_code_id sg_code_ids_intern(const void *code);

/* The number that `code` has, or SG_NO_CODE. Looks at no memory of `code`. Async-signal-safe. */
sg_code_id sg_code_ids_find(const void *code);

/* Is a living code object at `code`? Any address will do. Async-signal-safe. */
bool sg_code_ids_is_alive(const void *code);

/* The code object of `id`, borrowed (owner: whoever keeps it alive while the GIL is held), or
 * NULL if it has died. Caller holds the GIL. */
void *sg_code_ids_alive(sg_code_id id);

/* How many numbered code objects have died: as long as it is the same, an address that was found to
 * be a code object's is still that one's. Any thread. */
uint64_t sg_code_ids_deaths(void);

/* What was known of a numbered code object when it died. Freed with sg_code_ids_free_tombstone. */
struct sg_tombstone {
    struct sg_tombstone *next;
    sg_code_id id;
    struct sg_code_info facts;
};

/* All obituaries since the last call, newest first, or NULL. Any one thread; no lock. */
struct sg_tombstone *sg_code_ids_take_obituaries(void);
void sg_code_ids_free_tombstone(struct sg_tombstone *obituary);

/* Hook and unhook PyCode_Type's tp_dealloc. Caller holds the GIL. 0, or -1 with nothing done. */
int sg_code_ids_hook(void);
void sg_code_ids_unhook(void);

/* Forget every number and obituary. No sampling may be going on. */
void sg_code_ids_clear(void);
/* Give back the memory of them as well, but for obituaries not taken yet; once unhooked. */
void sg_code_ids_discard(void);

#endif
