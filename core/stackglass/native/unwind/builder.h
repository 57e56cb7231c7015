/* Builder: makes the unwind rows of one loaded object (the program or a library) from its
 * .eh_frame_hdr and .eh_frame, in steps.
 *
 *     .eh_frame_hdr: (start, FDE) of every function, sorted ─copy─▶ starts
 *     .eh_frame: the FDEs and CIEs                         ─copy─▶ bytes ─run─▶ rows
 *
 * Both sections are copied from memory, .eh_frame piece by piece, because the program may unload
 * the object at any time. Used by one thread at a time. */
#ifndef STACKGLASS_UNWIND_BUILDER_H
#define STACKGLASS_UNWIND_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/eh_frame.h"
#include "unwind/loaded_objects.h"
#include "unwind/rows.h"

/* Zeroed = idle. */
struct sg_unwind_builder {
    struct sg_loaded_object object;
    struct sg_unwind_rows rows;
    void *starts, *bytes;       /* copies of the two sections; mapped, owned */
    uint64_t n_bytes, n_copied; /* bytes of .eh_frame: in all, and copied so far */
    uintptr_t bytes_at;         /* address of .eh_frame */
    uint32_t n_functions, n_done;
    struct sg_eh_frame frame;
    uintptr_t end;    /* end of the last function that has rows */
    bool has_run_out; /* memory has run out */
};

/* Begin. Returns false if the object has no table that can be read, or memory is short. */
bool sg_unwind_builder_begin(struct sg_unwind_builder *builder,
                             const struct sg_loaded_object *object);
/* Do some of the work, about a millisecond. Returns true once all is done: then `rows` are the
 * result and belong to the caller. They are empty if the object was unloaded or memory has run
 * out. */
bool sg_unwind_builder_step(struct sg_unwind_builder *builder);
/* Free everything, including the rows. */
void sg_unwind_builder_drop(struct sg_unwind_builder *builder);

#endif
