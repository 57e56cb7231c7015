/* Addresses make most lines of frames different, so a frame is looked up by its name and file, of
 * which there are few, and not by its line. */
#include "perf_lines.h"

#include "perf_head.h"
#include "text_lines.h"

static const char RECORD[] = ": PERF_RECORD_"; /* in lines of --show-mmap-events and the like */
static const char COMMAND[] = "# cmdline :";

struct walk {
    struct sg_text_lines at;
    struct sg_perf_script *script;
    int is_open;        /* a sample has begun */
    int has_blank;      /* an empty line has ended a sample */
    int has_text;       /* the head of the open sample has a text */
    uint64_t period;    /* of the open sample; may exceed an int64 */
    size_t stack_begin; /* where the open sample's stack begins */
};

static int init(struct walk *walk, const unsigned char *text, size_t size,
                struct sg_progress *progress, struct sg_perf_script *script) {
    *script = (struct sg_perf_script){0};
    *walk = (struct walk){.script = script};
    sg_text_lines_init(&walk->at, text, size, progress);
    struct sg_text_pieces *const tables[] = {&script->threads, &script->events, &script->commands};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (sg_text_pieces_init(tables[i], text) < 0)
            return -2;
    return sg_perf_places_init(&script->places, text) < 0 ? -2 : 0;
}

static int32_t number(struct sg_text_pieces *pieces, struct sg_range range) {
    return sg_text_pieces_number(pieces, range.begin, range.end - range.begin);
}

/* Add a frame, a text without white space around it, to the open stack. Returns 1, 0 if the text is
 * not a frame, or -2 if memory is short. */
static int add_frame(struct walk *walk, struct sg_range text) {
    struct sg_perf_script *script = walk->script;
    struct sg_perf_frame frame;
    if (!sg_perf_frame_split(walk->at.text, text, &frame))
        return 0;
    int32_t place = sg_perf_places_number(&script->places, text, &frame, script->time_ns.n - 1);
    return place < 0 || sg_push_i32(&script->stack, place) < 0 ? -2 : 1;
}

/* End the open sample, if any. Returns 1, or 0 with a fault if its period is too large. */
static int close_sample(struct walk *walk) {
    struct sg_perf_script *script = walk->script;
    if (!walk->is_open)
        return 1;
    walk->is_open = 0;
    if (walk->period > INT64_MAX) {
        script->fault = SG_PERF_LARGE_VALUE;
        script->fault_number = walk->period;
        return 0;
    }
    return 1;
}

/* Begin a sample. Returns 1, 0 with a fault, or -2 if memory is short. */
static int open_sample(struct walk *walk, const struct sg_perf_head *head) {
    struct sg_perf_script *script = walk->script;
    if (!close_sample(walk))
        return 0;
    int32_t thread = number(&script->threads, head->thread);
    int32_t event = number(&script->events, head->event);
    if (thread < 0 || event < 0)
        return -2;
    if (event >= SG_PERF_MOST_EVENTS) {
        script->fault = SG_PERF_MANY_EVENTS;
        script->fault_number = SG_PERF_MOST_EVENTS;
        return 0;
    }
    int64_t period = head->has_period ? (int64_t)head->period : -1;
    if (sg_push_i64(&script->stack_start, (int64_t)script->stack.n) < 0 ||
        sg_push_i32(&script->thread, thread) < 0 || sg_push_i32(&script->event, event) < 0 ||
        sg_push_i64(&script->time_ns, head->time_ns) < 0 ||
        sg_push_i64(&script->period, period) < 0)
        return -2;
    walk->is_open = 1;
    walk->period = head->has_period ? head->period : 0;
    walk->stack_begin = script->stack.n;
    walk->has_text = head->text.begin < head->text.end;
    return walk->has_text && add_frame(walk, head->text) < 0 ? -2 : 1;
}

static int refuse_line(struct walk *walk) {
    struct sg_perf_script *script = walk->script;
    script->fault = SG_PERF_BAD_LINE;
    script->fault_number = (uint64_t)walk->at.number;
    script->fault_begin = walk->at.begin;
    script->fault_end = walk->at.end;
    return 0;
}

static int has_record(const unsigned char *at, size_t n) {
    const unsigned char *end = at + (n < SG_PERF_HEAD_BYTES ? n : SG_PERF_HEAD_BYTES);
    size_t n_record = strlen(RECORD);
    for (; (at = memchr(at, RECORD[0], (size_t)(end - at))); at++)
        if ((size_t)(end - at) >= n_record && !memcmp(at, RECORD, n_record))
            return 1;
    return 0;
}

/* Read a line that may be a comment, a record or the head of a sample. Returns 1, 0 with a fault,
 * -1 if the line is none of these, or -2 if memory is short. */
static int read_head(struct walk *walk, struct sg_range line) {
    const unsigned char *text = walk->at.text;
    size_t n = line.end - line.begin;
    if (text[line.begin] == '#') {
        if (n < strlen(COMMAND) || memcmp(text + line.begin, COMMAND, strlen(COMMAND)))
            return 1;
        return number(&walk->script->commands, line) < 0 ? -2 : 1;
    }
    if (has_record(text + line.begin, n))
        return close_sample(walk);
    struct sg_perf_head head;
    return sg_perf_head_read(text, line, &head) ? open_sample(walk, &head) : -1;
}

/* Read a line. Returns 1, 0 with a fault, or -2 if memory is short. */
static int read_line(struct walk *walk) {
    struct sg_range line = {walk->at.begin, walk->at.end};
    struct sg_range text = sg_strip(walk->at.text, line);
    if (text.begin == text.end) {
        walk->has_blank |= walk->is_open;
        return close_sample(walk);
    }
    if (walk->at.text[line.begin] != '\t') {
        int result = read_head(walk, line);
        if (result != -1)
            return result;
    }
    if (!walk->is_open)
        return refuse_line(walk);
    int result = add_frame(walk, text);
    if (result)
        return result;
    int is_below = walk->script->stack.n > walk->stack_begin;
    return is_below && sg_perf_is_source(walk->at.text, text) ? 1 : refuse_line(walk);
}

/* Read the next line. Returns 1, 0 at the end or with a fault, or -2 if memory is short. */
static int go_on(struct walk *walk) {
    if (!sg_text_lines_next(&walk->at))
        return 0;
    if (!walk->at.refused_bytes)
        return read_line(walk);
    walk->script->fault = SG_PERF_LONG_LINE;
    walk->script->fault_number = walk->at.refused_bytes;
    return 0;
}

int sg_perf_lines_read(const unsigned char *text, size_t size, struct sg_progress *progress,
                       struct sg_perf_script *script) {
    struct walk walk;
    int result = init(&walk, text, size, progress, script);
    if (result == 0) {
        do
            result = go_on(&walk);
        while (result == 1);
    }
    if (result == 0 && walk.at.is_stopped)
        result = -3;
    if (result == 0 && script->fault == SG_PERF_NONE) {
        int is_stack = script->stack.n > walk.stack_begin || walk.has_blank;
        script->is_cut = walk.is_open && !walk.has_text && is_stack;
        (void)close_sample(&walk); /* may set the fault */
        if (sg_push_i64(&script->stack_start, (int64_t)script->stack.n) < 0)
            result = -2;
    }
    return result;
}

void sg_perf_lines_free(struct sg_perf_script *script) {
    sg_text_pieces_free(&script->threads);
    sg_text_pieces_free(&script->events);
    sg_text_pieces_free(&script->commands);
    sg_perf_places_free(&script->places);
    struct sg_vector *const columns[] = {
        &script->stack_start, &script->thread, &script->event,
        &script->time_ns,     &script->period, &script->stack,
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        sg_release(columns[i]);
}
