/* Gathers lanes, writes them in the layout of docs/session-file.md, and packs the bytes with LZ4 if
 * that makes them smaller. */
#include "trace/block.h"

#include <string.h>

#include "platform/varint.h"

void sg_trace_block_begin(struct sg_trace_block *block, int64_t base_ns) {
    block->n_events = block->most_stack = block->most_type = 0;
    block->base_ns = block->last_ns = base_ns;
    block->first_ns = INT64_MAX;
    block->heads.n = block->symbols.n = 0;
    sg_encoder_buffer_clear(&block->columns);
}

bool sg_trace_block_add(struct sg_trace_block *block, const struct sg_trace_columns *columns) {
    struct sg_trace_lane_head head = {
        .n_events = columns->n_events,
        .n_symbols = columns->n_symbols,
        .is_timed = columns->is_timed,
    };
    if (!columns->n_events)
        return true;
    for (int i = 0; i < SG_TRACE_N_COLUMNS; i++) {
        head.sizes[i] = (uint32_t)sg_trace_columns_size(columns, (enum sg_trace_column)i);
        sg_encoder_put_raw(&block->columns, columns->columns[i], head.sizes[i]);
    }
    if (block->columns.failed ||
        !sg_vector_make_room((void **)&block->symbols.at, block->symbols.n,
                             &block->symbols.capacity, head.n_symbols, sizeof *block->symbols.at) ||
        !SG_ROWS_ADD(&block->heads, head)) {
        block->columns.failed = true;
        return false;
    }
    for (uint32_t i = 0; i < head.n_symbols; i++) {
        struct sg_trace_symbol symbol = columns->symbols[i];
        block->symbols.at[block->symbols.n++] = symbol;
        block->most_stack = symbol.stack > block->most_stack ? symbol.stack : block->most_stack;
        block->most_type = symbol.type > block->most_type ? symbol.type : block->most_type;
    }
    int64_t last_ns = sg_trace_columns_time_ns(columns);
    block->last_ns = last_ns > block->last_ns ? last_ns : block->last_ns;
    if (columns->first_ns < block->first_ns)
        block->first_ns = columns->first_ns;
    block->n_events += head.n_events;
    return true;
}

static void put_symbols(struct sg_buffer *out, const struct sg_trace_symbol *symbols, uint32_t n,
                        const struct sg_trace_numbers *numbers) {
    uint64_t last_stack = 0, last_type = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t head[2] = {symbols[i].kind, symbols[i].domain};
        uint64_t stack = symbols[i].stack, type = symbols[i].type;
        stack = stack ? numbers->find_stack(numbers->context, (uint32_t)stack) : 0;
        type = type ? numbers->find_type(numbers->context, (uint32_t)type) : 0;
        sg_encoder_put_raw(out, head, sizeof head);
        sg_encoder_put_varint(out, sg_varint_zigzag(stack - last_stack));
        sg_encoder_put_varint(out, sg_varint_zigzag(type - last_type));
        last_stack = stack;
        last_type = type;
    }
}

static void put_raw(struct sg_buffer *out, const struct sg_trace_block *block,
                    const struct sg_trace_numbers *numbers) {
    const struct sg_trace_symbol *symbols = block->symbols.at;
    sg_encoder_put_varint(out, SG_BLOCK_LAYOUT);
    sg_encoder_put_varint(out, block->n_events);
    sg_encoder_put_varint(out, block->heads.n);
    sg_encoder_put_varint(out, (uint64_t)block->base_ns);
    for (size_t i = 0; i < block->heads.n; i++) {
        const struct sg_trace_lane_head *head = &block->heads.at[i];
        sg_encoder_put_varint(out, head->n_events);
        sg_encoder_put_varint(out, head->n_symbols);
        sg_encoder_put_varint(out, head->is_timed);
        for (int column = 0; column < SG_TRACE_N_COLUMNS; column++)
            sg_encoder_put_varint(out, head->sizes[column]);
    }
    for (size_t i = 0; i < block->heads.n; i++) {
        put_symbols(out, symbols, block->heads.at[i].n_symbols, numbers);
        symbols += block->heads.at[i].n_symbols;
    }
    sg_encoder_put_raw(out, block->columns.bytes, block->columns.size);
}

bool sg_trace_block_pack(const struct sg_trace_block *block, const struct sg_trace_numbers *numbers,
                         struct sg_lz4_table *table, struct sg_trace_payload *payload) {
    struct sg_buffer raw = {0};
    sg_encoder_buffer_clear(&payload->bytes);
    put_raw(&raw, block, numbers);
    bool is_whole = !raw.failed && !block->columns.failed;
    if (is_whole && sg_vector_make_room((void **)&payload->bytes.bytes, 0, &payload->bytes.capacity,
                                        raw.size, 1)) {
        size_t packed = sg_lz4_pack(table, raw.bytes, raw.size, payload->bytes.bytes, raw.size - 1);
        if (!packed)
            memcpy(payload->bytes.bytes, raw.bytes, raw.size);
        payload->bytes.size = packed ? packed : raw.size;
        payload->packing = packed ? SG_BLOCK_LZ4 : SG_BLOCK_PLAIN;
        payload->raw_bytes = (uint32_t)raw.size;
    } else {
        is_whole = false;
    }
    sg_encoder_buffer_free(&raw);
    return is_whole;
}

void sg_trace_block_free(struct sg_trace_block *block) {
    SG_ROWS_FREE(&block->heads);
    SG_ROWS_FREE(&block->symbols);
    sg_encoder_buffer_free(&block->columns);
    memset(block, 0, sizeof *block);
}
