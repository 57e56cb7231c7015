/* Packing and unpacking of live blocks. A row is coded as the difference from the row before; each
 * group begins anew, so that a block can be found without unpacking other groups. */
#include <stdlib.h>
#include <string.h>

#include "memory_checkpoint.h"

enum {
    AS_SIZE = 1,
    AS_STACK = 2,
    AS_TYPE = 4,
    AS_TID = 8,
    MOST_ROW_BYTES = 2 + 8 * 10,
    AHEAD = 16,
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
};

/* LSD radix sort with digits of 11 bits. Digits in which all addresses are equal are skipped. */
int sg_sort_places(struct sg_place *places, size_t n) {
    struct sg_place *other = malloc((n ? n : 1) * sizeof *other), *from = places, *to = other;
    uint32_t *counts = malloc(DIGITS * sizeof *counts);
    uint64_t all = ~(uint64_t)0, any = 0;
    if (!other || !counts) {
        free(other);
        free(counts);
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        all &= places[i].address;
        any |= places[i].address;
    }
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (((all ^ any) >> shift & (DIGITS - 1)) == 0)
            continue;
        memset(counts, 0, DIGITS * sizeof *counts);
        for (size_t i = 0; i < n; i++)
            counts[from[i].address >> shift & (DIGITS - 1)]++;
        uint32_t before = 0;
        for (size_t digit = 0; digit < DIGITS; digit++) {
            uint32_t count = counts[digit];
            counts[digit] = before;
            before += count;
        }
        for (size_t i = 0; i < n; i++)
            to[counts[from[i].address >> shift & (DIGITS - 1)]++] = from[i];
        struct sg_place *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != places)
        memcpy(places, from, n * sizeof *places);
    free(other);
    free(counts);
    return 0;
}

int sg_sort_rows(const struct sg_blocks *blocks, unsigned space, uint64_t low, uint64_t high,
                 struct sg_vector *rows) {
    size_t n = blocks->n_live[space], found = 0;
    struct sg_place *places = malloc((n ? n : 1) * sizeof *places);
    if (!places || sg_reserve(rows, n, sizeof(uint32_t)) < 0) {
        free(places);
        return -1;
    }
    for (size_t row = 1; row < blocks->rows.n && found < n; row++) {
        const struct sg_block *block = sg_block_at(blocks, (uint32_t)row);
        if (block->is_used && block->space == space &&
            (block->address < high || high == UINT64_MAX) &&
            (block->address >= low || block->size > low - block->address))
            places[found++] = (struct sg_place){block->address, (uint32_t)row};
    }
    int result = sg_sort_places(places, found);
    uint32_t *out = (uint32_t *)(void *)rows->data;
    for (size_t i = 0; i < found && result == 0; i++)
        out[rows->n++] = places[i].row;
    free(places);
    return result;
}

static uint8_t *put_varint(uint8_t *at, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static uint8_t *put_block(uint8_t *at, const struct sg_replay *replay, const struct sg_block *block,
                          const struct sg_block *before) {
    unsigned same = (block->size == before->size ? AS_SIZE : 0) |
                    (block->stack == before->stack ? AS_STACK : 0) |
                    (block->type == before->type ? AS_TYPE : 0) |
                    (block->tid == before->tid ? AS_TID : 0);
    *at++ = (uint8_t)(same | (unsigned)block->domain << 4);
    *at++ = block->flags;
    at = put_varint(at, block->address - before->address);
    at = put_varint(at, replay->n_events - block->birth_event);
    at = put_varint(at, (uint64_t)(replay->time_ns - block->birth_ns));
    if (!(same & AS_SIZE))
        at = put_varint(at, block->size);
    if (!(same & AS_STACK))
        at = put_varint(at, block->stack);
    if (!(same & AS_TYPE))
        at = put_varint(at, block->type);
    if (!(same & AS_TID))
        at = put_varint(at, block->tid);
    if (block->flags & SG_RECYCLED)
        at = put_varint(at, block->recycled_after);
    return at;
}

int sg_checkpoint_pack_rows(const struct sg_replay *replay, unsigned space,
                            const struct sg_vector *rows, struct sg_vector *content,
                            struct sg_vector *index) {
    const uint32_t *row = (const uint32_t *)(const void *)rows->data;
    struct sg_block before = {0};
    for (size_t i = 0; i < rows->n; i++) {
        const struct sg_block *block = sg_block_at(&replay->blocks, row[i]);
        if (i + AHEAD < rows->n)
            __builtin_prefetch(sg_block_at(&replay->blocks, row[i + AHEAD]));
        if (i % SG_GROUP_ROWS == 0) {
            before = (struct sg_block){0};
            if (sg_push_u64(index, space) < 0 || sg_push_u64(index, block->address) < 0 ||
                sg_push_u64(index, content->n) < 0)
                return -1;
        }
        if (sg_reserve(content, MOST_ROW_BYTES, 1) < 0)
            return -1;
        uint8_t *begin = (uint8_t *)content->data + content->n;
        content->n += (size_t)(put_block(begin, replay, block, &before) - begin);
        before = *block;
    }
    return 0;
}

int sg_checkpoint_pack_head(const struct sg_replay *replay, struct sg_vector *content) {
    uint64_t head[SG_CHECKPOINT_HEAD / 8] = {replay->n_events, (uint64_t)replay->time_ns};
    memcpy(head + 2, replay->last_loss, sizeof replay->last_loss);
    head[2 + SG_DOMAINS] = replay->blocks.n_used;
    head[3 + SG_DOMAINS] = replay->blocks.n_start_live;
    head[4 + SG_DOMAINS] = replay->blocks.start_bytes;
    if (sg_reserve(content, sizeof head, 1) < 0)
        return -1;
    memcpy(content->data + content->n, head, sizeof head);
    content->n += sizeof head;
    return 0;
}

int sg_checkpoint_pack(const struct sg_replay *replay, struct sg_vector *content,
                       struct sg_vector *index) {
    struct sg_vector rows = {0};
    int result = sg_checkpoint_pack_head(replay, content);
    for (unsigned space = 0; space < SG_SPACES && result == 0; space++) {
        rows.n = 0;
        result = sg_sort_rows(&replay->blocks, space, 0, UINT64_MAX, &rows);
        if (result == 0)
            result = sg_checkpoint_pack_rows(replay, space, &rows, content, index);
    }
    sg_release(&rows);
    return result;
}

struct reader {
    const uint8_t *at, *end;
    int is_damaged;
};

static inline uint64_t take_varint(struct reader *reader) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (reader->at == reader->end)
            break;
        uint8_t byte = *reader->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    reader->is_damaged = 1;
    return 0;
}

/* Read the next row into `block`, which holds the row before. */
static inline void take_block(struct reader *reader, uint64_t n_events, int64_t time_ns,
                              struct sg_block *block) {
    if (reader->end - reader->at < 2) {
        reader->is_damaged = 1;
        return;
    }
    unsigned same = reader->at[0];
    block->domain = (uint8_t)(same >> 4);
    block->flags = reader->at[1];
    reader->at += 2;
    block->address += take_varint(reader);
    block->birth_event = n_events - take_varint(reader);
    block->birth_ns = time_ns - (int64_t)take_varint(reader);
    if (!(same & AS_SIZE))
        block->size = take_varint(reader);
    if (!(same & AS_STACK))
        block->stack = (uint32_t)take_varint(reader);
    if (!(same & AS_TYPE))
        block->type = (uint32_t)take_varint(reader);
    if (!(same & AS_TID))
        block->tid = (uint32_t)take_varint(reader);
    block->recycled_after = block->flags & SG_RECYCLED ? (uint32_t)take_varint(reader) : 0;
}

static int read_head(const struct sg_checkpoint *checkpoint, uint64_t *head) {
    if (checkpoint->n_bytes < SG_CHECKPOINT_HEAD)
        return -1;
    memcpy(head, checkpoint->content, SG_CHECKPOINT_HEAD);
    for (size_t i = 0; i < checkpoint->n_groups; i++)
        if (checkpoint->index[3 * i] >= SG_SPACES ||
            checkpoint->index[3 * i + 2] > checkpoint->n_bytes)
            return -1;
    return 0;
}

static struct reader open_group(const struct sg_checkpoint *checkpoint, size_t group) {
    size_t end =
        group + 1 < checkpoint->n_groups ? checkpoint->index[3 * group + 5] : checkpoint->n_bytes;
    const uint8_t *begin = checkpoint->content + checkpoint->index[3 * group + 2];
    const uint8_t *stop = checkpoint->content + end;
    return (struct reader){begin, stop < begin ? begin : stop, 0};
}

static int load_group(const struct sg_checkpoint *checkpoint, size_t group, const uint64_t *head,
                      struct sg_replay *replay) {
    struct reader reader = open_group(checkpoint, group);
    struct sg_block block = {.space = (uint8_t)checkpoint->index[3 * group]};
    uint32_t first = sg_blocks_reserve(&replay->blocks, SG_GROUP_ROWS);
    size_t n = 0;
    if (!first)
        return -1;
    struct sg_block *rows = sg_block_at(&replay->blocks, first);
    for (; reader.at < reader.end && n < SG_GROUP_ROWS; n++) {
        take_block(&reader, head[0], (int64_t)head[1], &block);
        rows[n] = block;
    }
    if (reader.is_damaged || reader.at < reader.end)
        return -2;
    sg_blocks_enter(&replay->blocks, first, n);
    return 0;
}

int sg_checkpoint_add_groups(const struct sg_checkpoint *checkpoint, struct sg_replay *replay) {
    uint64_t head[SG_CHECKPOINT_HEAD / 8];
    if (read_head(checkpoint, head) < 0)
        return -2;
    for (size_t group = 0; group < checkpoint->n_groups; group++) {
        int result = load_group(checkpoint, group, head, replay);
        if (result < 0)
            return result;
    }
    replay->n_events = head[0];
    replay->time_ns = (int64_t)head[1];
    memcpy(replay->last_loss, head + 2, sizeof replay->last_loss);
    replay->blocks.n_start_live = head[3 + SG_DOMAINS];
    replay->blocks.start_bytes = head[4 + SG_DOMAINS];
    return replay->blocks.n_used == head[2 + SG_DOMAINS] ? 0 : -2;
}

int sg_checkpoint_load(const struct sg_checkpoint *checkpoint, struct sg_replay *replay) {
    sg_blocks_clear(&replay->blocks);
    return sg_checkpoint_add_groups(checkpoint, replay);
}

int64_t sg_checkpoint_find(const struct sg_checkpoint *checkpoint, unsigned space,
                           uint64_t address) {
    uint64_t head[SG_CHECKPOINT_HEAD / 8];
    if (read_head(checkpoint, head) < 0)
        return -2;
    /* Find the last group that begins at or before `address`. */
    size_t low = 0, high = checkpoint->n_groups;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const uint64_t *row = checkpoint->index + 3 * middle;
        if (row[0] < space || (row[0] == space && row[1] <= address))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || checkpoint->index[3 * (low - 1)] != space)
        return -1;
    struct reader reader = open_group(checkpoint, low - 1);
    struct sg_block block = {0};
    while (reader.at < reader.end && !reader.is_damaged) {
        take_block(&reader, head[0], (int64_t)head[1], &block);
        if (block.address >= address)
            return block.address == address ? (int64_t)block.birth_event : -1;
    }
    return reader.is_damaged ? -2 : -1;
}
