/* An object is either a row of the table of blocks or a start block (memory_start.h); a lookup by
 * address tries both. */
#include "memory_replay.h"

enum { SLOTS_AHEAD = 16, ROWS_AHEAD = 8, MOST_SIZE_BITS = 48, MOST_SLOTS = 1 << 14 };

/* Return the block that event `i` allocates. */
static struct sg_block make_block(const struct sg_replay *replay, const struct sg_events *events,
                                  size_t i, unsigned space) {
    return (struct sg_block){
        .address = events->address[i],
        .size = events->size[i],
        .birth_ns = events->time_ns[i],
        .birth_event = replay->n_events,
        .stack = events->stack[i],
        .type = events->type[i],
        .tid = events->tid[i],
        .domain = events->domain[i],
        .space = (uint8_t)space,
    };
}

static void end_block(struct sg_replay *replay, uint32_t row, int64_t time_ns) {
    struct sg_block *block = sg_block_at(&replay->blocks, row);
    if (replay->survey && block->space == SG_SPACE_OBJECT)
        sg_survey_death(replay->survey, block, time_ns);
    if (replay->raster && block->space == SG_SPACE_OBJECT)
        sg_raster_block(replay->raster, block, -1);
    sg_blocks_remove(&replay->blocks, row);
}

uint32_t sg_replay_find_start(const struct sg_replay *replay, uint64_t address) {
    const struct sg_start *start = replay->blocks.start;
    uint32_t found = start ? sg_start_find(start, address) : 0;
    if (!found || found == replay->ended ||
        !sg_start_is_live(sg_start_row(start, found - 1), replay->n_events))
        return 0;
    return found;
}

/* End a start block, without its effects on survey and raster, and copy it to `block`. Returns 0,
 * or the error of sg_start_end or sg_blocks_count_start. */
static int take_start(struct sg_replay *replay, uint32_t found, struct sg_block *block) {
    *block = sg_start_block_at(replay->blocks.start, found - 1);
    int result = sg_start_end(replay->blocks.start, found - 1, replay->n_events);
    if (result == 0)
        result = sg_blocks_count_start(&replay->blocks, block->address, block->size, -1);
    replay->ended = found;
    return result;
}

static int end_start(struct sg_replay *replay, uint32_t found, int64_t time_ns) {
    struct sg_block block;
    int result = take_start(replay, found, &block);
    if (replay->survey)
        sg_survey_death(replay->survey, &block, time_ns);
    if (replay->raster)
        sg_raster_block(replay->raster, &block, -1);
    return result;
}

/* Remove the object at `address` that ended with its span. Returns whether there was one. */
static int forget_dropped(struct sg_replay *replay, uint64_t address) {
    uint32_t row = sg_blocks_find(&replay->blocks, SG_SPACE_DROPPED, address);
    if (row)
        sg_blocks_remove(&replay->blocks, row);
    return row != 0;
}

static int begin_block(struct sg_replay *replay, const struct sg_block *block) {
    uint32_t old = sg_blocks_find(&replay->blocks, block->space, block->address);
    if (old) {
        replay->n_overwritten++;
        end_block(replay, old, block->birth_ns);
    }
    if (block->space == SG_SPACE_OBJECT) {
        uint32_t found = sg_replay_find_start(replay, block->address);
        replay->n_overwritten += found ? 1 : 0;
        int result = found ? end_start(replay, found, block->birth_ns) : 0;
        if (result < 0)
            return result;
    }
    if (replay->blocks.n_live[SG_SPACE_DROPPED] && block->space == SG_SPACE_OBJECT)
        forget_dropped(replay, block->address);
    if (!sg_blocks_add(&replay->blocks, block))
        return -1;
    if (replay->raster && block->space == SG_SPACE_OBJECT)
        sg_raster_block(replay->raster, block, 1);
    if (replay->survey && block->space == SG_SPACE_OBJECT && !(block->flags & SG_BORN_BEFORE))
        return sg_survey_birth(replay->survey, block);
    return 0;
}

/* Make a start block live. Its birth is the event of its object in the start snapshot. */
static int begin_start(struct sg_replay *replay, uint32_t found) {
    struct sg_block block = sg_start_block_at(replay->blocks.start, found - 1);
    uint32_t old = sg_blocks_find(&replay->blocks, SG_SPACE_OBJECT, block.address);
    if (old) {
        replay->n_overwritten++;
        end_block(replay, old, block.birth_ns);
    }
    if (replay->raster)
        sg_raster_block(replay->raster, &block, 1);
    return sg_blocks_count_start(&replay->blocks, block.address, block.size, 1);
}

/* End the objects of a Go span that is freed; the trace may have no frees of them. They are kept as
 * dropped, so that a free that still follows is not counted as unknown. */
static int drop_objects(struct sg_replay *replay, uint32_t span_row, int64_t time_ns) {
    const struct sg_block *span = sg_block_at(&replay->blocks, span_row);
    uint64_t low = span->address, size = span->size;
    uint64_t step = span->stack == SG_WHOLE_SPAN ? size : span->stack;
    if (span->domain != SG_DOMAIN_GO_SPAN || !step || size / step > MOST_SLOTS)
        return 0;
    for (uint64_t at = 0; at < size; at += step) {
        uint32_t row = sg_blocks_find(&replay->blocks, SG_SPACE_OBJECT, low + at);
        uint32_t found = row ? 0 : sg_replay_find_start(replay, low + at);
        if (row || found) {
            const struct sg_block dropped = {
                .address = low + at,
                .birth_event = replay->n_events,
                .birth_ns = time_ns,
                .space = SG_SPACE_DROPPED,
            };
            replay->n_dropped++;
            int result = 0;
            if (row)
                end_block(replay, row, time_ns);
            else
                result = end_start(replay, found, time_ns);
            if (result < 0)
                return result;
            if (!sg_blocks_find(&replay->blocks, SG_SPACE_DROPPED, low + at) &&
                !sg_blocks_add(&replay->blocks, &dropped))
                return -1;
        }
    }
    return 0;
}

static int free_block(struct sg_replay *replay, unsigned space, uint64_t address, int64_t time_ns) {
    int result = 0;
    uint32_t row = sg_blocks_find(&replay->blocks, space, address);
    uint32_t found = row || space != SG_SPACE_OBJECT ? 0 : sg_replay_find_start(replay, address);
    if (found)
        return end_start(replay, found, time_ns);
    if (!row) {
        if (space != SG_SPACE_OBJECT || !replay->blocks.n_live[SG_SPACE_DROPPED] ||
            !forget_dropped(replay, address))
            replay->n_unknown_frees++;
        return 0;
    }
    if (space == SG_SPACE_SPAN)
        result = drop_objects(replay, row, time_ns);
    end_block(replay, row, time_ns);
    return result;
}

static int move_block(struct sg_replay *replay, const struct sg_events *events, size_t i) {
    struct sg_block moved = make_block(replay, events, i, SG_SPACE_OBJECT);
    uint32_t row = sg_blocks_find(&replay->blocks, SG_SPACE_OBJECT, events->other[i]);
    if (row) {
        const struct sg_block *before = sg_block_at(&replay->blocks, row);
        if (!moved.type)
            moved.type = before->flags & SG_RECYCLED ? 0 : before->type;
        end_block(replay, row, events->time_ns[i]);
    } else if (events->other[i]) {
        uint32_t found = sg_replay_find_start(replay, events->other[i]);
        if (found) {
            if (!moved.type)
                moved.type = sg_start_block_at(replay->blocks.start, found - 1).type;
            int result = end_start(replay, found, events->time_ns[i]);
            if (result < 0)
                return result;
        } else {
            replay->n_unknown_frees++;
        }
    }
    return begin_block(replay, &moved);
}

/* Prepare the start block at `address` for a new type. A start block has one type for all its
 * life. If it had none, is not recycled, and the table is not frozen, it gets `type` from its
 * birth on. Any other change ends the start block and makes it a row. Returns the row, 0 =
 * nothing is left to do, or -1 or -2 as sg_replay_apply. */
static int64_t unfold_start(struct sg_replay *replay, uint64_t address, uint32_t type,
                            int is_recycled) {
    uint32_t found = sg_replay_find_start(replay, address);
    if (!found)
        return 0;
    struct sg_block block = sg_start_block_at(replay->blocks.start, found - 1);
    if (!is_recycled && (!type || type == block.type))
        return 0;
    if (!is_recycled && !block.type && !replay->blocks.start->is_frozen) {
        if (replay->survey && sg_survey_type(replay->survey, &block, type) < 0)
            return -1;
        sg_blocks_touch(&replay->blocks,
                        sg_blocks_granule(&replay->blocks, address >> SG_GRANULE_BITS));
        return sg_start_set_type(replay->blocks.start, found - 1, type);
    }
    int result = take_start(replay, found, &block);
    if (result < 0)
        return result;
    uint32_t row = sg_blocks_add(&replay->blocks, &block);
    return row ? (int64_t)row : -1;
}

static int set_type(struct sg_replay *replay, uint64_t address, uint32_t type, int is_recycled) {
    uint32_t row = sg_blocks_find(&replay->blocks, SG_SPACE_OBJECT, address);
    if (!row) {
        int64_t unfolded = unfold_start(replay, address, type, is_recycled);
        if (unfolded <= 0)
            return (int)unfolded;
        row = (uint32_t)unfolded;
    }
    struct sg_block *block = sg_block_at(&replay->blocks, row);
    if (replay->survey && (is_recycled || type) &&
        sg_survey_retype(replay->survey, block, type) < 0)
        return -1;
    if (replay->raster)
        sg_raster_block(replay->raster, block, -1);
    if (is_recycled) {
        uint64_t after = replay->n_events - block->birth_event;
        block->flags |= SG_RECYCLED | (block->type ? 0 : SG_TYPED_LATER);
        block->recycled_after = after < UINT32_MAX ? (uint32_t)after : UINT32_MAX;
        block->type = type;
    } else if (type) {
        if (replay->survey && sg_survey_type(replay->survey, block, type) < 0)
            return -1;
        if (!block->type)
            block->flags |= SG_TYPED_LATER;
        block->type = type;
    }
    if (replay->raster)
        sg_raster_block(replay->raster, block, 1);
    sg_blocks_change(&replay->blocks, row);
    return 0;
}

static int apply_one(struct sg_replay *replay, const struct sg_events *events, size_t i) {
    unsigned kind = events->kind[i];
    uint64_t address = events->address[i];
    struct sg_block block;
    switch (kind) {
    case SG_EV_SPAN:
    case SG_EV_SPAN_ALLOC:
    case SG_EV_OBJECT:
    case SG_EV_OBJECT_ALLOC:
    case SG_EV_STACK:
    case SG_EV_STACK_ALLOC:
        block = make_block(replay, events, i,
                           kind <= SG_EV_SPAN_FREE     ? SG_SPACE_SPAN
                           : kind <= SG_EV_OBJECT_FREE ? SG_SPACE_OBJECT
                                                       : SG_SPACE_STACK);
        if (kind == SG_EV_SPAN || kind == SG_EV_OBJECT || kind == SG_EV_STACK)
            block.flags = SG_BORN_BEFORE;
        if (kind == SG_EV_OBJECT && replay->blocks.start) {
            uint32_t found = sg_start_find(replay->blocks.start, address);
            if (found && sg_start_row(replay->blocks.start, found - 1)->birth == replay->n_events)
                return begin_start(replay, found);
        }
        return begin_block(replay, &block);
    case SG_EV_OBJECT_FREE:
    case SG_EV_FREE_BY_COLLECTOR:
        return free_block(replay, SG_SPACE_OBJECT, address, events->time_ns[i]);
    case SG_EV_SPAN_FREE:
        return free_block(replay, SG_SPACE_SPAN, address, events->time_ns[i]);
    case SG_EV_STACK_FREE:
        return free_block(replay, SG_SPACE_STACK, address, events->time_ns[i]);
    case SG_EV_REALLOC:
        return move_block(replay, events, i);
    case SG_EV_TYPE:
    case SG_EV_RECYCLED:
        return set_type(replay, address, events->type[i], kind == SG_EV_RECYCLED);
    case SG_EV_LOST:
        if (events->domain[i] < SG_DOMAINS)
            replay->last_loss[events->domain[i]] = replay->n_events + 1;
        if (events->domain[i] < 2) /* a lane has the events of both MEM and OBJ */
            replay->last_loss[0] = replay->last_loss[1] = replay->n_events + 1;
        replay->n_lost += events->size[i];
        return 0;
    default:
        return 0; /* collections, regions, and Go's small objects that share a slot */
    }
}

int sg_replay_apply(struct sg_replay *replay, const struct sg_events *events) {
    for (size_t i = 0; i < events->n; i++) {
        if (i + SLOTS_AHEAD < events->n) {
            sg_blocks_prefetch(&replay->blocks, SG_SPACE_OBJECT, events->address[i + SLOTS_AHEAD]);
            sg_blocks_prefetch_row(&replay->blocks, SG_SPACE_OBJECT,
                                   events->address[i + ROWS_AHEAD]);
        }
        if (replay->blocks.start && i + SLOTS_AHEAD < events->n)
            sg_start_prefetch(replay->blocks.start, events->address[i + SLOTS_AHEAD]);
        if (events->size[i] >> MOST_SIZE_BITS)
            return -2;
        if (replay->raster)
            sg_raster_advance(replay->raster, events->time_ns[i]);
        replay->ended = 0;
        int result = apply_one(replay, events, i);
        if (result < 0)
            return result;
        replay->ended = 0;
        replay->n_events++;
        replay->time_ns = events->time_ns[i];
        if (sg_replay_bytes(replay) > replay->peak_bytes) {
            replay->peak_bytes = sg_replay_bytes(replay);
            replay->peak_event = replay->n_events;
            replay->peak_ns = events->time_ns[i];
        }
    }
    return 0;
}

uint8_t sg_replay_flags(const struct sg_replay *replay, const struct sg_block *block) {
    uint64_t loss = block->domain < SG_DOMAINS ? replay->last_loss[block->domain] : 0;
    int is_uncertain = loss > block->birth_event;
    return block->flags | (is_uncertain ? SG_UNCERTAIN : 0);
}
