/* Decides up to which place each lane is read for a block, and reads it.
 *
 *     moment = now
 *     set_ends    peek into each lane: its end is behind the last event up to the moment
 *                 too many events? an earlier moment; the lanes before get new ends
 *     read_lane   each lane up to its end ──▶ lane_reader.h ──▶ columns ──▶ block
 *
 * Peeking leaves the buffers in the lane; reading returns them to the pool. Most rows have no time,
 * so a lane can end only where its time changes, or where the room ends. As long as only the first
 * lane was ever used there is nothing to put in order: it is read as far as there is room. */
#include "trace/reader.h"

#include <string.h>

#include "platform/memory.h"
#include "platform/thread_ids.h"
#include "trace/lane_reader.h"
#include "trace/recorder.h"
#include "trace/snapshot.h"

enum { MOST_CUTS = 24 }; /* most tries to find a moment up to which all events fit */

struct sg_stack_tree sg_trace_reader_stacks;
static struct sg_reading reading;
static uint32_t *nodes; /* nodes of all lanes */
static uint32_t nodes_each;
static struct sg_fresh_objects fresh[2];
/* Events that were lost, which the next block reports: those of blocks for which memory was short,
 * and by domain those without a lane. */
static uint64_t n_unreported, n_unreported_of[SG_TRACE_N_DOMAINS];
static uint64_t n_noted_of[SG_TRACE_N_DOMAINS]; /* events without a lane that are noted so far */
static bool is_short;                           /* memory was short for the last block */
static int64_t floor_ns; /* last time of the previous block; no later event is earlier */

static size_t nodes_bytes(void) { return (size_t)SG_N_LANES * nodes_each * sizeof *nodes; }

int sg_trace_reader_prepare(uint32_t depth) {
    nodes_each = depth + 2;
    memset(&reading, 0, sizeof reading);
    reading.lanes = sg_memory_map(SG_N_LANES * sizeof *reading.lanes);
    nodes = sg_memory_map(nodes_bytes());
    reading.fresh = &fresh[0];
    reading.stacks = &sg_trace_reader_stacks;
    floor_ns = 0;
    n_unreported = 0;
    memset(n_unreported_of, 0, sizeof n_unreported_of);
    memset(n_noted_of, 0, sizeof n_noted_of);
    is_short = false;
    if (!reading.lanes || !nodes || sg_stack_tree_prepare(&sg_trace_reader_stacks) ||
        sg_trace_columns_prepare(&reading.columns) || sg_fresh_objects_prepare(&fresh[0]) ||
        sg_fresh_objects_prepare(&fresh[1])) {
        sg_trace_reader_discard();
        return -1;
    }
    for (uint32_t i = 0; i < SG_N_LANES; i++) {
        reading.lanes[i].nodes = nodes + (size_t)i * nodes_each;
        reading.lanes[i].most_nodes = nodes_each;
    }
    return 0;
}

void sg_trace_reader_discard(void) {
    SG_MEMORY_DROP(reading.lanes, SG_N_LANES * sizeof *reading.lanes);
    SG_MEMORY_DROP(nodes, nodes_bytes());
    sg_stack_tree_discard(&sg_trace_reader_stacks);
    sg_trace_columns_discard(&reading.columns);
    sg_fresh_objects_discard(&fresh[0]);
    sg_fresh_objects_discard(&fresh[1]);
    sg_vector_free(&reading.threads);
}

void sg_trace_reader_after_fork_in_child(void) {
    memset(&reading, 0, sizeof reading);
    memset(fresh, 0, sizeof fresh);
    memset(&sg_trace_reader_stacks, 0, sizeof sg_trace_reader_stacks);
    nodes = NULL;
}

/* ---- Ends ---- */

static bool is_lane_in_use(uint32_t number) {
    return reading.lanes[number].place.buffer || atomic_load(&sg_trace_lanes[number].first);
}

static void note_address(uint64_t address) {
    uint32_t bit = sg_lane_reader_bit(address);
    reading.others[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* Set the end of a lane behind its last event up to `*until_ns`. If there are more than `most`, set
 * it to an earlier moment, which becomes `*until_ns`, and set `is_cut`. Returns the number of
 * events up to the end. */
static uint32_t set_end(uint32_t number, int64_t *until_ns, uint32_t most, bool *is_cut) {
    struct sg_lane_reader *lane = &reading.lanes[number];
    /* `before` is the last change of time */
    struct sg_trace_place place = lane->place, before = place;
    int64_t time_ns = lane->time_ns, before_ns = time_ns;
    uint32_t n, n_events = 0, n_before = 0;
    lane->end = place;
    if (time_ns > *until_ns)
        return 0; /* all its events are later */
    for (const uint64_t *words;
         (words = sg_trace_lanes_peek(&sg_trace_lanes[number], &place, true, &n));)
        for (uint32_t at = 0, n_words; at < n; at += n_words, place.n_words += n_words) {
            if (n_events >= most) {
                *is_cut = true;
                bool has_moment = n_before > 0;
                lane->end = has_moment ? before : place;
                *until_ns = has_moment ? before_ns : time_ns;
                return has_moment ? n_before : n_events;
            }
            if (number)
                note_address(sg_row_address(words[at]));
            n_words = sg_row_reader_short_words(words[at]);
            if (n_words) {
                n_events++;
                continue;
            }
            struct sg_lane_row row = sg_row_reader_read(words + at);
            n_words = row.n_words;
            if (row.time_ns > time_ns) {
                if (row.time_ns > *until_ns) {
                    lane->end = place;
                    return n_events;
                }
                before = place;
                before_ns = time_ns;
                n_before = n_events;
                time_ns = row.time_ns;
            }
            /* A reallocation may become a free and an allocation, so its begin counts too. */
            n_events += sg_row_reader_is_event(&row) || row.kind != SG_ROW_MARK;
        }
    lane->end = place;
    return n_events;
}

/* Set the end of the first lane behind all its rows, and then check whether it is the only lane in
 * use. A lane that begins later has no event before those rows. */
static void set_lone_end(void) {
    struct sg_lane_reader *lane = &reading.lanes[0];
    uint32_t n;
    lane->end = lane->place;
    while (sg_trace_lanes_peek(&sg_trace_lanes[0], &lane->end, true, &n))
        lane->end.n_words += n;
    reading.is_alone = true;
    for (uint32_t i = 1; i < SG_N_LANES; i++)
        reading.is_alone &= !is_lane_in_use(i);
}

/* Set the ends of all lanes to one moment up to which their events fit into a block; some tries
 * look for a late one. Returns whether no lane was cut. */
static bool set_ends(int64_t until_ns) {
    const uint32_t most = SG_TRACE_BLOCK_EVENTS - 2 * SG_N_LANES - SG_TRACE_N_DOMAINS;
    bool is_all = true, is_over = true;
    memset(reading.others, 0, sizeof reading.others);
    for (int cut = 0; is_over && cut < MOST_CUTS; cut++) {
        uint32_t n = 0;
        is_over = false;
        for (uint32_t i = 0; i < SG_N_LANES && !is_over; i++) {
            if (!is_lane_in_use(i))
                continue;
            bool is_cut = false;
            int64_t half_ns = floor_ns + (until_ns - floor_ns) / 2;
            uint32_t room = i ? most - n : most / 4 * 3; /* leaves room for the other lanes */
            n += set_end(i, &until_ns, room, &is_cut);
            is_all &= !is_cut;
            is_over = is_cut && i; /* the ends of the lanes before this one are too late */
            for (uint32_t j = i + 1; is_over && j < SG_N_LANES; j++)
                reading.lanes[j].end = reading.lanes[j].place;
            if (is_over && room < most / 4)
                until_ns = half_ns;
        }
    }
    return is_all;
}

/* ---- Blocks ---- */

/* Add the events of a lane up to its `end`, or as many as there is room for. Returns false if there
 * was no room for all. */
static bool read_lane(uint32_t number) {
    struct sg_lane_reader *lane = &reading.lanes[number];
    uint32_t n;
    if (!lane->end.buffer)
        return true; /* the lane began after the ends were set */
    for (const uint64_t *words;
         (words = sg_trace_lanes_take(&sg_trace_lanes[number], &lane->place, &lane->end, &n));) {
        for (uint32_t at = 0; at < n;) {
            if (reading.columns.n_events + 2 > SG_TRACE_BLOCK_EVENTS)
                return false;
            uint32_t n_words = sg_lane_reader_take_row(&reading, lane, number, words + at);
            at += n_words;
            lane->place.n_words += n_words;
        }
    }
    return true;
}

/* Return the earliest time that an event may have. */
static int64_t find_base(void) {
    int64_t base_ns = INT64_MAX;
    for (uint32_t i = 0; i < SG_N_LANES; i++) {
        if (!is_lane_in_use(i))
            continue;
        if (reading.lanes[i].time_ns < floor_ns)
            reading.lanes[i].time_ns = floor_ns;
        base_ns = reading.lanes[i].time_ns < base_ns ? reading.lanes[i].time_ns : base_ns;
    }
    return base_ns == INT64_MAX ? floor_ns : base_ns;
}

/* Begin a block's first lane with the loss of earlier events, if any: objects that were born before
 * it may have been freed. Returns how many events say so. */
static uint64_t report_loss(int64_t time_ns) {
    uint64_t n = 0;
    for (int domain = 0; domain < SG_TRACE_N_DOMAINS; domain++) {
        const struct sg_trace_event loss = {
            .kind = SG_TRACE_LOST,
            .domain = (uint8_t)domain,
            .size = (domain ? 0 : n_unreported) + n_unreported_of[domain],
            .time_ns = time_ns,
        };
        if (!n_unreported && !n_unreported_of[domain])
            continue;
        sg_trace_columns_add(&reading.columns, &loss);
        n++;
    }
    return n;
}

/* Count the block's `n` events as lost if memory is too short for it; otherwise its first
 * `n_reports` events report the loss of earlier events. */
static void settle_block(const struct sg_trace_block *block, uint64_t n, uint64_t n_reports) {
    is_short = block->columns.failed;
    if (is_short) {
        reading.counts.n_lost += n;
        reading.counts.n_events -= n;
        n_unreported += n;
    } else if (n_reports) {
        reading.counts.n_events += n_reports;
        n_unreported = 0;
        memset(n_unreported_of, 0, sizeof n_unreported_of);
    }
}

static void read_without_lane(uint64_t n_of[SG_TRACE_N_DOMAINS]) {
    for (int domain = 0; domain < SG_TRACE_N_DOMAINS; domain++)
        n_of[domain] = sg_trace_lanes_without_lane((enum sg_trace_domain)domain);
}

/* Note the events that were lost for want of a lane, as counted before the lanes were read. */
static void note_without_lane(const uint64_t n_of[SG_TRACE_N_DOMAINS]) {
    for (int domain = 0; domain < SG_TRACE_N_DOMAINS; domain++) {
        n_unreported_of[domain] += n_of[domain] - n_noted_of[domain];
        n_noted_of[domain] = n_of[domain];
    }
}

bool sg_trace_reader_has_loss(void) {
    bool has_loss = n_unreported;
    for (int domain = 0; domain < SG_TRACE_N_DOMAINS; domain++)
        has_loss |= n_unreported_of[domain] != 0;
    return has_loss && !is_short;
}

bool sg_trace_reader_fill(struct sg_trace_block *block) {
    uint64_t n_without_lane[SG_TRACE_N_DOMAINS];
    read_without_lane(n_without_lane);
    int64_t now_ns = sg_trace_recorder_now_ns(); /* before any lane is read */
    uint64_t n_before = reading.counts.n_events, n_reports = 0;
    bool is_all, is_first = true;
    set_lone_end();
    sg_trace_block_begin(block, find_base());
    is_all = reading.is_alone || set_ends(now_ns);
    for (uint32_t i = 0; i < SG_N_LANES; i++) {
        bool is_needed = !i && sg_trace_reader_has_loss(); /* to report it, also without rows */
        if ((!is_lane_in_use(i) && !is_needed) || (reading.is_alone && i))
            continue; /* such a lane has begun since */
        /* A lane that has begun since then with a loss mark has no time yet. */
        if (reading.lanes[i].time_ns < block->base_ns)
            reading.lanes[i].time_ns = block->base_ns;
        sg_trace_columns_begin(&reading.columns, block->base_ns, i >= SG_N_GIL_LANES);
        if (is_first)
            n_reports = report_loss(block->base_ns);
        is_first = false;
        is_all &= read_lane(i);
        /* A reallocation that is under way ends too late for this block. */
        if (!reading.is_alone && reading.lanes[i].pending.address &&
            !reading.lanes[i].pending.is_freed)
            sg_lane_reader_free_pending(&reading, &reading.lanes[i]);
        sg_trace_block_add(block, &reading.columns);
    }
    floor_ns = block->last_ns;
    settle_block(block, reading.counts.n_events - n_before, n_reports);
    /* The next block reports them: this one has the last allocations that preceded a lost free. */
    if (is_all)
        note_without_lane(n_without_lane);
    return is_all;
}

bool sg_trace_reader_fill_snapshot(struct sg_trace_block *block, int64_t time_ns) {
    struct sg_trace_event event;
    sg_trace_block_begin(block, time_ns);
    sg_trace_columns_begin(&reading.columns, time_ns, false);
    while (reading.columns.n_events < SG_TRACE_BLOCK_EVENTS && sg_trace_snapshot_next(&event)) {
        event.time_ns = time_ns;
        sg_trace_columns_add(&reading.columns, &event);
    }
    reading.counts.n_events += reading.columns.n_events;
    sg_trace_block_add(block, &reading.columns);
    settle_block(block, reading.columns.n_events, 0);
    return reading.columns.n_events > 0;
}

/* Return whether a lane is read to its end and its last known thread is gone. If a new thread has
 * got the lane since and has written nothing, it only takes another lane. */
static bool is_lane_left(uint32_t number) {
    struct sg_trace_place place = reading.lanes[number].place;
    uintptr_t owner = atomic_load(&sg_trace_lanes[number].owner);
    uint32_t n;
    return owner && reading.lanes[number].tid &&
           !sg_trace_lanes_peek(&sg_trace_lanes[number], &place, true, &n) &&
           (uint32_t)sg_thread_ids_of(owner) != reading.lanes[number].tid;
}

void sg_trace_reader_free_lanes(void) {
    for (uint32_t i = SG_N_GIL_LANES; sg_thread_ids_offset() && i < SG_N_LANES; i++)
        if (is_lane_in_use(i) && is_lane_left(i))
            sg_trace_lanes_free(&sg_trace_lanes[i]);
}

void sg_trace_reader_list_threads(void (*see)(void *context, uint32_t tid), void *context) {
    for (size_t i = 0; i < reading.threads.n; i++)
        see(context, reading.threads.values[i]);
    reading.threads.n = 0;
}

struct sg_fresh_objects *sg_trace_reader_take_fresh(void) {
    struct sg_fresh_objects *taken = reading.fresh;
    reading.fresh = taken == &fresh[0] ? &fresh[1] : &fresh[0];
    sg_fresh_objects_clear(reading.fresh);
    return taken;
}

uint64_t sg_trace_reader_waiting_words(void) {
    uint32_t n_used = sg_trace_lanes_used_buffers(), n_lanes = 0;
    for (uint32_t i = 0; i < SG_N_LANES; i++)
        n_lanes += is_lane_in_use(i); /* each has a buffer, even if it is empty */
    return n_used > n_lanes ? (uint64_t)(n_used - n_lanes) * SG_BUFFER_WORDS : 0;
}

struct sg_reader_counts sg_trace_reader_counts(void) {
    return reading.counts;
}
