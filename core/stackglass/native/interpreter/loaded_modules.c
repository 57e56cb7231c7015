/* A look-up of a name in sys.modules, as the interpreter itself does it, but by reads that cannot
 * fault.
 *
 *     interpreter ──▶ dictionary ──▶ keys: header │ index, by hash │ entries ──▶ str
 *
 * The dictionary may change meanwhile. So the result counts only if the header of its keys is the
 * same afterwards, and if a look-up of "sys" finds it. */
#include "interpreter/loaded_modules.h"

#include <Python.h>

#include <string.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"

enum {
    FIRST_MINOR = 12,  /* the layout below holds from 3.12 on */
    DICT_KEYS = 32,    /* ma_keys */
    INDICES = 32,      /* dk_indices, behind the header */
    LARGEST_LOG = 20,  /* log2 of the largest table that is searched */
    MOST_STEPS = 64,   /* steps of a look-up */
    PERTURB_SHIFT = 5, /* as in dictobject.c */
    EMPTY = -1,        /* DKIX_EMPTY, in the index */
    LENGTH = 16,       /* a str's length */
    MOST_HEADER = 32,  /* most bytes from a str's length to its characters */
    LONGEST = 31,      /* bytes of a name */
};

enum found { LACKS, HAS, UNKNOWN };

typedef void *get_interpreter_fn(void);
typedef Py_hash_t hash_fn(const void *bytes, Py_ssize_t size);

/* The beginning of CPython's PyDictKeysObject. */
struct header {
    uint64_t references;
    uint8_t log_size, log_index_bytes;
    uint8_t kind; /* 0 = keys of any type: an entry begins with the hash */
    uint8_t unused;
    uint32_t version; /* dk_version, which may change although the keys do not */
    uint64_t n_usable, n_entries;
};

/* Return the interpreter if there is only one, otherwise 0. */
static uintptr_t find_only_interpreter(void) {
    get_interpreter_fn *get_main, *get_newest;
    sg_python_symbols_look_up("PyInterpreterState_Main", &get_main);
    sg_python_symbols_look_up("PyInterpreterState_Head", &get_newest);
    void *interpreter = get_main && get_newest ? get_main() : NULL;
    return interpreter && get_newest() == interpreter ? (uintptr_t)interpreter : 0;
}

static bool find_offsets(struct sg_debug_offsets *offsets) {
    const unsigned long *version = sg_python_symbols_address("Py_Version");
    int minor = version ? (int)(*version >> 16 & 0xff) : 0;
    return minor >= FIRST_MINOR && minor <= SG_LAST_MINOR &&
           !sg_debug_offsets_find(minor, sg_python_symbols_address("_PyRuntime"), offsets);
}

static hash_fn *find_hash(void) {
    hash_fn *hash;
    if (!sg_python_symbols_look_up("Py_HashBuffer", &hash)) /* 3.14 and later */
        sg_python_symbols_look_up("_Py_HashBytes", &hash);
    return hash;
}

/* Does the str at `key` have this text? */
static enum found compare(uintptr_t key, int32_t data_at, const char *text) {
    char bytes[MOST_HEADER + LONGEST];
    uint64_t length, wanted = strlen(text);
    size_t at = (size_t)data_at - LENGTH;
    if (at > MOST_HEADER || !sg_memory_read_foreign(key + LENGTH, bytes, at + wanted))
        return UNKNOWN;
    memcpy(&length, bytes, sizeof length);
    return length == wanted && memcmp(bytes + at, text, wanted) == 0 ? HAS : LACKS;
}

/* Read the number of an entry from the index; a negative number is EMPTY or a removed entry.
 * Returns false if it cannot be read. */
static bool read_index(uintptr_t keys, const struct header *header, uint64_t place,
                       int64_t *number) {
    int8_t byte;
    int16_t half;
    int32_t word;
    uint64_t size = UINT64_C(1) << (header->log_index_bytes - header->log_size);
    uintptr_t at = keys + INDICES + place * size;
    bool is_read = false;
    if (size == sizeof byte && (is_read = sg_memory_read_foreign(at, &byte, size)))
        *number = byte;
    else if (size == sizeof half && (is_read = sg_memory_read_foreign(at, &half, size)))
        *number = half;
    else if (size == sizeof word && (is_read = sg_memory_read_foreign(at, &word, size)))
        *number = word;
    return is_read;
}

static enum found look_up(uintptr_t keys, const struct header *header, int32_t data_at,
                          const char *name, hash_fn *hash) {
    uint64_t mask = (UINT64_C(1) << header->log_size) - 1;
    uint64_t place = (uint64_t)hash(name, (Py_ssize_t)strlen(name)), perturb = place;
    uintptr_t entries = keys + INDICES + (UINT64_C(1) << header->log_index_bytes), entry[2];
    size_t entry_bytes = header->kind ? sizeof entry : sizeof entry + 8, key_at = entry_bytes - 16;
    for (int i = 0; i < MOST_STEPS; i++) {
        int64_t number;
        if (!read_index(keys, header, place & mask, &number) || number >= (1 << LARGEST_LOG))
            return UNKNOWN;
        if (number == EMPTY)
            return LACKS;
        if (number >= 0) {
            if (!sg_memory_read_foreign(entries + (uint64_t)number * entry_bytes + key_at, entry,
                                        sizeof entry))
                return UNKNOWN;
            enum found found = entry[0] ? compare(entry[0], data_at, name) : LACKS;
            if (found != LACKS)
                return found;
        }
        perturb >>= PERTURB_SHIFT;
        place = (place & mask) * 5 + perturb + 1;
    }
    return UNKNOWN;
}

static bool read_header(uintptr_t dict, uintptr_t *keys, struct header *header) {
    bool is_read = sg_memory_read_foreign(dict + DICT_KEYS, keys, sizeof *keys) &&
                   sg_memory_read_foreign(*keys, header, sizeof *header);
    header->version = 0;
    return is_read && header->log_size <= LARGEST_LOG &&
           header->log_index_bytes >= header->log_size &&
           header->log_index_bytes <= LARGEST_LOG + 2;
}

bool sg_loaded_modules_lack(const char *name) {
    struct sg_debug_offsets offsets;
    struct header before, after;
    uintptr_t interpreter = find_only_interpreter(), dict, type, keys, keys_after;
    hash_fn *hash = find_hash();
    return strlen(name) <= LONGEST && interpreter && hash && find_offsets(&offsets) &&
           sg_memory_read_foreign(interpreter + (uintptr_t)offsets.interp_modules, &dict,
                                  sizeof dict) &&
           sg_memory_read_foreign(dict + SG_OB_TYPE, &type, sizeof type) &&
           type == (uintptr_t)&PyDict_Type && read_header(dict, &keys, &before) &&
           look_up(keys, &before, offsets.ascii_data, "sys", hash) == HAS &&
           look_up(keys, &before, offsets.ascii_data, name, hash) == LACKS &&
           read_header(dict, &keys_after, &after) && keys_after == keys &&
           memcmp(&before, &after, sizeof before) == 0;
}
