/* Follows the references of a listed object, in slices that may end after any reference.
 *
 *     list, tuple, dict   by position: place.at
 *     any other           its tp_traverse from the start, passing over place.at references
 *     untracked tuple, dict among them   by position: place.nested, place.nested_at; deeper ones,
 *                                        16 levels at most, in one go, 10 000 references each
 *
 * So the walk continues where it ended, however long a list is. What is found is used in one way
 * only: the block of each object gets the object's type (blocks.h). */
#include "census/references.h"

#include <Python.h>

#include <string.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/object_fields.h"
#include "platform/memory.h"

enum {
    /* Pointers to the tables of a list, a dict and a set: the same from 3.9 to 3.15. They are
     * compared, and never followed. */
    LIST_ITEMS = 24,
    DICT_KEYS = 32,
    DICT_VALUES = 40, /* points to the start of a block only up to 3.10 */
    SET_TABLE = 40,
    MAX_REFERENCES = 200 * 1000, /* of an object that has to be traversed from its start */
    MAX_DEPTH = 16,              /* of untracked containers within each other */
    MAX_INNER = 10 * 1000,       /* references of a container that lies deeper than the first */
};

/* A traversal of one object, a local variable of sg_census_references_follow. */
struct follower {
    struct sg_census *census;
    uint64_t n; /* references met by this traversal */
    bool is_late;
};

static bool follow_reference(struct sg_census *census, void *object, int depth);

static const struct sg_known_type *type_of(struct sg_census *census, const void *object) {
    return sg_object_types_of(&census->types, sg_memory_load((uintptr_t)object + SG_OB_TYPE));
}

static void see_dict(struct sg_census *census, const struct sg_known_type *known,
                     const void *object) {
    uintptr_t address = (uintptr_t)object;
    sg_census_blocks_see(&census->blocks, sg_memory_load(address + DICT_KEYS), known->row);
    if (sg_debug_offsets.minor <= 10)
        sg_census_blocks_see(&census->blocks, sg_memory_load(address + DICT_VALUES), known->row);
}

/* Follow the references of a list, tuple or dict from position `*at` on. For a dict, `*at` is the
 * position of PyDict_Next. Returns false if the slice has to end. */
static bool follow_items(struct sg_census *census, enum sg_type_kind kind, void *container,
                         uint64_t *at, int depth) {
    PyObject *object = container;
    for (uint64_t n = 0; depth < 2 || n < MAX_INNER; n++) {
        PyObject *first, *second = NULL; /* borrowed: the container's */
        Py_ssize_t next = (Py_ssize_t)*at;
        if (kind == SG_TYPE_DICT) {
            if (!PyDict_Next(object, &next, &first, &second))
                return true;
        } else {
            bool is_list = kind == SG_TYPE_LIST;
            if (next >= (is_list ? PyList_Size(object) : PyTuple_Size(object)))
                return true;
            first = is_list ? PyList_GetItem(object, next) : PyTuple_GetItem(object, next);
            next++;
        }
        if (depth < 2 && !sg_collector_walk_step(&census->walk))
            return false;
        if ((first && !follow_reference(census, first, depth)) ||
            (second && !follow_reference(census, second, depth)))
            return false;
        *at = (uint64_t)next;
    }
    return true;
}

/* Follow `object`, a container that the collector does not list, unless it was seen before. */
static bool follow_untracked(struct sg_census *census, enum sg_type_kind kind, void *object,
                             int depth) {
    struct sg_census_place *place = &census->place;
    bool is_resumed = depth == 0 && place->nested == object;
    bool is_new = sg_address_bitmap_add(&census->seen, (uintptr_t)sg_collector_list_node(object));
    uint64_t at = 0;
    if (depth >= MAX_DEPTH || (!is_new && !is_resumed))
        return true;
    if (depth > 0)
        return follow_items(census, kind, object, &at, depth + 1);
    at = is_resumed ? place->nested_at : 0;
    bool is_through = follow_items(census, kind, object, &at, 1);
    place->nested = is_through ? NULL : object;
    place->nested_at = at;
    return is_through;
}

static bool follow_reference(struct sg_census *census, void *object, int depth) {
    const struct sg_known_type *known = type_of(census, object);
    enum sg_type_kind kind = known->kind;
    bool is_untracked = known->is_exact && (kind == SG_TYPE_TUPLE || kind == SG_TYPE_DICT) &&
                        !sg_collector_list_is_tracked(object);
    sg_census_blocks_see(&census->blocks, sg_object_types_block(known, object), known->row);
    if (!is_untracked)
        return true;
    if (kind == SG_TYPE_DICT)
        see_dict(census, known, object);
    return follow_untracked(census, kind, object, depth);
}

static int visit(PyObject *object, void *context) {
    struct follower *follower = context;
    struct sg_census_place *place = &follower->census->place;
    if (!object || follower->n++ < place->at)
        return 0;
    if (!sg_collector_walk_step(&follower->census->walk) ||
        !follow_reference(follower->census, object, 0)) {
        follower->is_late = true;
        return 1;
    }
    place->at = follower->n;
    return follower->n >= MAX_REFERENCES;
}

/* Return the address of the block of an object's attributes, or 0 if it has none.
 *
 *     block │ … │ n │ attribute │ attribute │ …      n: bytes in front of the first
 *                   └─ 3.11: kept four words in front of the object; 3.12: three, less one
 */
static uintptr_t find_values(const void *object) {
    uintptr_t address = (uintptr_t)object;
    uintptr_t values = sg_memory_load(address - (sg_debug_offsets.minor == 11 ? 32 : 24));
    if (sg_debug_offsets.minor == 12)
        values = values & 1 ? values + 1 : 0; /* else it is a dict */
    return values ? values - *(const uint8_t *)(values - 1) : 0;
}

static void see_tables(struct sg_census *census, const struct sg_known_type *known,
                       const void *object) {
    sg_census_blocks_see(&census->blocks, sg_object_types_block(known, object), known->row);
    if (known->kind == SG_TYPE_LIST)
        sg_census_blocks_see(&census->blocks, sg_memory_load((uintptr_t)object + LIST_ITEMS),
                             known->row);
    if (known->kind == SG_TYPE_DICT)
        see_dict(census, known, object);
    if (known->has_values)
        sg_census_blocks_see(&census->blocks, find_values(object), known->row);
    if (known->kind == SG_TYPE_SET)
        sg_census_blocks_see(&census->blocks, sg_memory_load((uintptr_t)object + SET_TABLE),
                             known->row);
}

static bool has_positions(enum sg_type_kind kind) {
    return kind == SG_TYPE_LIST || kind == SG_TYPE_TUPLE || kind == SG_TYPE_DICT;
}

/* Whether an object of a derived type is followed by position, too: then the references that it has
 * besides its items are left out. */
static bool is_large(enum sg_type_kind kind, void *object) {
    Py_ssize_t n = kind == SG_TYPE_LIST    ? PyList_Size(object)
                   : kind == SG_TYPE_TUPLE ? PyTuple_Size(object)
                                           : PyDict_Size(object);
    return n > MAX_REFERENCES / 4;
}

bool sg_census_references_follow(struct sg_census *census, const struct sg_known_type *known,
                                 void *object) {
    struct sg_census_place *place = &census->place;
    enum sg_type_kind kind = known->kind;
    bool is_exact = known->is_exact;
    struct follower follower = {.census = census};
    traverseproc traverse;
    memcpy(&traverse, &known->traverse, sizeof traverse);
    if (!place->at && !place->nested)
        see_tables(census, known, object);
    if (has_positions(kind) && (is_exact || is_large(kind, object)))
        return follow_items(census, kind, object, &place->at, 0);
    if (traverse)
        traverse(object, visit, &follower);
    return !follower.is_late;
}
