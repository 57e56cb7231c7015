/* The text before a line's numbers (process, thread and stack) is looked up in a hash table as a
 * whole and split into frames only if it is new. */
#include "austin_lines.h"

enum { MOST_PROCESS_DIGITS = 19, MOST_THREAD_BYTES = 64, MOST_DIGITS = 18, NS_A_US = 1000 };

struct sample {
    size_t begin, thread_end, stack_end; /* in the text; the stack begins with ";" or is empty */
    int64_t first, second;               /* the numbers: time or memory; memory in mode "full" */
    int has_second, is_idle;
};

static int is_digit(unsigned char byte) { return byte >= '0' && byte <= '9'; }

static int is_thread(unsigned char byte) {
    unsigned char letter = byte | 0x20;
    return is_digit(byte) || (letter >= 'a' && letter <= 'z') || byte == '_' || byte == ':';
}

/* Whether Python's str.strip removes this ASCII byte. */
static int is_space(unsigned char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || (byte >= 0x1C && byte <= 0x1F);
}

/* Read a number of at most 18 digits. Returns where it ends, or `at` if there is none. */
static size_t read_number(const unsigned char *text, size_t at, size_t end, int64_t *number) {
    size_t first = at < end && text[at] == '-' ? at + 1 : at, digit = first;
    int64_t sum = 0;
    while (digit < end && is_digit(text[digit]) && digit - first < MOST_DIGITS)
        sum = sum * 10 + (text[digit++] - '0');
    *number = first > at ? -sum : sum;
    return digit > first ? digit : at;
}

/* Read "520" or "520,0,-16", up to `end`. Returns 0, or -1 if the text has another form. */
static int read_metrics(const unsigned char *text, size_t at, size_t end, struct sample *sample) {
    size_t next = read_number(text, at, end, &sample->first);
    if (next == at)
        return -1;
    sample->second = sample->is_idle = 0;
    sample->has_second = next < end;
    if (!sample->has_second)
        return 0;
    if (end - next < 4 || text[next] != ',' || (text[next + 1] | 1) != '1' || text[next + 2] != ',')
        return -1;
    sample->is_idle = text[next + 1] == '1';
    at = next + 3;
    next = read_number(text, at, end, &sample->second);
    return next > at && next == end ? 0 : -1;
}

/* Find the parts of the line from `sample->begin` to `end`. Returns 0, or -1 if it is no sample. */
static int read_sample(const unsigned char *text, size_t end, struct sample *sample) {
    size_t at = sample->begin, first;
    if (text[at++] != 'P')
        return -1;
    for (first = at; at < end && is_digit(text[at]) && at - first < MOST_PROCESS_DIGITS;)
        at++;
    if (at == first || end - at < 4 || text[at] != ';' || text[at + 1] != 'T')
        return -1;
    for (first = at += 2; at < end && is_thread(text[at]) && at - first < MOST_THREAD_BYTES;)
        at++;
    const unsigned char *space = memrchr(text + at, ' ', end - at);
    if (at == first || !space)
        return -1;
    sample->thread_end = at;
    sample->stack_end = (size_t)(space - text);
    if (at != sample->stack_end && text[at] != ';')
        return -1;
    return read_metrics(text, sample->stack_end + 1, end, sample);
}

/* Return the row of a sample, which is added if it is new; -1 = memory is short. */
static int32_t find_row(struct sg_austin_lines *austin, const struct sample *sample) {
    size_t begin = sample->begin, thread_end = sample->thread_end, end = sample->stack_end;
    int32_t row = sg_text_pieces_number(&austin->rows, begin, end - begin);
    if (row < 0 || (size_t)row < austin->row_thread.n)
        return row;
    int32_t thread = sg_text_pieces_number(&austin->threads, begin, thread_end - begin);
    if (thread < 0 || sg_push_i32(&austin->row_thread, thread) < 0)
        return -1;
    if ((size_t)thread == austin->round_of.n && sg_push_i64(&austin->round_of, -1) < 0)
        return -1;
    for (int i = 0; i < SG_AUSTIN_SUMS; i++)
        if (sg_push_i64(&austin->sums, 0) < 0)
            return -1;
    int result = end > thread_end ? sg_text_stacks_split(&austin->stacks, thread_end + 1, end)
                                  : sg_text_stacks_end(&austin->stacks);
    return result < 0 ? -1 : row;
}

/* Add a sample to the sums of its row. Returns 0, or -1 if a sum overflows. */
static int add_up(int64_t *sums, int64_t time_us, int64_t memory_bytes, int is_idle) {
    int64_t time_ns;
    if (__builtin_mul_overflow(time_us, NS_A_US, &time_ns))
        return -1;
    const int64_t added[SG_AUSTIN_SUMS] = {1, memory_bytes, is_idle ? 0 : time_ns, time_ns};
    for (int i = 0; i < SG_AUSTIN_SUMS; i++)
        if (__builtin_add_overflow(sums[i], added[i], &sums[i]))
            return -1;
    return 0;
}

/* Add a sample to the current round, or to the next one if the round has a sample of this thread.
 * Returns 0, or -1 if the time overflows. */
static int add_to_round(struct sg_austin_lines *austin, int32_t thread, int64_t time_us) {
    int64_t *round_of = &sg_i64(&austin->round_of)[thread];
    if (*round_of == austin->round) {
        if (__builtin_add_overflow(austin->now_us, austin->round_us, &austin->now_us))
            return -1;
        austin->round++;
        austin->round_us = 0;
    }
    *round_of = austin->round;
    if (time_us > austin->round_us)
        austin->round_us = time_us;
    return 0;
}

/* Append a sample to the timed columns; more than `most_times` samples empty the columns for good.
 * Returns 0, or -1 if memory is short. */
static int push_time(struct sg_austin_lines *austin, int32_t row, int64_t time_us,
                     int64_t memory_bytes, int is_idle) {
    size_t n = austin->timed_row.n;
    if (austin->n_timed > austin->most_times)
        return 0;
    if (++austin->n_timed > austin->most_times) {
        struct sg_vector *const columns[] = {&austin->timed_row, &austin->begin_us,
                                             &austin->time_us, &austin->memory_bytes,
                                             &austin->idle};
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
            sg_release(columns[i]);
        return 0;
    }
    if (sg_push_i32(&austin->timed_row, row) < 0 ||
        sg_push_i64(&austin->begin_us, austin->now_us) < 0 ||
        sg_push_i64(&austin->time_us, time_us) < 0 ||
        sg_push_sparse_i64(&austin->memory_bytes, n, memory_bytes) < 0)
        return -1;
    return sg_push_sparse_i32(&austin->idle, n, is_idle);
}

/* Record where a remark is, for Python, and read its mode. Returns 0, or -1 if memory is short. */
static int read_remark(struct sg_austin_lines *austin, size_t begin, size_t end) {
    static const char MODE[] = "# mode: ";
    const unsigned char *text = austin->lines.text;
    const size_t n_mode = sizeof MODE - 1;
    if (end - begin >= n_mode && memcmp(text + begin, MODE, n_mode) == 0) {
        const unsigned char *mode = text + begin + n_mode;
        size_t n = end - begin - n_mode;
        austin->mode = n == 4 && memcmp(mode, "full", 4) == 0     ? SG_AUSTIN_FULL
                       : n == 6 && memcmp(mode, "memory", 6) == 0 ? SG_AUSTIN_MEMORY
                                                                  : SG_AUSTIN_TIME;
    }
    if (sg_push_i64(&austin->remark_begin, (int64_t)begin) < 0 ||
        sg_push_i64(&austin->remark_end, (int64_t)end) < 0)
        return -1;
    return sg_push_i64(&austin->remark_number, austin->lines.number);
}

/* Correct the mode at the first sample: mojo2austin writes "full" but only times. */
static void choose_mode(struct sg_austin_lines *austin, const struct sample *sample) {
    if (!austin->has_samples && !sample->has_second && austin->mode == SG_AUSTIN_FULL) {
        austin->mode = SG_AUSTIN_TIME;
        austin->plain_from = (int64_t)austin->remark_begin.n;
    }
    austin->has_samples = 1;
}

/* Read the line that `lines` is at and set `misfit` if the line is wrong. Returns 0, or -1 if
 * memory is short. */
static int read_line(struct sg_austin_lines *austin) {
    const unsigned char *text = austin->lines.text;
    size_t begin = austin->lines.begin, end = austin->lines.end;
    while (end > begin && is_space(text[end - 1]))
        end--;
    while (begin < end && is_space(text[begin]))
        begin++;
    if (begin == end)
        return 0;
    if (text[begin] == '#')
        return read_remark(austin, begin, end);
    struct sample sample = {.begin = begin};
    austin->misfit = SG_AUSTIN_NO_SAMPLE;
    if (read_sample(text, end, &sample) < 0)
        return 0;
    choose_mode(austin, &sample);
    if (sample.has_second != (austin->mode == SG_AUSTIN_FULL))
        return 0;
    int is_memory = austin->mode == SG_AUSTIN_MEMORY;
    int64_t time_us = is_memory ? 0 : sample.first;
    int64_t memory_bytes = is_memory ? sample.first : sample.second;
    int32_t row = find_row(austin, &sample);
    if (row < 0)
        return -1;
    int64_t *sums = sg_i64(&austin->sums) + (size_t)row * SG_AUSTIN_SUMS;
    austin->misfit = SG_AUSTIN_OVERFLOW;
    if (add_up(sums, time_us, memory_bytes, sample.is_idle) < 0 ||
        add_to_round(austin, sg_i32(&austin->row_thread)[row], time_us) < 0)
        return 0;
    austin->misfit = SG_AUSTIN_NO_MISFIT;
    return push_time(austin, row, time_us, memory_bytes, sample.is_idle);
}

int sg_austin_lines_read(struct sg_austin_lines *austin, const unsigned char *text, size_t size,
                         size_t most_times, struct sg_progress *progress) {
    *austin =
        (struct sg_austin_lines){.most_times = most_times, .plain_from = -1, .is_out_of_memory = 1};
    sg_text_lines_init(&austin->lines, text, size, progress);
    if (sg_text_pieces_init(&austin->rows, text) < 0 ||
        sg_text_pieces_init(&austin->threads, text) < 0 ||
        sg_text_stacks_init(&austin->stacks, text) < 0)
        return -1;
    while (!austin->misfit && sg_text_lines_next(&austin->lines))
        if (read_line(austin) < 0)
            return -1;
    austin->is_out_of_memory = 0;
    return austin->lines.is_stopped ? -1 : 0;
}

void sg_austin_lines_free(struct sg_austin_lines *austin) {
    sg_text_pieces_free(&austin->rows);
    sg_text_pieces_free(&austin->threads);
    sg_text_stacks_free(&austin->stacks);
    struct sg_vector *const columns[] = {
        &austin->row_thread, &austin->sums,     &austin->remark_begin,  &austin->remark_end,
        &austin->timed_row,  &austin->begin_us, &austin->time_us,       &austin->memory_bytes,
        &austin->idle,       &austin->round_of, &austin->remark_number,
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        sg_release(columns[i]);
}
