/* Types as a census knows them: what they are called, and what an object of theirs takes.
 *
 *     type's address ──this slice's──▶ known type ──▶ row: name, count, bytes
 *
 * Nothing of the program's runs. Names come from type's own getters, called as C functions: a
 * metaclass that says otherwise is not asked. Sizes come from the `__sizeof__` that a lookup along
 * the bases finds, if it is one of the interpreter's own C functions; one that is written in Python
 * or in an extension is passed over for the nearest base's. That ends at object's, which is
 * basicsize + itemsize × length. Addresses of types are believed for one slice only: afterwards a
 * type may have died, and another one lie there. */
#ifndef STACKGLASS_OBJECTS_TYPES_H
#define STACKGLASS_OBJECTS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_NO_TYPE = UINT32_MAX };

enum sg_type_kind { SG_TYPE_OTHER, SG_TYPE_LIST, SG_TYPE_TUPLE, SG_TYPE_DICT, SG_TYPE_SET };

/* What holds for all objects of a type. Good for a slice. */
struct sg_known_type {
    uintptr_t type;
    uint32_t slice;       /* in which it was looked at; 0 = an empty place */
    uint32_t row;         /* SG_NO_TYPE = there was no memory */
    uint32_t front_bytes; /* in front of the object: where its block begins */
    enum sg_type_kind kind;
    bool is_exact;        /* and not derived from that kind */
    bool has_values;      /* attributes in a block of their own: 3.11 and 3.12 */
    bool is_metatype;     /* its objects are types: only those made at run time are tracked */
    uint64_t fixed_bytes; /* all that an object takes; 0 = it has to be asked */
    void *size_of;        /* C function; NULL = none */
    void *traverse;       /* C function; NULL = none */
};

struct sg_census_row {
    char *name; /* module.qualname; owned */
    uint64_t count, bytes;
};

struct sg_census_types {
    struct sg_census_row *rows; /* (n,); owned */
    size_t n, capacity;
    uint32_t *names; /* (n_names,): row + 1 by hash of the name, 0 = empty; owned */
    size_t n_names;
    struct sg_known_type *known; /* (n_known,): by address; owned */
    size_t n_known, n_in_slice;
    uint32_t slice;
};

/* NULL, or why the interpreter does not tell what is needed. Caller holds the GIL, as for all. */
const char *sg_object_types_prepare(void);

void sg_object_types_begin_slice(struct sg_census_types *types);
/* `type` is alive. Until the next call. */
const struct sg_known_type *sg_object_types_of(struct sg_census_types *types, uintptr_t type);
/* Of an object of that type, with what the collector keeps in front of it. */
uint64_t sg_object_types_size(const struct sg_known_type *known, void *object);
/* Where its block begins; `object` is of that type. */
uintptr_t sg_object_types_block(const struct sg_known_type *known, const void *object);

/* Needs no GIL. */
void sg_object_types_clear(struct sg_census_types *types);

#endif
