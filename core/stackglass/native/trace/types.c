/* A table of types by address, and the check of objects' headers:
 *
 *     places       the table, open addressing; the worker fills a place before it stores its type
 *     filter       a bit, by hash, for the block of each type made at run time: for frees
 *     candidates   addresses that may be types: hooks propose them, the worker checks them
 *     refused      direct-mapped by hash: recent candidates, which are not proposed again
 *
 * There are no locks. A hook replaces a type by REMOVED before the type's block is freed. A search
 * skips such a place, and the next type takes it. So what a search finds is a live type.
 *
 * The object in a block begins behind a front: 0, 16 or, since 3.11, 32 bytes, as its type
 * determines. Each of the three is tried, and counts only if the type found there has that
 * front. */
#include "trace/types.h"

#include <Python.h>

#include <stdatomic.h>
#include <string.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "objects/collector_lists.h"
#include "objects/types.h"
#include "platform/memory.h"
#include "trace/names.h"

enum {
    TABLE_BITS = 15,
    N_PLACES = 1 << TABLE_BITS,
    N_PROBES = 32, /* places that a search visits */
    FILTER_BITS = 16,
    N_CANDIDATES = 128, /* more are proposed again later */
    N_REFUSED = 1024,
    HEADER_BYTES = 48, /* bytes of a block up to the type of an object behind the longest front */
    PAGE_BYTES = 4096,
    /* since 3.11 two words for the attributes and weak references, then the collector's head */
    LONG_FRONT = 32,
    FIRST_MINOR_OF_LONG_FRONTS = 11,
    LAST_MINOR_OF_LONG_TEXTS = 11,
    /* bytes of an ASCII str's header up to 3.11, with a pointer to wide characters */
    LONG_TEXT = 48,
    SHORT_TEXT = 40,
    TYPE_BYTES = SG_TP_MRO + 8, /* bytes of a type up to the end of tp_mro */
};
/* Py_TPFLAGS_READY, Py_TPFLAGS_HEAPTYPE, Py_TPFLAGS_INLINE_VALUES. */
static const uint64_t READY = 1u << 12, HEAP_TYPE = 1u << 9, INLINE_VALUES = 1u << 2;
/* LEAST_ADDRESS: no object lies below */
static const uintptr_t REMOVED = 1, LEAST_ADDRESS = 1 << 16;

struct place {
    _Atomic uintptr_t type; /* 0 = none yet */
    struct sg_trace_type known;
};

/* sg_trace_types_prepare writes it under the GIL. The worker fills a place before it stores the
 * type; hooks remove types. Lock-free. */
static struct place *places; /* (N_PLACES,) */
static uint32_t readable_bytes;
/* Bits of the blocks of known types, by hash. Lock-free. */
static _Atomic uint64_t filter[(1 << FILTER_BITS) / 64];
static _Atomic uintptr_t candidates[N_CANDIDATES]; /* 0 = a free place; lock-free */
static _Atomic uint32_t n_candidates;
static _Atomic uintptr_t refused[N_REFUSED]; /* addresses that were candidates; lock-free */
static struct sg_census_types scratch;       /* used by the worker only */

static uint64_t hash_of(uintptr_t address) {
    return (uint64_t)(address >> 4) * UINT64_C(0x9E3779B97F4A7C15);
}

static struct place *find(uintptr_t type) {
    uint32_t at = (uint32_t)(hash_of(type) >> (64 - TABLE_BITS));
    for (uint32_t i = 0; i < N_PROBES; i++) {
        struct place *place = &places[(at + i) & (N_PLACES - 1)];
        uintptr_t found = atomic_load_explicit(&place->type, memory_order_acquire);
        if (found == type)
            return place;
        if (!found)
            break;
    }
    return NULL;
}

const struct sg_trace_type *sg_trace_types_find(uintptr_t type) {
    struct place *place = find(type);
    return place ? &place->known : NULL;
}

/* ---- Ends of types ---- */

static _Atomic uint64_t *filter_word(uintptr_t block, uint64_t *bit) {
    uint32_t at = (uint32_t)(hash_of(block) >> (64 - FILTER_BITS));
    *bit = UINT64_C(1) << at % 64;
    return &filter[at / 64];
}

static inline bool may_be_type(uintptr_t block) {
    uint64_t bit;
    return atomic_load_explicit(filter_word(block, &bit), memory_order_relaxed) & bit;
}

/* Forget the type in this block, which is about to be freed, if there is one. */
static void forget(uintptr_t block) {
    for (uintptr_t front = SG_COLLECTOR_HEAD_BYTES; front <= LONG_FRONT; front += 16) {
        struct place *place = find(block + front);
        if (place)
            atomic_store(&place->type, REMOVED);
    }
}

/* ---- Headers ---- */

static inline bool is_plausible(uint64_t word) {
    return word >= LEAST_ADDRESS && word % 8 == 0 && word >> 47 == 0;
}

/* Propose an address that may be a type, which the worker will check. */
static void propose(uint64_t address) {
    _Atomic uintptr_t *last = &refused[hash_of(address) >> 54];
    if (!is_plausible(address) ||
        atomic_load_explicit(last, memory_order_relaxed) == (uintptr_t)address)
        return;
    for (int i = 0; i < N_CANDIDATES; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&candidates[i], &none, address)) {
            atomic_store_explicit(last, address, memory_order_relaxed);
            atomic_fetch_add(&n_candidates, 1);
            return;
        }
    }
}

/* Return the name of the type of the object at words[at], if its reference count is 0 and its type
 * is known and has this front; else 0. */
static inline uint32_t name_at(const uint64_t *words, int at) {
    if (words[at] || !is_plausible(words[at + 1]))
        return 0;
    const struct place *place = find(words[at + 1]);
    return place && place->known.front_bytes == (uint32_t)at * 8 ? place->known.name : 0;
}

uint32_t sg_trace_types_of_freed(const void *block, bool is_home) {
    const uint64_t *words = block;
    uintptr_t address = (uintptr_t)block;
    if (__builtin_expect(may_be_type(address), 0))
        forget(address);
    uint32_t name = name_at(words, 0);
    bool is_short = (address & (readable_bytes - 1)) > readable_bytes - HEADER_BYTES;
    int last = is_short ? 0 : sg_debug_offsets.minor >= FIRST_MINOR_OF_LONG_FRONTS ? 4 : 2;
    for (int at = 2; !name && at <= last; at += 2)
        name = name_at(words, at);
    for (int at = last; is_home && !name && at >= 0; at -= 2)
        if (!words[at] && is_plausible(words[at + 1]) && !find(words[at + 1]))
            propose(words[at + 1]);
    return name;
}

/* Return whether the word is a reference count, and neither a pointer nor a link of a free list. */
static bool is_count(uint64_t word) {
    const uint32_t least_immortal = (1u << 30) - 1;
    uint32_t count = (uint32_t)word;
    return (uint16_t)(word >> 32) == 0 && (sg_debug_offsets.minor >= 14 || word >> 32 == 0) &&
           count &&
           (count < LEAST_ADDRESS || (sg_debug_offsets.minor >= 12 && count >= least_immortal));
}

uint32_t sg_trace_types_of_live(const void *block, uint32_t size) {
    const uint64_t *words = block;
    for (uint32_t at = 0; at <= 4 && at * 8 + 16 <= size; at += 2) {
        if (!is_count(words[at]) || !is_plausible(words[at + 1]))
            continue;
        const struct place *place = find(words[at + 1]);
        if (!place) {
            propose(words[at + 1]);
            continue;
        }
        const struct sg_trace_type *known = &place->known;
        bool fits = known->fixed_bytes
                        ? known->fixed_bytes <= size && known->fixed_bytes + 16 > size
                        : known->least_bytes <= size;
        if (known->front_bytes == at * 8 && fits)
            return known->name;
    }
    return 0;
}

/* ---- Learning ---- */

static struct place *find_free(uintptr_t type) {
    uint32_t at = (uint32_t)(hash_of(type) >> (64 - TABLE_BITS));
    for (uint32_t i = 0; i < N_PROBES; i++) {
        struct place *place = &places[(at + i) & (N_PLACES - 1)];
        if (atomic_load(&place->type) <= REMOVED)
            return place;
    }
    return NULL;
}

/* Add the block of a type made at run time to the filter, so that its end is noticed. */
static void watch(uintptr_t type) {
    uint64_t bit;
    if (!(sg_memory_load(type + SG_TP_FLAGS) & HEAP_TYPE))
        return;
    uintptr_t metatype = sg_memory_load(type + SG_OB_TYPE);
    _Atomic uint64_t *word = filter_word(type - sg_object_types_front_bytes(metatype), &bit);
    atomic_fetch_or(word, bit);
}

/* Return the least bytes of an object behind its front. An ASCII str is shorter than its type says,
 * because it lacks the fields of other kinds of str. */
static uint32_t least_bytes_of(uintptr_t type) {
    const uint32_t basic = (uint32_t)sg_memory_load(type + SG_TP_BASICSIZE);
    if (type != (uintptr_t)&PyUnicode_Type)
        return basic;
    return sg_debug_offsets.minor <= LAST_MINOR_OF_LONG_TEXTS ? LONG_TEXT : SHORT_TEXT;
}

const struct sg_trace_type *sg_trace_types_learn(uintptr_t type) {
    struct place *place = find(type);
    if (place)
        return &place->known;
    place = find_free(type);
    if (!place)
        return NULL;
    sg_object_types_begin_slice(&scratch);
    watch(type);
    const struct sg_known_type *known = sg_object_types_of(&scratch, type);
    if (known->row == SG_NO_TYPE)
        return NULL;
    uint64_t flags = sg_memory_load(type + SG_TP_FLAGS);
    bool is_fixed = known->fixed_bytes && known->fixed_bytes <= UINT32_MAX &&
                    !(sg_debug_offsets.minor >= 13 && flags & INLINE_VALUES);
    place->known = (struct sg_trace_type){
        .name = sg_trace_names_add(scratch.rows.at[known->row].name),
        .front_bytes = known->front_bytes,
        .fixed_bytes = is_fixed ? (uint32_t)known->fixed_bytes : 0,
        .least_bytes = known->front_bytes + least_bytes_of(type),
    };
    atomic_store_explicit(&place->type, type, memory_order_release);
    return &place->known;
}

/* Return whether `address`, which may be any, is a live type. A type is the first in its own MRO,
 * which a copy of its memory is not. Its reference count has no limit, because each instance has a
 * reference. */
static bool is_type(uintptr_t address) {
    uint64_t fields[TYPE_BYTES / 8], mro[2];
    if (!sg_memory_read(address, fields, sizeof fields) || !(uint32_t)fields[0] ||
        (uint16_t)(fields[0] >> 32))
        return false;
    uintptr_t metatype = fields[SG_OB_TYPE / 8];
    bool is_meta = metatype == (uintptr_t)&PyType_Type;
    for (uintptr_t base = metatype; !is_meta && is_plausible(base) && find(base);
         base = sg_memory_load(base + SG_TP_BASE))
        is_meta = base == (uintptr_t)&PyType_Type;
    uintptr_t order = fields[SG_TP_MRO / 8];
    return is_meta && fields[SG_TP_FLAGS / 8] & READY && is_plausible(order) &&
           sg_memory_read(order, mro, sizeof mro) && mro[1] == (uintptr_t)&PyTuple_Type &&
           PyTuple_Size((PyObject *)order) > 0 &&
           PyTuple_GetItem((PyObject *)order, 0) == (PyObject *)address;
}

bool sg_trace_types_have_candidates(void) { return atomic_load(&n_candidates) != 0; }

void sg_trace_types_learn_candidates(bool is_anew) {
    atomic_store(&n_candidates, 0);
    for (int i = 0; is_anew && i < N_REFUSED; i++)
        atomic_store_explicit(&refused[i], 0, memory_order_relaxed);
    for (int i = 0; i < N_CANDIDATES; i++) {
        uintptr_t candidate = atomic_load(&candidates[i]);
        if (!candidate)
            continue;
        if (is_type(candidate) && sg_trace_types_learn(candidate))
            atomic_store(&refused[hash_of(candidate) >> 54], 0);
        atomic_store(&candidates[i], 0);
    }
}

/* Learn the types of small objects that the collector does not track, and their metatype. */
static void learn_common(void) {
    const char *names[] = {"PyType_Type",  "PyUnicode_Type", "PyLong_Type",     "PyFloat_Type",
                           "PyBytes_Type", "PyTuple_Type",   "PyDict_Type",     "PyList_Type",
                           "PySet_Type",   "PyBool_Type",    "PyComplex_Type",  "PySlice_Type",
                           "PyCode_Type",  "PyRange_Type",   "PyByteArray_Type"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *type = sg_python_symbols_address(names[i]);
        if (type)
            sg_trace_types_learn((uintptr_t)type);
    }
}

const char *sg_trace_types_prepare(uint32_t pool_bytes) {
    const char *problem = sg_object_types_prepare();
    if (problem)
        return problem;
    places = sg_memory_map(N_PLACES * sizeof *places);
    if (!places)
        return "there is no memory for the memory trace's tables";
    readable_bytes = pool_bytes ? pool_bytes : PAGE_BYTES;
    memset(filter, 0, sizeof filter);
    memset(candidates, 0, sizeof candidates);
    memset(refused, 0, sizeof refused);
    atomic_store(&n_candidates, 0);
    learn_common();
    return NULL;
}

void sg_trace_types_discard(void) {
    SG_MEMORY_DROP(places, N_PLACES * sizeof *places);
    sg_object_types_clear(&scratch);
}

void sg_trace_types_after_fork_in_child(void) {
    memset(&scratch, 0, sizeof scratch);
    places = NULL;
}
