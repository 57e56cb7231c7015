/* sg_unwind_builder_begin copies .eh_frame_hdr. Each step copies a part of .eh_frame, or runs the
 * CFA programs of some functions. */
#include "unwind/builder.h"

#include <string.h>

#include "platform/memory.h"

enum {
    /* The one form of .eh_frame_hdr that linkers write. */
    TABLE_VERSION = 1,
    COUNT_ENCODING = SG_PE_UDATA4,
    ROW_ENCODING = 0x30 | SG_PE_SDATA4, /* relative to the header's address */
    FRAME_ENCODING = SG_PE_RELATIVE_TO_PC | SG_PE_SDATA4,

    /* Work of one step, about a millisecond. */
    STEP_BYTES = 1 << 20,
    STEP_FUNCTIONS = 4096,
    LARGEST_CODE_BYTES = INT32_MAX, /* an offset is 32 bits */
};

struct table_head {
    uint8_t version, frame_encoding, count_encoding, row_encoding;
    int32_t frame; /* address of .eh_frame, relative to this field's address */
    uint32_t n_rows;
};

struct table_row {
    /* addresses of a function and its FDE, relative to the header's address */
    int32_t start, entry;
};

static uintptr_t entry_of(const struct sg_unwind_builder *builder, const struct table_row *row) {
    return builder->object.header + (uintptr_t)(intptr_t)row->entry;
}

static bool is_inside(const struct sg_loaded_object *object, uintptr_t address) {
    return address - object->readable < object->readable_end - object->readable;
}

/* Copy the header's table. Returns false if it has another form or cannot be read. */
static bool copy_starts(struct sg_unwind_builder *builder) {
    const struct sg_loaded_object *object = &builder->object;
    struct table_head head;
    uint64_t room = object->header_end - object->header;
    if (room < sizeof head || room > object->readable_end - object->header ||
        object->end - object->start > LARGEST_CODE_BYTES ||
        !sg_loaded_objects_read(object, object->header, &head, sizeof head) ||
        head.version != TABLE_VERSION || head.frame_encoding != FRAME_ENCODING ||
        head.count_encoding != COUNT_ENCODING || head.row_encoding != ROW_ENCODING ||
        !head.n_rows || head.n_rows > (room - sizeof head) / sizeof(struct table_row))
        return false;
    uint64_t n_bytes = head.n_rows * sizeof(struct table_row);
    builder->n_functions = head.n_rows;
    builder->bytes_at =
        object->header + offsetof(struct table_head, frame) + (uintptr_t)(intptr_t)head.frame;
    builder->starts = sg_memory_map(n_bytes);
    return builder->starts &&
           sg_loaded_objects_read(object, object->header + sizeof head, builder->starts, n_bytes);
}

/* Find the size of .eh_frame, which no table gives: the section ends where its last FDE ends. Map
 * the memory for the copy. */
static bool find_bytes(struct sg_unwind_builder *builder) {
    const struct table_row *rows = builder->starts;
    const struct sg_loaded_object *object = &builder->object;
    uintptr_t last = 0;
    uint32_t length = 0;
    for (uint32_t i = 0; i < builder->n_functions; i++) {
        uintptr_t entry = entry_of(builder, &rows[i]);
        if (entry > last && is_inside(object, entry))
            last = entry;
    }
    if (!is_inside(object, builder->bytes_at) || last < builder->bytes_at ||
        !sg_loaded_objects_read(object, last, &length, sizeof length))
        return false;
    uint64_t most = object->readable_end - builder->bytes_at;
    builder->n_bytes = last - builder->bytes_at + sizeof length + length;
    if (builder->n_bytes > most)
        builder->n_bytes = most;
    builder->bytes = sg_memory_map(builder->n_bytes);
    return builder->bytes != NULL;
}

bool sg_unwind_builder_begin(struct sg_unwind_builder *builder,
                             const struct sg_loaded_object *object) {
    memset(builder, 0, sizeof *builder);
    builder->object = *object;
    if (copy_starts(builder) && find_bytes(builder)) {
        builder->frame = (struct sg_eh_frame){
            .bytes = builder->bytes, .address = builder->bytes_at, .n_bytes = builder->n_bytes};
        builder->end = object->start;
        return true;
    }
    sg_unwind_builder_drop(builder);
    return false;
}

static bool add_rule(void *context, uintptr_t pc, const struct sg_unwind_rule *rule) {
    struct sg_unwind_builder *builder = context;
    bool is_added = sg_unwind_rows_add(&builder->rows, (uint32_t)(pc - builder->object.start),
                                       sg_unwind_rules_intern(rule));
    builder->has_run_out |= !is_added;
    return is_added;
}

/* Add the rows of a function. Functions come in ascending order; a function that does not, or
 * reaches beyond the code, is skipped. Code between functions gets the unknown rule. */
static void add_function(struct sg_unwind_builder *builder, uintptr_t entry) {
    static const struct sg_unwind_rule UNKNOWN = {.cfa = SG_CFA_UNKNOWN};
    struct sg_eh_frame_function function;
    if (!sg_eh_frame_read(&builder->frame, entry, &function) || function.start < builder->end ||
        function.end > builder->object.end)
        return;
    if (builder->end < function.start && !add_rule(builder, builder->end, &UNKNOWN))
        return;
    sg_eh_frame_run(&builder->frame, &function, add_rule, builder);
    builder->end = function.end;
}

/* Hand the rows to the caller, and free the rest. */
static bool finish(struct sg_unwind_builder *builder) {
    static const struct sg_unwind_rule UNKNOWN = {.cfa = SG_CFA_UNKNOWN};
    struct sg_unwind_rows rows = {0};
    if (!builder->has_run_out && builder->end < builder->object.end)
        add_rule(builder, builder->end, &UNKNOWN);
    if (!builder->has_run_out) {
        sg_unwind_rows_finish(&builder->rows);
        rows = builder->rows;
        memset(&builder->rows, 0, sizeof builder->rows);
    }
    sg_unwind_builder_drop(builder);
    builder->rows = rows;
    return true;
}

bool sg_unwind_builder_step(struct sg_unwind_builder *builder) {
    const struct table_row *rows = builder->starts;
    if (builder->n_copied < builder->n_bytes) {
        uint64_t n = builder->n_bytes - builder->n_copied;
        n = n < STEP_BYTES ? n : STEP_BYTES;
        if (!sg_loaded_objects_read(&builder->object, builder->bytes_at + builder->n_copied,
                                    (uint8_t *)builder->bytes + builder->n_copied, n)) {
            sg_unwind_builder_drop(builder); /* unloaded meanwhile */
            return true;
        }
        builder->n_copied += n;
        return false;
    }
    for (int i = 0; i < STEP_FUNCTIONS && builder->n_done < builder->n_functions; i++) {
        add_function(builder, entry_of(builder, &rows[builder->n_done++]));
        if (builder->has_run_out)
            return finish(builder);
    }
    return builder->n_done == builder->n_functions && finish(builder);
}

void sg_unwind_builder_drop(struct sg_unwind_builder *builder) {
    if (builder->starts)
        sg_memory_unmap(builder->starts, builder->n_functions * sizeof(struct table_row));
    if (builder->bytes)
        sg_memory_unmap(builder->bytes, builder->n_bytes);
    sg_unwind_rows_free(&builder->rows);
    memset(builder, 0, sizeof *builder);
}
