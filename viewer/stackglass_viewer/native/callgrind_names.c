/* A line `key=value` sets the current object, file, function or callee.
 *
 *     fn=(12) main ─▶ resolve: number of the name ─▶ enter: number of the function
 *
 * Names are pieces of the text (text_pieces.h): equal names have the same number. */
#include "callgrind_names.h"

enum {
    FIRST_SLOTS = 1 << 10,
    MOST_DIGITS = 18, /* a number of 18 digits fits in 63 bits */
    /* Bytes of a short line with a name. A file that counts from 1 has no number above its size /
     * BYTES_A_NAME; up to there, numbers are indexes of a column, which is therefore smaller than
     * the text. Larger numbers are looked up in a hash table. */
    BYTES_A_NAME = 16,
};
enum kind { OBJECT, FILE_NAME, FUNCTION };

struct key {
    char name[4];
    unsigned char length;
    unsigned char kind;
};

enum { OB, FL, FI, FE, FN, COB, CFI, CFL, CFN, JFI, JFN, N_KEYS };

static const struct key KEYS[N_KEYS] = {
    [OB] = {"ob", 2, OBJECT},      [FL] = {"fl", 2, FILE_NAME},   [FI] = {"fi", 2, FILE_NAME},
    [FE] = {"fe", 2, FILE_NAME},   [FN] = {"fn", 2, FUNCTION},    [COB] = {"cob", 3, OBJECT},
    [CFI] = {"cfi", 3, FILE_NAME}, [CFL] = {"cfl", 3, FILE_NAME}, [CFN] = {"cfn", 3, FUNCTION},
    [JFI] = {"jfi", 3, FILE_NAME}, [JFN] = {"jfn", 3, FUNCTION},
};

static size_t hash(const struct sg_callgrind_names *names, int32_t object, int32_t file,
                   int32_t name) {
    const uint64_t *keys = names->texts.keys;
    uint64_t place = (uint64_t)(uint32_t)object << 32 | (uint32_t)file;
    return (size_t)sg_text_mix(sg_text_mix(place ^ keys[0], keys[1]) ^ (uint32_t)name, keys[2]);
}

/* Make room for `n_slots`, a power of two, in which each function finds its slot. Returns 0, or -1
 * if memory is short. */
static int resize(struct sg_callgrind_names *names, size_t n_slots) {
    struct sg_callgrind_functions *functions = &names->functions;
    struct sg_vector *memory = &functions->slots;
    const size_t mask = n_slots - 1;
    memory->n = 0; /* the functions know where they belong */
    if (sg_column_resize(memory, n_slots, sizeof(int32_t)) < 0)
        return -1;
    int32_t *slots = sg_i32(memory);
    memset(slots, 0, n_slots * sizeof *slots);
    memory->n = n_slots;
    for (size_t i = 0; i < functions->name.n; i++) {
        size_t at = hash(names, sg_i32(&functions->object)[i], sg_i32(&functions->file)[i],
                         sg_i32(&functions->name)[i]) &
                    mask;
        while (slots[at])
            at = (at + 1) & mask;
        slots[at] = (int32_t)i + 1;
    }
    return 0;
}

int sg_callgrind_names_init(struct sg_callgrind_names *names, const unsigned char *text,
                            size_t size) {
    *names = (struct sg_callgrind_names){
        .n_dense = size / BYTES_A_NAME,
        .called_object = SG_CALLGRIND_NONE,
        .called_file = SG_CALLGRIND_NONE,
        .function = SG_CALLGRIND_NONE,
        .callee = SG_CALLGRIND_NONE,
    };
    if (sg_text_pieces_init(&names->texts, text) < 0 ||
        sg_text_pieces_init(&names->far_numbers, text) < 0 || resize(names, FIRST_SLOTS) < 0)
        return -1;
    return sg_text_pieces_number(&names->texts, 0, 0) < 0 ? -1 : 0;
}

void sg_callgrind_names_free(struct sg_callgrind_names *names) {
    sg_text_pieces_free(&names->texts);
    sg_text_pieces_free(&names->far_numbers);
    for (size_t kind = 0; kind < SG_CALLGRIND_KINDS; kind++) {
        sg_release(&names->meaning[kind]);
        sg_release(&names->far_meaning[kind]);
    }
    sg_release(&names->functions.slots);
    sg_release(&names->functions.object);
    sg_release(&names->functions.file);
    sg_release(&names->functions.name);
}

static int add(struct sg_callgrind_functions *functions, int32_t object, int32_t file,
               int32_t name) {
    if (functions->name.n == INT32_MAX - 1 || sg_push_i32(&functions->object, object) < 0 ||
        sg_push_i32(&functions->file, file) < 0)
        return -1;
    return sg_push_i32(&functions->name, name);
}

/* Set `*number` to the number of a function, which is added if it is new and `may_add`. Returns
 * SG_CALLGRIND_NO_EVENTS if it is new and must not be added. */
static enum sg_callgrind_fault find_function(struct sg_callgrind_names *names, int32_t object,
                                             int32_t file, int32_t name, int may_add,
                                             int32_t *number) {
    struct sg_callgrind_functions *functions = &names->functions;
    int32_t *slots = sg_i32(&functions->slots);
    const size_t mask = functions->slots.n - 1;
    size_t at = hash(names, object, file, name) & mask;
    for (; slots[at]; at = (at + 1) & mask) {
        int32_t found = slots[at] - 1;
        if (sg_i32(&functions->name)[found] == name && sg_i32(&functions->file)[found] == file &&
            sg_i32(&functions->object)[found] == object) {
            *number = found;
            return SG_CALLGRIND_FINE;
        }
    }
    if (!may_add)
        return SG_CALLGRIND_NO_EVENTS;
    if (add(functions, object, file, name) < 0)
        return SG_CALLGRIND_NO_MEMORY;
    *number = (int32_t)functions->name.n - 1;
    slots[at] = *number + 1;
    if (functions->name.n > mask / 4 * 3 && resize(names, (mask + 1) * 2) < 0)
        return SG_CALLGRIND_NO_MEMORY;
    return SG_CALLGRIND_FINE;
}

/* Return the number of a name, or of its alias; -1 = memory is short. */
static int32_t number_text(struct sg_callgrind_names *names, size_t begin, size_t end) {
    int32_t number = sg_text_pieces_number(&names->texts, begin, end - begin);
    return number >= 0 && (size_t)number < names->n_aliases ? names->alias[number] : number;
}

/* Return the offset of the closing bracket of `(12) name`; 0 = no number in brackets. */
static size_t find_bracket(const unsigned char *text, size_t begin, size_t end) {
    size_t at = begin + 1;
    if (begin == end || text[begin] != '(')
        return 0;
    while (at < end && text[at] >= '0' && text[at] <= '9')
        at++;
    size_t n_digits = at - begin - 1;
    return n_digits && n_digits <= MOST_DIGITS && at < end && text[at] == ')' ? at : 0;
}

/* Return the item that holds the name of a number, whose digits are from `begin` to `end`. The item
 * is -1 if the number has no name yet. The pointer is valid until the next call; NULL = memory is
 * short. */
static int32_t *find_meaning(struct sg_callgrind_names *names, enum kind kind, size_t begin,
                             size_t end) {
    const unsigned char *text = names->texts.text;
    struct sg_vector *meaning = &names->meaning[kind];
    uint64_t number = 0;
    while (begin < end && text[begin] == '0')
        begin++;
    for (size_t at = begin; at < end; at++)
        number = number * 10 + (uint64_t)(text[at] - '0');
    if (number >= names->n_dense) {
        int32_t piece = sg_text_pieces_number(&names->far_numbers, begin, end - begin);
        if (piece < 0)
            return NULL;
        number = (uint64_t)piece;
        meaning = &names->far_meaning[kind];
    }
    if (number >= meaning->n) {
        size_t more = (size_t)number + 1 - meaning->n;
        if (sg_reserve(meaning, more, sizeof(int32_t)) < 0)
            return NULL;
        memset(sg_i32(meaning) + meaning->n, 0xff, more * sizeof(int32_t));
        meaning->n += more;
    }
    return sg_i32(meaning) + number;
}

/* Set `*name` to the name in a value: `name`, `(12) name`, which gives number 12 this name, or
 * `(12)`. */
static enum sg_callgrind_fault resolve(struct sg_callgrind_names *names, enum kind kind,
                                       size_t begin, size_t end, int32_t *name) {
    const unsigned char *text = names->texts.text;
    size_t bracket = find_bracket(text, begin, end);
    if (!bracket) {
        *name = number_text(names, begin, end);
        return *name < 0 ? SG_CALLGRIND_NO_MEMORY : SG_CALLGRIND_FINE;
    }
    size_t rest = bracket + 1;
    while (rest < end && sg_callgrind_is_space(text[rest]))
        rest++;
    int32_t *meaning = find_meaning(names, kind, begin + 1, bracket);
    if (!meaning)
        return SG_CALLGRIND_NO_MEMORY;
    if (rest < end && (*meaning = number_text(names, rest, end)) < 0)
        return SG_CALLGRIND_NO_MEMORY;
    *name = *meaning;
    return *name < 0 ? (enum sg_callgrind_fault)(SG_CALLGRIND_UNNAMED + (int)kind)
                     : SG_CALLGRIND_FINE;
}

/* Set the object, file, function or callee that a line names. */
static enum sg_callgrind_fault enter(struct sg_callgrind_names *names, int key, int32_t name,
                                     int may_add) {
    enum sg_callgrind_fault fault = SG_CALLGRIND_FINE;
    if (key == OB) {
        names->object = name;
    } else if (key == FL || key == FI || key == FE) {
        names->file = name;
        if (key == FL)
            names->own_file = name;
    } else if (key == FN) {
        names->own_file = names->file;
        fault = find_function(names, names->object, names->file, name, may_add, &names->function);
        names->callee = SG_CALLGRIND_NONE;
    } else if (key == COB) {
        names->called_object = name;
    } else if (key == CFI || key == CFL) {
        names->called_file = name;
    } else if (key == CFN) {
        int32_t object = names->called_object < 0 ? names->object : names->called_object;
        int32_t file = names->called_file < 0 ? names->file : names->called_file;
        fault = find_function(names, object, file, name, may_add, &names->callee);
        names->called_object = names->called_file = SG_CALLGRIND_NONE;
    }
    return fault;
}

int sg_callgrind_names_read(struct sg_callgrind_names *names, size_t begin, size_t end, int may_add,
                            enum sg_callgrind_fault *fault) {
    const unsigned char *text = names->texts.text;
    size_t length = 2;
    if (end - begin < 3)
        return 0;
    if (text[begin + 2] != '=') {
        if (end - begin < 4 || text[begin + 3] != '=')
            return 0;
        length = 3;
    }
    int key = 0;
    while (key < N_KEYS &&
           (KEYS[key].length != length || memcmp(KEYS[key].name, text + begin, length) != 0))
        key++;
    if (key == N_KEYS)
        return 0;
    size_t value = begin + length + 1;
    while (value < end && sg_callgrind_is_space(text[value]))
        value++;
    int32_t name = 0;
    *fault = resolve(names, KEYS[key].kind, value, end, &name);
    if (*fault == SG_CALLGRIND_FINE)
        *fault = enter(names, key, name, may_add);
    return 1;
}
