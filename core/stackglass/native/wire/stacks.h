/* Stacks: from samples to nodes of the stack tree; samples wait until their code has names.
 *
 *     sample ──every code known?──yes──▶ node ──▶ resolved
 *                  │ no                             ▲
 *                  ▼                                │ retry
 *               pending ◀── ids wanted ──▶ worker, tombstones
 *
 * Owned by the writer. */
#ifndef STACKGLASS_WIRE_STACKS_H
#define STACKGLASS_WIRE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/cpu.h"
#include "frames/code_ids.h"
#include "frames/code_info.h"
#include "frames/module_names.h"
#include "platform/vector.h"
#include "wire/intern.h"
#include "wire/native_names.h"

enum { SG_MAX_PENDING = 1 << 16, SG_MAX_PENDING_FRAMES = 1 << 20, SG_NO_NODE = UINT32_MAX };

/* The stack of `sample` is `node`; its frames are not to be read. */
typedef void sg_resolved_fn(void *context, uint32_t node, const struct sg_sample *sample);

struct sg_known_code;
struct sg_line;

struct sg_stacks {
    struct sg_intern *intern; /* borrowed: the writer's */
    int minor;                /* of the interpreter, for line tables: 3.minor */
    sg_resolved_fn *resolved;
    void *context;

    struct sg_known_code *codes; /* an open hash by id; owned */
    size_t codes_capacity, n_codes, n_dead;
    uint32_t drain; /* number of drains so far */

    struct SG_ROWS_OF(sg_code_id) wanted;        /* to look up */
    struct SG_ROWS_OF(struct sg_sample) pending; /* their frames lie in pending_frames */
    struct SG_ROWS_OF(struct sg_frame) pending_frames;

    struct sg_line *lines; /* a cache of locations by code and instruction; owned */
    struct sg_native_names native_names;
};

/* False if there is no memory. */
bool sg_stacks_open(struct sg_stacks *stacks, struct sg_intern *intern, int minor,
                    sg_resolved_fn *resolved, void *context);
void sg_stacks_close(struct sg_stacks *stacks);

/* A sample of a drain (an sg_sample_fn; the context is a struct sg_stacks): resolved now, or kept
 * until its codes are known. With too many kept, unknown codes become "<unknown>" at once. */
void sg_stacks_add(void *stacks, const struct sg_sample *sample);
/* The node of a stack, or SG_NO_NODE if a code is not known yet; then it is wanted now. `is_last`:
 * unknown code becomes "<unknown>". */
uint32_t sg_stacks_node(struct sg_stacks *stacks, const struct sg_frame *frames, uint32_t depth,
                        bool is_last);

/* The node of a frame below a node, or SG_NO_NODE if its code is not known yet; then it is wanted
 * now. `is_last`: unknown code becomes "<unknown>". */
uint32_t sg_stacks_child(struct sg_stacks *stacks, uint32_t node, struct sg_frame frame,
                         bool is_last);

/* Have the code of a frame looked up, if it is not known. */
void sg_stacks_want(struct sg_stacks *stacks, struct sg_frame frame);

/* The string "app.py:12" of a frame; SG_STRING_EMPTY = none. False if the code is not known yet;
 * then it is wanted now. */
bool sg_stacks_place(struct sg_stacks *stacks, struct sg_frame frame, uint32_t *text);

/* Up to `max` wanted ids, for the worker; they are not wanted again. */
size_t sg_stacks_take_wanted(struct sg_stacks *stacks, sg_code_id *ids, size_t max);
/* Store the facts of a code; takes its strings and table over. `is_dead`: no new samples. */
void sg_stacks_learn(struct sg_stacks *stacks, sg_code_id id, struct sg_code_info *facts,
                     const struct sg_paths *paths, bool is_dead);
/* No facts of it will ever be known. */
void sg_stacks_give_up(struct sg_stacks *stacks, sg_code_id id);

/* Resolve pending samples again. `is_last`: unknown code becomes "<unknown>". */
void sg_stacks_retry(struct sg_stacks *stacks, bool is_last);
/* A drain has ended: codes that died long ago can be removed. */
void sg_stacks_end_drain(struct sg_stacks *stacks);

#endif
