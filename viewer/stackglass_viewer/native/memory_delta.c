/* A delta is packed from the changes that a replay has recorded in struct sg_changes.
 *
 *     pack     changed, born ─▶ places, sorted by address ─▶ removals, then groups of rows
 *     apply    removals ─▶ blocks removed; groups ─▶ blocks added */
#include <stdlib.h>
#include <string.h>

#include "memory_delta.h"

enum {
    IS_LISTED = 0x80,        /* temporary flag of a block: list_rows has listed it */
    IS_CHANGED = 0x80,       /* bit of a removal's space: the block still lives */
    MOST_REMOVAL_BYTES = 11, /* a varint of at most 10 bytes, and the space */
    /* Removals are read before they are applied, so that memory can be prefetched: the block's slot
     * SLOT_AHEAD removals before, its row ROW_AHEAD removals before. */
    SLOT_AHEAD = 32,
    ROW_AHEAD = 16,
};

void sg_delta_begin(struct sg_replay *replay) {
    struct sg_changes *changes = replay->blocks.changes;
    if (!changes)
        return;
    changes->first_event = replay->n_events;
    changes->removed.n = changes->born.n = changes->changed.n = 0;
}

/* Append each live block in `rows` to the places of its space, once. `is_born`: only blocks that
 * were allocated in this step; otherwise only older blocks. Returns 0, or -1 if memory is short. */
static int list_rows(const struct sg_replay *replay, const struct sg_vector *rows, int is_born,
                     struct sg_vector *places) {
    uint64_t first = replay->blocks.changes->first_event;
    const uint32_t *row = (const uint32_t *)(const void *)rows->data;
    for (size_t i = 0; i < rows->n; i++) {
        struct sg_block *block = sg_block_at(&replay->blocks, row[i]);
        if (!block->is_used || block->flags & IS_LISTED ||
            (block->birth_event >= first) != (is_born != 0))
            continue;
        struct sg_vector *of_space = &places[block->space];
        if (sg_reserve(of_space, 1, sizeof(struct sg_place)) < 0)
            return -1;
        block->flags |= IS_LISTED;
        ((struct sg_place *)(void *)of_space->data)[of_space->n++] =
            (struct sg_place){block->address, row[i]};
    }
    return 0;
}

/* Add a removal for each changed block. Returns 0, or -1 if memory is short. */
static int record_changed(struct sg_changes *changes, const struct sg_vector *places) {
    for (unsigned space = 0; space < SG_SPACES; space++) {
        const struct sg_place *place = (const struct sg_place *)(const void *)places[space].data;
        for (size_t i = 0; i < places[space].n; i++) {
            if (sg_reserve(&changes->removed, 1, sizeof(struct sg_removed)) < 0)
                return -1;
            ((struct sg_removed *)(void *)changes->removed.data)[changes->removed.n++] =
                (struct sg_removed){place[i].address, space | IS_CHANGED};
        }
    }
    return 0;
}

static int pack_removed(const struct sg_changes *changes, struct sg_vector *content) {
    const struct sg_removed *removed =
        (const struct sg_removed *)(const void *)changes->removed.data;
    uint64_t n = changes->removed.n, before = 0;
    struct sg_place *places = malloc((n ? n : 1) * sizeof *places);
    int result = !places || sg_reserve(content, 8 + n * MOST_REMOVAL_BYTES, 1) < 0 ? -1 : 0;
    for (size_t i = 0; result == 0 && i < n; i++)
        places[i] = (struct sg_place){removed[i].address, (uint32_t)i};
    if (result == 0)
        result = sg_sort_places(places, n);
    if (result == 0) {
        memcpy(content->data + content->n, &n, 8);
        uint8_t *at = (uint8_t *)content->data + content->n + 8;
        for (size_t i = 0; i < n; i++) {
            uint64_t step = places[i].address - before;
            for (; step >= 0x80; step >>= 7)
                *at++ = (uint8_t)(step | 0x80);
            *at++ = (uint8_t)step;
            *at++ = (uint8_t)removed[places[i].row].space;
            before = places[i].address;
        }
        content->n = (size_t)(at - (uint8_t *)content->data);
    }
    free(places);
    return result;
}

static int pack_added(const struct sg_replay *replay, struct sg_vector *places,
                      struct sg_vector *content, struct sg_vector *index) {
    struct sg_vector rows = {0};
    int result = 0;
    for (unsigned space = 0; space < SG_SPACES && result == 0; space++) {
        struct sg_place *place = (struct sg_place *)(void *)places[space].data;
        rows.n = 0;
        result = sg_sort_places(place, places[space].n);
        for (size_t i = 0; i < places[space].n && result == 0; i++) {
            sg_block_at(&replay->blocks, place[i].row)->flags &= (uint8_t)~IS_LISTED;
            result = sg_push_i32(&rows, (int32_t)place[i].row);
        }
        if (result == 0)
            result = sg_checkpoint_pack_rows(replay, space, &rows, content, index);
    }
    sg_release(&rows);
    return result;
}

int sg_delta_pack(struct sg_replay *replay, struct sg_vector *content, struct sg_vector *index) {
    struct sg_changes *changes = replay->blocks.changes;
    struct sg_vector places[SG_SPACES] = {{0}};
    int result = changes->is_out_of_memory ? -1 : 0;
    if (result == 0)
        result = list_rows(replay, &changes->changed, 0, places);
    if (result == 0)
        result = record_changed(changes, places);
    if (result == 0)
        result = list_rows(replay, &changes->born, 1, places);
    if (result == 0)
        result = sg_checkpoint_pack_head(replay, content);
    if (result == 0)
        result = pack_removed(changes, content);
    if (result == 0)
        result = pack_added(replay, places, content, index);
    for (unsigned space = 0; space < SG_SPACES; space++)
        sg_release(&places[space]);
    sg_delta_begin(replay);
    return result;
}

/* Iterator over packed removals. */
struct removals {
    const uint8_t *at, *end;
    uint64_t left, address;
    unsigned space;
    int is_changed;
};

static int open_removals(const struct sg_checkpoint *delta, struct removals *removals) {
    if (delta->n_bytes < SG_CHECKPOINT_HEAD + 8)
        return -2;
    *removals = (struct removals){
        .at = delta->content + SG_CHECKPOINT_HEAD + 8,
        .end = delta->content + delta->n_bytes,
    };
    memcpy(&removals->left, delta->content + SG_CHECKPOINT_HEAD, 8);
    return 0;
}

/* Read the next removal. Returns 1, 0 at the end, or -2 if the content is damaged. */
static int next_removal(struct removals *removals) {
    uint64_t step = 0;
    if (!removals->left)
        return 0;
    removals->left--;
    for (unsigned shift = 0;; shift += 7) {
        if (removals->at == removals->end || shift > 63)
            return -2;
        uint8_t byte = *removals->at++;
        step |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            break;
    }
    if (removals->at == removals->end)
        return -2;
    unsigned space = *removals->at++;
    removals->address += step;
    removals->is_changed = (space & IS_CHANGED) != 0;
    removals->space = space & ~(unsigned)IS_CHANGED;
    return 1;
}

static int remove_blocks(struct removals *removals, struct sg_blocks *blocks) {
    struct sg_removed known[SLOT_AHEAD];
    size_t n_read = 0, n_made = 0;
    int result = 1;
    while (result == 1 || n_made < n_read) {
        if (result == 1 && (result = next_removal(removals)) < 0)
            return result;
        if (result == 1) {
            known[n_read++ % SLOT_AHEAD] = (struct sg_removed){removals->address, removals->space};
            sg_blocks_prefetch(blocks, removals->space, removals->address);
            if (n_read > SLOT_AHEAD - ROW_AHEAD) {
                const struct sg_removed *near = &known[(n_read + ROW_AHEAD - 1) % SLOT_AHEAD];
                sg_blocks_prefetch_row(blocks, near->space, near->address);
            }
            if (n_read - n_made < SLOT_AHEAD)
                continue;
        }
        if (n_made == n_read)
            break;
        const struct sg_removed *next = &known[n_made++ % SLOT_AHEAD];
        uint32_t row = sg_blocks_find(blocks, next->space, next->address);
        int is_start = !row && next->space == SG_SPACE_OBJECT && blocks->start &&
                       sg_start_find(blocks->start, next->address);
        if (!row && !is_start) /* start blocks have no rows */
            return -2;
        if (row)
            sg_blocks_remove(blocks, row);
    }
    return 0;
}

int sg_delta_apply(const struct sg_checkpoint *delta, struct sg_replay *replay) {
    struct removals removals;
    int result = open_removals(delta, &removals);
    if (result == 0)
        result = remove_blocks(&removals, &replay->blocks);
    return result < 0 ? result : sg_checkpoint_add_groups(delta, replay);
}

int sg_delta_find_removed(const struct sg_checkpoint *delta, unsigned space, uint64_t address) {
    struct removals removals;
    if (open_removals(delta, &removals) < 0)
        return -2;
    for (;;) {
        int result = next_removal(&removals);
        if (result < 1)
            return result;
        if (removals.address > address)
            return 0;
        if (removals.address == address && removals.space == space && !removals.is_changed)
            return 1;
    }
}
