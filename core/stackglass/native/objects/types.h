/* Types of a census of all objects: their names, and the sizes of their objects.
 *
 *     type's address ──this slice's──▶ known type ──▶ row: name, count, bytes
 *
 * No code of the program runs. Names come from the getters of `type`, called as C functions, also
 * where a metaclass overrides them. Sizes come from the first `__sizeof__` along the bases that is
 * one of the interpreter's own C functions; those of Python code and of extensions are skipped. The
 * last one is object's: basicsize + itemsize × length. A type's address is valid for one slice
 * only: afterwards the type may have been freed and its address reused. */
#ifndef STACKGLASS_OBJECTS_TYPES_H
#define STACKGLASS_OBJECTS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/hash_index.h"
#include "platform/vector.h"

enum { SG_NO_TYPE = UINT32_MAX };

enum sg_type_kind { SG_TYPE_OTHER, SG_TYPE_LIST, SG_TYPE_TUPLE, SG_TYPE_DICT, SG_TYPE_SET };

/* A type, valid for one slice. */
struct sg_known_type {
    uintptr_t type;
    uint32_t slice;       /* in which it was read; 0 = an empty entry */
    uint32_t row;         /* SG_NO_TYPE = memory ran out */
    uint32_t front_bytes; /* from the beginning of the memory block to the object */
    enum sg_type_kind kind;
    bool is_exact;        /* not a subclass of that kind */
    bool has_values;      /* attributes in a separate block: 3.11 and 3.12 */
    bool is_metatype;     /* its objects are types; only those made at run time are tracked */
    uint64_t fixed_bytes; /* size of each object; 0 = sizes differ */
    void *size_of;        /* C function; NULL = none */
    void *traverse;       /* C function; NULL = none */
};

struct sg_census_row {
    char *name; /* module.qualname; owned */
    uint64_t count, bytes;
};

struct sg_census_types {
    struct SG_ROWS_OF(struct sg_census_row) rows;
    struct sg_hash_index names;  /* to rows */
    struct sg_known_type *known; /* (n_known,): by address; owned */
    size_t n_known, n_in_slice;
    uint32_t slice;
};

/* Find what the functions below need; sg_interpreter_image_find has been called. Returns NULL, or
 * one sentence that says what the interpreter lacks. Caller holds the GIL, here and below, except
 * for the last function. */
const char *sg_object_types_prepare(void);

/* Begin a slice: the entries of types are read anew, the rows stay. */
void sg_object_types_begin_slice(struct sg_census_types *types);
/* Return the entry of a live type, valid until the next call. If memory runs out, its row is
 * SG_NO_TYPE, and it may describe no type: then it has no size. */
const struct sg_known_type *sg_object_types_of(struct sg_census_types *types, uintptr_t type);
/* Return the bytes from the beginning of the memory block to an object of a live type. */
uint32_t sg_object_types_front_bytes(uintptr_t type);
/* Return the bytes of an object of that type, including the words of its memory block before it.
 * The row must not be SG_NO_TYPE. */
uint64_t sg_object_types_size(const struct sg_known_type *known, void *object);
/* Return the address of the memory block of an object of that type. */
uintptr_t sg_object_types_block(const struct sg_known_type *known, const void *object);

/* Free all types and rows. Needs no GIL. */
void sg_object_types_clear(struct sg_census_types *types);

#endif
