/* The walk that counts the objects. Each job of the worker does one slice of it.
 *
 *     begin ─▶ slice ─▶ … ─▶ slice: the walk is over ─▶ finish ─▶ the writer takes it, and clears
 *
 * An object is counted when its bit in the bitmap is new. If the heap profile has sampled blocks,
 * each object's references are followed as well, so that the blocks get their types; `place` says
 * at which reference of an object the slice has stopped. */
#include "census/census.h"

#include <Python.h>

#include <string.h>

#include "census/references.h"
#include "heap/heap.h"
#include "interpreter/object_fields.h"
#include "platform/memory.h"
#include "platform/time.h"

struct sg_census sg_census;

void sg_census_abandon(void) { sg_collector_walk_abandon(&sg_census.walk); }

static void finish(struct sg_census *census, const char *problem) {
    sg_census_abandon();
    census->problem = problem;
    census->n_restarts = census->walk.n_restarts;
    census->is_whole = census->walk.is_whole && !census->seen.is_full;
    census->is_done = true;
    census->end_mono_ns = sg_time_mono_ns();
}

static const char *begin(struct sg_census *census) {
    struct sg_heap_status heap;
    memset(census, 0, sizeof *census);
    census->is_open = true;
    census->start_mono_ns = sg_time_mono_ns();
    const char *problem = sg_collector_walk_begin(&census->walk);
    if (!problem)
        problem = sg_object_types_prepare();
    if (problem)
        return problem;
    sg_heap_status(&heap);
    census->has_blocks = heap.is_hooked && heap.n_blocks;
    if (census->has_blocks)
        sg_census_blocks_prepare(&census->blocks, heap.n_blocks);
    return NULL;
}

/* Count one listed object, and follow its references. Returns false if the slice has to end; the
 * next slice then continues with this object. */
static bool see(void *context, struct sg_collector_node *node) {
    struct sg_census *census = context;
    void *object = sg_collector_list_object(node);
    bool is_resumed = census->place.node == node;
    bool is_new = sg_address_bitmap_add(&census->seen, (uintptr_t)node);
    if (!is_new && !is_resumed)
        return true;
    const struct sg_known_type *known =
        sg_object_types_of(&census->types, sg_memory_load((uintptr_t)object + SG_OB_TYPE));
    if (is_new && known->row != SG_NO_TYPE) {
        struct sg_census_row *row = &census->types.rows.at[known->row];
        row->count++;
        row->bytes += sg_object_types_size(known, object);
        census->n_objects++;
        census->walk.n_new += sg_collector_walk_is_among_old(&census->walk);
    }
    if (!census->has_blocks)
        return true;
    if (!is_resumed)
        census->place = (struct sg_census_place){.node = node};
    if (!sg_census_references_follow(census, known, object))
        return false;
    census->place.node = NULL;
    return true;
}

void sg_census_go_on(int64_t budget_ns, uint64_t max_steps) {
    struct sg_census *census = &sg_census;
    if (census->is_done)
        return;
    const char *problem = census->is_open ? NULL : begin(census);
    if (problem) {
        finish(census, problem);
        return;
    }
    census->n_slices++;
    sg_collector_walk_set_limits(&census->walk, budget_ns, max_steps);
    sg_object_types_begin_slice(&census->types);
    sg_collector_walk_go_on(&census->walk, see, census);
    if (census->walk.is_over)
        finish(census, census->walk.problem);
}

void sg_census_clear(void) {
    sg_address_bitmap_clear(&sg_census.seen);
    sg_object_types_clear(&sg_census.types);
    sg_hash_table_free(&sg_census.blocks);
    memset(&sg_census, 0, sizeof sg_census);
}

void sg_census_after_fork_in_child(void) { memset(&sg_census, 0, sizeof sg_census); }
