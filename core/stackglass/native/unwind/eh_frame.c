/* Reads lengths and augmentations, and leaves the instructions to cfa_program.h. */
#include "unwind/eh_frame.h"

enum {
    LENGTH_IS_64_BIT = 0xffffffff,
    MOST_AUGMENTATION_BYTES = 16,
    RETURN_ADDRESS_COLUMN = SG_DWARF_RETURN_ADDRESS,
};

/* Return a cursor over the bytes from `address` to the end of the copy; bad if `address` is
 * outside. */
static struct sg_unwind_cursor open_at(const struct sg_eh_frame *frame, uintptr_t address) {
    uint64_t offset = address - frame->address;
    struct sg_unwind_cursor cursor = {.address = address, .is_bad = offset >= frame->n_bytes};
    if (!cursor.is_bad) {
        cursor.at = frame->bytes + offset;
        cursor.end = frame->bytes + frame->n_bytes;
    }
    return cursor;
}

/* Read the length of an entry, and end the cursor there. */
static void enter(struct sg_unwind_cursor *cursor) {
    uint64_t length = sg_unwind_cursor_fixed(cursor, 4);
    if (length == LENGTH_IS_64_BIT)
        length = sg_unwind_cursor_fixed(cursor, 8);
    if (cursor->is_bad || !length || length > (uint64_t)(cursor->end - cursor->at))
        cursor->is_bad = true;
    else
        cursor->end = cursor->at + length;
}

/* Read the fields that the augmentation's letters announce. Returns false for an unknown letter,
 * because the fields after it cannot be read. */
static bool read_augmentation(struct sg_unwind_cursor *cursor, const char *letters,
                              struct sg_eh_frame_cie *cie) {
    for (; *letters; letters++) {
        uint8_t encoding;
        switch (*letters) {
        case 'R':
            cie->pointer_encoding = sg_unwind_cursor_byte(cursor);
            break;
        case 'P': /* the exception handler: only its size matters */
            encoding = sg_unwind_cursor_byte(cursor);
            if (encoding != SG_PE_OMITTED)
                sg_unwind_cursor_pointer(
                    cursor, encoding & (uint8_t) ~(SG_PE_INDIRECT | SG_PE_APPLICATION));
            break;
        case 'L': /* the encoding of exception tables, which are not read */
            sg_unwind_cursor_byte(cursor);
            break;
        case 'S':
            cie->is_signal_frame = true;
            break;
        default:
            return false;
        }
    }
    return !cursor->is_bad;
}

static bool read_letters(struct sg_unwind_cursor *cursor, char *letters) {
    int n = 0;
    do {
        letters[n] = (char)sg_unwind_cursor_byte(cursor);
    } while (letters[n] && ++n < MOST_AUGMENTATION_BYTES && !cursor->is_bad);
    return n < MOST_AUGMENTATION_BYTES && !cursor->is_bad;
}

static bool read_cie(struct sg_eh_frame *frame, uintptr_t address) {
    struct sg_unwind_cursor cursor = open_at(frame, address);
    struct sg_eh_frame_cie cie = {.pointer_encoding = SG_PE_ABSOLUTE};
    char letters[MOST_AUGMENTATION_BYTES];
    enter(&cursor);
    uint64_t id = sg_unwind_cursor_fixed(&cursor, 4);
    uint8_t version = sg_unwind_cursor_byte(&cursor);
    if (cursor.is_bad || id || (version != 1 && version != 3) || !read_letters(&cursor, letters))
        return false;
    cie.code_factor = sg_unwind_cursor_uleb(&cursor);
    cie.data_factor = sg_unwind_cursor_sleb(&cursor);
    uint64_t column =
        version == 1 ? sg_unwind_cursor_byte(&cursor) : sg_unwind_cursor_uleb(&cursor);
    if (column != RETURN_ADDRESS_COLUMN || cie.code_factor > 16 || cie.data_factor < -16 ||
        cie.data_factor > 16)
        return false;
    if (letters[0] == 'z') {
        uint64_t n_bytes = sg_unwind_cursor_uleb(&cursor);
        struct sg_unwind_cursor inside = cursor;
        sg_unwind_cursor_skip(&cursor, n_bytes);
        if (cursor.is_bad)
            return false;
        inside.end = cursor.at;
        cie.has_augmentation = true;
        if (!read_augmentation(&inside, letters + 1, &cie))
            return false;
    } else if (letters[0]) {
        return false;
    }
    struct sg_cfa_program program = {
        .code = cursor,
        .code_factor = cie.code_factor,
        .data_factor = cie.data_factor,
        .pointer_encoding = cie.pointer_encoding,
    };
    uint64_t pc = 0;
    cie.initial.is_unknown = true;
    if (!sg_cfa_program_run(&program, &cie.initial, &pc, NULL, NULL))
        return false;
    frame->cie = cie;
    frame->cie_address = address;
    return true;
}

bool sg_eh_frame_read(struct sg_eh_frame *frame, uintptr_t address,
                      struct sg_eh_frame_function *function) {
    struct sg_unwind_cursor cursor = open_at(frame, address);
    enter(&cursor);
    uintptr_t place = cursor.address;
    uint64_t back = sg_unwind_cursor_fixed(&cursor, 4);
    if (cursor.is_bad || !back || back > place)
        return false;
    if (frame->cie_address != place - back && !read_cie(frame, place - back))
        return false;
    const struct sg_eh_frame_cie *cie = &frame->cie;
    function->start = sg_unwind_cursor_pointer(&cursor, cie->pointer_encoding);
    uint64_t n_bytes = sg_unwind_cursor_pointer(&cursor, cie->pointer_encoding & SG_PE_FORM);
    function->end = function->start + n_bytes;
    if (cie->has_augmentation)
        sg_unwind_cursor_skip(&cursor, sg_unwind_cursor_uleb(&cursor));
    function->code = cursor;
    return !cursor.is_bad && function->end > function->start;
}

struct run {
    const struct sg_eh_frame_cie *cie;
    uintptr_t end; /* end of the function */
    sg_eh_frame_rule_fn *emit;
    void *context;
    bool is_over; /* the function has ended, or there is no room for more */
};

static bool emit_rule(struct run *run, uintptr_t pc, const struct sg_unwind_rule *rule) {
    run->is_over = pc >= run->end;
    if (!run->is_over && !run->emit(run->context, pc, rule))
        run->is_over = true;
    return !run->is_over;
}

static bool emit_row(void *context, uint64_t pc, const struct sg_cfa_row *row) {
    struct run *run = context;
    struct sg_unwind_rule rule = sg_cfa_program_rule(row, run->cie->is_signal_frame);
    return emit_rule(run, pc, &rule);
}

void sg_eh_frame_run(struct sg_eh_frame *frame, const struct sg_eh_frame_function *function,
                     sg_eh_frame_rule_fn *emit, void *context) {
    static const struct sg_unwind_rule UNKNOWN = {.cfa = SG_CFA_UNKNOWN};
    struct sg_cfa_row row = frame->cie.initial;
    struct sg_cfa_program program = {
        .code = function->code,
        .code_factor = frame->cie.code_factor,
        .data_factor = frame->cie.data_factor,
        .pointer_encoding = frame->cie.pointer_encoding,
        .initial = &frame->cie.initial,
    };
    struct run run = {.cie = &frame->cie, .end = function->end, .emit = emit, .context = context};
    uint64_t pc = function->start;
    if (sg_cfa_program_run(&program, &row, &pc, emit_row, &run))
        emit_row(&run, pc, &row);
    else if (!run.is_over)
        emit_rule(&run, pc, &UNKNOWN);
}
