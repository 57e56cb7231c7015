/* Facts of code objects are kept in an open-addressing table by id, and samples wait for them.
 *
 *     NONE ──a sample has it──▶ WANTED ──a job takes it──▶ ASKED ──facts, or given up──▶ KNOWN
 *                                  └──────────tombstone of a dead code object─────────────▲
 *
 * A stack becomes a node from its outermost frame to its leaf (climb): each frame becomes a
 * location and a node. A direct-mapped cache has the locations of instructions. A freed code object
 * stays for at least MEMORY_DRAINS drains, until all its samples have been drained; then the next
 * rebuild of the table removes it. */
#include "wire/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames/pseudo_frames.h"

enum {
    FIRST_CODES = 1024,
    N_LINES = 1 << 13, /* a power of two */
    /* Drains for which a freed code is remembered. All its samples were drained by then. */
    MEMORY_DRAINS = 50,
    MIN_DEAD = 1024, /* fewer freed codes are not worth a rebuild */
};

enum code_state {
    CODE_NONE = 0, /* a free slot */
    CODE_WANTED,   /* to be looked up */
    CODE_ASKED,    /* being looked up, or about to be named by its tombstone */
    CODE_KNOWN,
};

struct sg_known_code {
    sg_code_id id;
    enum code_state state;
    uint32_t function;
    uint32_t dead_since;       /* number of the drain; 0 = alive */
    struct sg_code_info facts; /* the line table only */
};

struct sg_line {
    sg_code_id code;
    int32_t lasti;
    uint32_t location;
};

static size_t slot_of(sg_code_id id, size_t capacity) {
    return (id * 0x9E3779B1u >> 7) & (capacity - 1);
}

static struct sg_known_code *find(const struct sg_stacks *stacks, sg_code_id id) {
    size_t at = slot_of(id, stacks->codes_capacity);
    while (stacks->codes[at].state != CODE_NONE && stacks->codes[at].id != id)
        at = (at + 1) & (stacks->codes_capacity - 1);
    return &stacks->codes[at];
}

static bool is_forgettable(const struct sg_stacks *stacks, const struct sg_known_code *code) {
    return code->dead_since && stacks->drain - code->dead_since > MEMORY_DRAINS;
}

/* Rebuild the table with `capacity` slots, without forgettable codes. Returns false if memory is
 * short. */
static bool rebuild(struct sg_stacks *stacks, size_t capacity) {
    struct sg_known_code *before = stacks->codes;
    size_t n_before = stacks->codes_capacity;
    struct sg_known_code *codes = calloc(capacity, sizeof *codes);
    if (!codes)
        return false;
    stacks->codes = codes;
    stacks->codes_capacity = capacity;
    stacks->n_codes = stacks->n_dead = 0;
    for (size_t i = 0; i < n_before; i++) {
        if (before[i].state == CODE_NONE)
            continue;
        if (is_forgettable(stacks, &before[i])) {
            sg_code_info_free(&before[i].facts);
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
static struct sg_known_code *find_or_add(struct sg_stacks *stacks, sg_code_id id) {
    struct sg_known_code *code = find(stacks, id);
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
    stacks->lines = calloc(N_LINES, sizeof *stacks->lines);
    if (stacks->lines && sg_native_names_open(&stacks->native_names) &&
        rebuild(stacks, FIRST_CODES))
        return true;
    sg_stacks_close(stacks);
    return false;
}

void sg_stacks_close(struct sg_stacks *stacks) {
    for (size_t i = 0; i < stacks->codes_capacity; i++)
        sg_code_info_free(&stacks->codes[i].facts);
    sg_native_names_close(&stacks->native_names);
    free(stacks->codes);
    SG_ROWS_FREE(&stacks->wanted);
    SG_ROWS_FREE(&stacks->pending);
    SG_ROWS_FREE(&stacks->pending_frames);
    free(stacks->lines);
    memset(stacks, 0, sizeof *stacks);
}

static void want(struct sg_stacks *stacks, sg_code_id id) {
    struct sg_known_code *code = find_or_add(stacks, id);
    if (!code || code->state != CODE_NONE)
        return;
    if (SG_ROWS_ADD(&stacks->wanted, id))
        code->state = CODE_WANTED;
    else
        stacks->n_codes--; /* the slot is still free */
}

size_t sg_stacks_take_wanted(struct sg_stacks *stacks, sg_code_id *ids, size_t max) {
    size_t n = 0;
    while (n < max && stacks->wanted.n) {
        sg_code_id id = stacks->wanted.at[--stacks->wanted.n];
        struct sg_known_code *code = find(stacks, id);
        if (code->state != CODE_WANTED)
            continue; /* a tombstone came first */
        code->state = CODE_ASKED;
        ids[n++] = id;
    }
    return n;
}

static void make_known(struct sg_stacks *stacks, struct sg_known_code *code, uint32_t function,
                       bool is_dead) {
    code->state = CODE_KNOWN;
    code->function = function;
    code->dead_since = is_dead ? stacks->drain : 0;
    stacks->n_dead += is_dead;
}

void sg_stacks_learn(struct sg_stacks *stacks, sg_code_id id, struct sg_code_info *facts,
                     const struct sg_paths *paths, bool is_dead) {
    struct sg_known_code *code = find_or_add(stacks, id);
    if (!code || code->state == CODE_KNOWN) {
        if (code && is_dead && !code->dead_since) {
            code->dead_since = stacks->drain;
            stacks->n_dead++;
        }
        sg_code_info_free(facts);
        return;
    }
    char *name = sg_module_names_full_name(paths, facts->filename, facts->qualname);
    uint32_t start_line = facts->first_line > 0 ? (uint32_t)facts->first_line : 0;
    uint32_t function =
        sg_intern_function(stacks->intern, name, facts->name, facts->filename, start_line);
    free(name);
    free(facts->name);
    free(facts->qualname);
    free(facts->filename);
    facts->name = facts->qualname = facts->filename = NULL;
    code->facts = *facts;
    memset(facts, 0, sizeof *facts);
    make_known(stacks, code, function, is_dead);
}

void sg_stacks_give_up(struct sg_stacks *stacks, sg_code_id id) {
    struct sg_known_code *code = find_or_add(stacks, id);
    if (code && code->state != CODE_KNOWN)
        make_known(stacks, code, SG_FUNCTION_UNKNOWN, true);
}

static bool is_code_known(const struct sg_stacks *stacks, sg_code_id id) {
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
    struct sg_line *line =
        &stacks->lines[(key * UINT64_C(0x9E3779B97F4A7C15) >> 40) & (N_LINES - 1)];
    if (frame.code != SG_NO_CODE && line->code == frame.code && line->lasti == frame.lasti)
        return line->location;
    if (frame.code < SG_FIRST_CODE_ID)
        return locate_pseudo(stacks, frame.code);
    const struct sg_known_code *code = find(stacks, frame.code);
    if (code->state != CODE_KNOWN)
        return SG_LOCATION_UNKNOWN;
    int32_t number =
        code->facts.line_table ? sg_code_info_line(&code->facts, frame.lasti, stacks->minor) : 0;
    uint32_t location = sg_intern_location(stacks->intern, code->function, (uint32_t)number);
    *line = (struct sg_line){frame.code, frame.lasti, location};
    return location;
}

static uint32_t climb(struct sg_stacks *stacks, const struct sg_frame *frames, uint32_t depth) {
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
        if (!is_code_known(stacks, frames[i].code)) {
            want(stacks, frames[i].code);
            is_known = false;
        }
    return is_known;
}

uint32_t sg_stacks_node(struct sg_stacks *stacks, const struct sg_frame *frames, uint32_t depth,
                        bool is_last) {
    bool is_ready = is_last || is_all_known(stacks, frames, depth);
    return is_ready ? climb(stacks, frames, depth) : SG_NO_NODE;
}

uint32_t sg_stacks_child(struct sg_stacks *stacks, uint32_t node, struct sg_frame frame,
                         bool is_last) {
    if (!is_last && !is_all_known(stacks, &frame, 1))
        return SG_NO_NODE;
    enum { LOCATION = 1 }; /* a column */
    uint32_t caller = stacks->intern->nodes.columns[LOCATION][node];
    return sg_intern_node(stacks->intern, node, locate(stacks, frame, caller));
}

void sg_stacks_want(struct sg_stacks *stacks, struct sg_frame frame) {
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
    stacks->resolved(stacks->context, climb(stacks, sample->frames, sample->depth), sample);
}

/* Frames are in the order of their samples, so the remaining frames move down. */
void sg_stacks_retry(struct sg_stacks *stacks, bool is_last) {
    size_t n = stacks->pending.n, n_kept = 0, read = 0, written = 0;
    for (size_t i = 0; i < n; i++) {
        struct sg_sample sample = stacks->pending.at[i];
        struct sg_frame *frames = stacks->pending_frames.at + read;
        read += sample.depth;
        if (is_last || is_all_known(stacks, frames, sample.depth)) {
            stacks->resolved(stacks->context, climb(stacks, frames, sample.depth), &sample);
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
        stacks->drain % MEMORY_DRAINS == 0)
        rebuild(stacks, stacks->codes_capacity);
}
