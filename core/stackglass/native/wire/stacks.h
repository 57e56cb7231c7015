/* Stacks: turns samples into nodes of the stack tree. A sample waits until its code has names.
 *
 *     sample ──every code known?──yes──▶ node ──▶ resolved
 *                  │ no                             ▲
 *                  ▼                                │ retry
 *               pending ◀── ids requested ──▶ worker, tombstones
 *
 * The writer owns it. */
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

/* Called when the stack of `sample` is known to be `node`; the sample's frames must not be read. */
typedef void sg_resolved_fn(void *context, uint32_t node, const struct sg_sample *sample);

struct sg_code_entry;
struct sg_cached_location;

struct sg_stacks {
    struct sg_intern *intern; /* borrowed: the writer's */
    int minor;                /* minor version of the interpreter, for line tables: 3.minor */
    sg_resolved_fn *resolved;
    void *context;

    struct sg_code_entry *codes; /* open addressing by id; owned */
    size_t codes_capacity, n_codes, n_dead;
    uint32_t drain; /* number of the current drain, from 1 */

    struct SG_ROWS_OF(sg_code_id) requested;     /* ids to look up */
    struct SG_ROWS_OF(struct sg_sample) pending; /* samples with their frames in pending_frames */
    struct SG_ROWS_OF(struct sg_frame) pending_frames;

    struct sg_cached_location *location_cache; /* by code and instruction; owned */
    struct sg_native_names native_names;
};

/* Make the tables. Returns false if memory is short. */
bool sg_stacks_open(struct sg_stacks *stacks, struct sg_intern *intern, int minor,
                    sg_resolved_fn *resolved, void *context);
void sg_stacks_close(struct sg_stacks *stacks);

/* Add a sample of a drain: it is resolved now, or kept until its codes are known. If too many are
 * kept, unknown codes become "<unknown>" at once. (An sg_sample_fn; the context is a struct
 * sg_stacks.) */
void sg_stacks_add(void *stacks, const struct sg_sample *sample);
/* Return the node of a stack, or SG_NO_NODE if a code is not known yet; then the code is requested.
 * `is_last`: unknown code becomes "<unknown>". */
uint32_t sg_stacks_node(struct sg_stacks *stacks, const struct sg_frame *frames, uint32_t depth,
                        bool is_last);

/* Return the node of a frame below a node, or SG_NO_NODE if its code is not known yet; then the
 * code is requested. `is_last`: unknown code becomes "<unknown>". */
uint32_t sg_stacks_child(struct sg_stacks *stacks, uint32_t node, struct sg_frame frame,
                         bool is_last);

/* Request the code of a frame, if it is not known. */
void sg_stacks_request(struct sg_stacks *stacks, struct sg_frame frame);

/* Set `text` to the string "FILE:LINE" of a frame, with the code object's path; SG_STRING_EMPTY if
 * the file or the line is not known. Returns false if the code is not known yet; then the code is
 * requested. */
bool sg_stacks_place(struct sg_stacks *stacks, struct sg_frame frame, uint32_t *text);

/* Take up to `max` requested ids for the worker; they are not requested again. Returns their
 * number. */
size_t sg_stacks_take_requested(struct sg_stacks *stacks, sg_code_id *ids, size_t max);
/* Request an id again that was taken, and that could not be looked up. */
void sg_stacks_request_again(struct sg_stacks *stacks, sg_code_id id);
/* Return whether the info of a code object is known, or was given up. */
bool sg_stacks_is_known(const struct sg_stacks *stacks, sg_code_id id);
/* Store the info of a code object, and take over the info's strings and table. `is_dead`: the code
 * object was freed, so no new samples have it. */
void sg_stacks_learn(struct sg_stacks *stacks, sg_code_id id, struct sg_code_info *info,
                     const struct sg_paths *paths, bool is_dead);
/* Note that no job will find the info of a code object; only a tombstone may still have it. */
void sg_stacks_give_up(struct sg_stacks *stacks, sg_code_id id);

/* Resolve pending samples again. `is_last`: unknown code becomes "<unknown>". */
void sg_stacks_retry(struct sg_stacks *stacks, bool is_last);
/* End a drain: codes that were freed long ago can be removed. */
void sg_stacks_end_drain(struct sg_stacks *stacks);

#endif
