/* Code info is kept in an open-addressing table by code id, and samples wait for it.
 *
 *     NONE ──a sample has it──▶ REQUESTED ──a job takes it──▶ IN_PROGRESS ──info, or given up───┐
 *                                   └──────────tombstone of a dead code object──────────────▶ KNOWN
 *
 * An interpreter with a GIL of its own may be in the middle of freeing a code object while a job
 * looks for it. Then the code is given up, and its tombstone comes a moment later: it counts, too.
 *
 * A stack becomes a node from its outermost frame to its leaf (intern_stack): each frame becomes a
 * location and a node. A direct-mapped cache has the locations of instructions. The table keeps a
 * freed code object's entry for DEAD_CODE_DRAINS drains, until all its samples have been drained,
 * and while a stack that may have it waits for other code; then the next rebuild removes it. */
#include "wire/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames/pseudo_frames.h"

enum {
    FIRST_CODES = 1024,
    N_CACHED_LOCATIONS = 1 << 13, /* a power of two */
    DEAD_CODE_DRAINS = 50, /* after so many drains no sample of a freed code is left to drain */
    MIN_DEAD = 1024,       /* fewer freed codes are not worth a rebuild */
};

enum code_state {
    CODE_NONE = 0, /* a free slot */
    CODE_REQUESTED,
    CODE_IN_PROGRESS, /* being looked up, or about to be named by its tombstone */
    CODE_KNOWN,
};

struct sg_code_entry {
    sg_code_id id;
    enum code_state state;
    uint32_t function;
    uint32_t requested_since; /* number of the drain */
    uint32_t dead_since;      /* number of the drain; 0 = alive */
    struct sg_code_info info; /* the line table only */
};

struct sg_cached_location {
    sg_code_id code;
    int32_t lasti;
    uint32_t location;
};

static size_t slot_of(sg_code_id id, size_t capacity) {
    return (id * 0x9E3779B1u >> 7) & (capacity - 1);
}

static struct sg_code_entry *find(const struct sg_stacks *stacks, sg_code_id id) {
    size_t at = slot_of(id, stacks->codes_capacity);
    while (stacks->codes[at].state != CODE_NONE && stacks->codes[at].id != id)
        at = (at + 1) & (stacks->codes_capacity - 1);
    return &stacks->codes[at];
}

/* Return the drain since which a stack may be waiting: that of the oldest open request. */
static uint32_t find_first_waiting(const struct sg_stacks *stacks) {
    uint32_t first = stacks->drain;
    for (size_t i = 0; i < stacks->codes_capacity; i++) {
        const struct sg_code_entry *code = &stacks->codes[i];
        if ((code->state == CODE_REQUESTED || code->state == CODE_IN_PROGRESS) &&
            code->requested_since < first)
            first = code->requested_since;
    }
    return first;
}

static bool is_forgettable(const struct sg_code_entry *code, uint32_t first_waiting) {
    return code->dead_since && first_waiting > code->dead_since + DEAD_CODE_DRAINS;
}

/* Rebuild the table with `capacity` slots, without forgettable codes. Returns false if memory is
 * short. */
static bool rebuild(struct sg_stacks *stacks, size_t capacity) {
    struct sg_code_entry *before = stacks->codes;
    size_t n_before = stacks->codes_capacity;
    uint32_t first_waiting = find_first_waiting(stacks);
    struct sg_code_entry *codes = calloc(capacity, sizeof *codes);
    if (!codes)
        return false;
    stacks->codes = codes;
    stacks->codes_capacity = capacity;
    stacks->n_codes = stacks->n_dead = 0;
    for (size_t i = 0; i < n_before; i++) {
        if (before[i].state == CODE_NONE)
            continue;
        if (is_forgettable(&before[i], first_waiting)) {
            sg_code_info_free(&before[i].info);
            continue;
        }
        *find(stacks, before[i].id) = before[i];
        stacks->n_codes++;
        stacks->n_dead += before[i].dead_since != 0;
    }
    free(before);
    return true;
}

/* Return the slot of a code. A new code gets a slot in state CODE_NONE with its id set. NULL =
 * memory is short. */
static struct sg_code_entry *find_or_add(struct sg_stacks *stacks, sg_code_id id) {
    struct sg_code_entry *code = find(stacks, id);
    if (code->state != CODE_NONE)
        return code;
    if (stacks->n_codes * 2 >= stacks->codes_capacity) {
        if (!rebuild(stacks, stacks->codes_capacity * 2))
            return NULL;
        code = find(stacks, id);
    }
    code->id = id;
    stacks->n_codes++;
    return code;
}

bool sg_stacks_open(struct sg_stacks *stacks, struct sg_intern *intern, int minor,
                    sg_resolved_fn *resolved, void *context) {
    *stacks = (struct sg_stacks){
        .intern = intern, .minor = minor, .resolved = resolved, .context = context, .drain = 1};
    stacks->location_cache = calloc(N_CACHED_LOCATIONS, sizeof *stacks->location_cache);
    if (stacks->location_cache && sg_native_names_open(&stacks->native_names) &&
        rebuild(stacks, FIRST_CODES))
        return true;
    sg_stacks_close(stacks);
    return false;
}

void sg_stacks_close(struct sg_stacks *stacks) {
    for (size_t i = 0; i < stacks->codes_capacity; i++)
        sg_code_info_free(&stacks->codes[i].info);
    sg_native_names_close(&stacks->native_names);
    free(stacks->codes);
    SG_ROWS_FREE(&stacks->requested);
    SG_ROWS_FREE(&stacks->pending);
    SG_ROWS_FREE(&stacks->pending_frames);
    free(stacks->location_cache);
    memset(stacks, 0, sizeof *stacks);
}

static void request(struct sg_stacks *stacks, sg_code_id id) {
    struct sg_code_entry *code = find_or_add(stacks, id);
    if (!code || code->state != CODE_NONE)
        return;
    if (SG_ROWS_ADD(&stacks->requested, id)) {
        code->state = CODE_REQUESTED;
        code->requested_since = stacks->drain;
    } else {
        stacks->n_codes--; /* the slot is still free */
    }
}

size_t sg_stacks_take_requested(struct sg_stacks *stacks, sg_code_id *ids, size_t max) {
    size_t n = 0;
    while (n < max && stacks->requested.n) {
        sg_code_id id = stacks->requested.at[--stacks->requested.n];
        struct sg_code_entry *code = find(stacks, id);
        if (code->state != CODE_REQUESTED)
            continue; /* a tombstone came first */
        code->state = CODE_IN_PROGRESS;
        ids[n++] = id;
    }
    return n;
}

void sg_stacks_request_again(struct sg_stacks *stacks, sg_code_id id) {
    struct sg_code_entry *code = find(stacks, id);
    if (code->state == CODE_IN_PROGRESS && SG_ROWS_ADD(&stacks->requested, id))
        code->state = CODE_REQUESTED;
}

static void make_known(struct sg_stacks *stacks, struct sg_code_entry *code, uint32_t function,
                       bool is_dead) {
    code->state = CODE_KNOWN;
    code->function = function;
    code->dead_since = is_dead ? stacks->drain : 0;
    stacks->n_dead += is_dead;
}

/* Make a code without a name unknown again: its tombstone has come after all. */
static void forget(struct sg_stacks *stacks, struct sg_code_entry *code) {
    for (uint32_t i = 0; i < N_CACHED_LOCATIONS; i++)
        if (stacks->location_cache[i].code == code->id)
            stacks->location_cache[i] = (struct sg_cached_location){.code = SG_NO_CODE};
    sg_code_info_free(&code->info);
    stacks->n_dead -= code->dead_since != 0;
    code->state = CODE_IN_PROGRESS;
}

void sg_stacks_learn(struct sg_stacks *stacks, sg_code_id id, struct sg_code_info *info,
                     const struct sg_paths *paths, bool is_dead) {
    struct sg_code_entry *code = find_or_add(stacks, id);
    if (code && code->state == CODE_KNOWN && code->function == SG_FUNCTION_UNKNOWN)
        forget(stacks, code);
    if (!code || code->state == CODE_KNOWN) {
        if (code && is_dead && !code->dead_since) {
            code->dead_since = stacks->drain;
            stacks->n_dead++;
        }
        sg_code_info_free(info);
        return;
    }
    /* If memory is short, the code stays <unknown>. (If the table of functions is full, another
     * request would fail as well, and its samples would wait for good.) */
    char *name = sg_module_names_full_name(paths, info->filename, info->qualname);
    uint32_t start_line = info->first_line > 0 ? (uint32_t)info->first_line : 0;
    uint32_t function =
        sg_intern_function(stacks->intern, name, info->name, info->filename, start_line);
    free(name);
    free(info->name);
    free(info->qualname);
    free(info->filename);
    info->name = info->qualname = info->filename = NULL;
    code->info = *info;
    memset(info, 0, sizeof *info);
    make_known(stacks, code, function, is_dead);
}

void sg_stacks_give_up(struct sg_stacks *stacks, sg_code_id id) {
    struct sg_code_entry *code = find_or_add(stacks, id);
    if (code && code->state != CODE_KNOWN)
        make_known(stacks, code, SG_FUNCTION_UNKNOWN, true);
}

bool sg_stacks_is_known(const struct sg_stacks *stacks, sg_code_id id) {
    return id < SG_FIRST_CODE_ID || id >= SG_FIRST_NATIVE_ID ||
           find(stacks, id)->state == CODE_KNOWN;
}

static uint32_t locate_pseudo(struct sg_stacks *stacks, sg_code_id id) {
    const char *name = sg_pseudo_frames_name(id);
    return sg_intern_location(stacks->intern, sg_intern_function(stacks->intern, name, name, "", 0),
                              0);
}

/* Return the location of a frame. `caller`: the location of the calling frame; SG_LOCATION_UNKNOWN
 * = there is none. */
static uint32_t locate(struct sg_stacks *stacks, struct sg_frame frame, uint32_t caller) {
    if (sg_frame_is_native(frame))
        return sg_native_names_locate(&stacks->native_names, stacks->intern,
                                      sg_frame_native_pc(frame), caller);
    uint64_t key = (uint64_t)frame.code << 20 ^ (uint32_t)frame.lasti;
    struct sg_cached_location *cached =
        &stacks->location_cache[(key * UINT64_C(0x9E3779B97F4A7C15) >> 40) &
                                (N_CACHED_LOCATIONS - 1)];
    if (frame.code != SG_NO_CODE && cached->code == frame.code && cached->lasti == frame.lasti)
        return cached->location;
    if (frame.code < SG_FIRST_CODE_ID)
        return locate_pseudo(stacks, frame.code);
    const struct sg_code_entry *code = find(stacks, frame.code);
    if (code->state != CODE_KNOWN)
        return SG_LOCATION_UNKNOWN;
    int32_t line =
        code->info.line_table ? sg_code_info_line(&code->info, frame.lasti, stacks->minor) : 0;
    uint32_t location = sg_intern_location(stacks->intern, code->function, (uint32_t)line);
    if (location != SG_LOCATION_UNKNOWN) /* memory was short: the next sample tries again */
        *cached = (struct sg_cached_location){frame.code, frame.lasti, location};
    return location;
}

static uint32_t intern_stack(struct sg_stacks *stacks, const struct sg_frame *frames,
                             uint32_t depth) {
    uint32_t node = SG_NODE_EMPTY, location = SG_LOCATION_UNKNOWN;
    for (uint32_t i = depth; i-- > 0;) {
        location = locate(stacks, frames[i], location);
        node = sg_intern_node(stacks->intern, node, location);
    }
    return node;
}

static bool is_all_known(struct sg_stacks *stacks, const struct sg_frame *frames, uint32_t depth) {
    bool is_known = true;
    for (uint32_t i = 0; i < depth; i++)
        if (!sg_stacks_is_known(stacks, frames[i].code)) {
            request(stacks, frames[i].code);
            is_known = false;
        }
    return is_known;
}

uint32_t sg_stacks_node(struct sg_stacks *stacks, const struct sg_frame *frames, uint32_t depth,
                        bool is_last) {
    bool is_ready = is_last || is_all_known(stacks, frames, depth);
    return is_ready ? intern_stack(stacks, frames, depth) : SG_NO_NODE;
}

uint32_t sg_stacks_child(struct sg_stacks *stacks, uint32_t node, struct sg_frame frame,
                         bool is_last) {
    if (!is_last && !is_all_known(stacks, &frame, 1))
        return SG_NO_NODE;
    enum { LOCATION = 1 }; /* a column */
    uint32_t caller = stacks->intern->nodes.columns[LOCATION][node];
    return sg_intern_node(stacks->intern, node, locate(stacks, frame, caller));
}

void sg_stacks_request(struct sg_stacks *stacks, struct sg_frame frame) {
    is_all_known(stacks, &frame, 1);
}

bool sg_stacks_place(struct sg_stacks *stacks, struct sg_frame frame, uint32_t *text) {
    enum { NAME, SYSTEM_NAME, FILENAME }; /* columns of functions */
    enum { FUNCTION, LINE };              /* columns of locations */
    char *place = NULL;
    if (!is_all_known(stacks, &frame, 1))
        return false;
    const struct sg_intern *intern = stacks->intern;
    uint32_t location = locate(stacks, frame, SG_LOCATION_UNKNOWN);
    uint32_t function = intern->locations.columns[FUNCTION][location];
    uint32_t line = intern->locations.columns[LINE][location];
    const char *file = sg_intern_text(intern, intern->functions.columns[FILENAME][function]);
    *text = SG_STRING_EMPTY;
    if (*file && line && asprintf(&place, "%s:%u", file, line) >= 0)
        *text = sg_intern_string(stacks->intern, place);
    free(place);
    return true;
}

static bool keep(struct sg_stacks *stacks, const struct sg_sample *sample) {
    if (stacks->pending.n >= SG_MAX_PENDING ||
        stacks->pending_frames.n + sample->depth > SG_MAX_PENDING_FRAMES ||
        !SG_ROWS_RESERVE(&stacks->pending_frames, sample->depth) ||
        !SG_ROWS_ADD(&stacks->pending, *sample))
        return false;
    memcpy(stacks->pending_frames.at + stacks->pending_frames.n, sample->frames,
           sample->depth * sizeof *sample->frames);
    stacks->pending_frames.n += sample->depth;
    return true;
}

void sg_stacks_add(void *context, const struct sg_sample *sample) {
    struct sg_stacks *stacks = context;
    bool is_known = is_all_known(stacks, sample->frames, sample->depth);
    if (!is_known && keep(stacks, sample))
        return;
    stacks->resolved(stacks->context, intern_stack(stacks, sample->frames, sample->depth), sample);
}

/* Compact both arrays in place; they have the same order. */
void sg_stacks_retry(struct sg_stacks *stacks, bool is_last) {
    size_t n = stacks->pending.n, n_kept = 0, read = 0, written = 0;
    for (size_t i = 0; i < n; i++) {
        struct sg_sample sample = stacks->pending.at[i];
        struct sg_frame *frames = stacks->pending_frames.at + read;
        read += sample.depth;
        if (is_last || is_all_known(stacks, frames, sample.depth)) {
            stacks->resolved(stacks->context, intern_stack(stacks, frames, sample.depth), &sample);
            continue;
        }
        memmove(stacks->pending_frames.at + written, frames, sample.depth * sizeof *frames);
        written += sample.depth;
        stacks->pending.at[n_kept++] = sample;
    }
    stacks->pending.n = n_kept;
    stacks->pending_frames.n = written;
}

void sg_stacks_end_drain(struct sg_stacks *stacks) {
    stacks->drain++;
    sg_native_names_refresh(&stacks->native_names);
    if (stacks->n_dead >= MIN_DEAD && stacks->n_dead * 2 > stacks->n_codes &&
        stacks->drain % DEAD_CODE_DRAINS == 0)
        rebuild(stacks, stacks->codes_capacity);
}
