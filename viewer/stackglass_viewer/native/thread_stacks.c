/* A thread is read as a whole, up to the next line that begins with `---`. What is not in plain
 * form is left to Python from the thread's first line on. */
#include "thread_stacks.h"

#include "hex_digits.h"

enum step { NO_MEMORY = -1, FOREIGN, TAKEN }; /* FOREIGN: the thread is left to Python */

struct line {
    const unsigned char *at, *end;
};

static const char SECTION[] = "---", THREAD[] = "--- Thread ",
                  NAME[] = " (name: ", STACK[] = ") stack: ---", SAME[] = "same as previous thread";

static int is_space(unsigned char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

static int is_digit(unsigned char letter) { return letter >= '0' && letter <= '9'; }

static int begins_with(struct line line, const char *text, size_t n) {
    return (size_t)(line.end - line.at) >= n && !memcmp(line.at, text, n);
}

/* Return the current line without white space around it. */
static struct line strip(const struct sg_text_lines *lines) {
    struct line line = {lines->text + lines->begin, lines->text + lines->end};
    while (line.at < line.end && is_space(*line.at))
        line.at++;
    while (line.at < line.end && is_space(line.end[-1]))
        line.end--;
    return line;
}

/* Whether a line is `--- Thread 7f01 (name: main/12) stack: ---`. */
static int is_thread(struct line line) {
    const size_t n_stack = sizeof STACK - 1;
    if (!begins_with(line, THREAD, sizeof THREAD - 1))
        return 0;
    line.at += sizeof THREAD - 1;
    const unsigned char *digits = line.at;
    while (line.at < line.end &&
           (is_digit(*line.at) || ((*line.at | 0x20) >= 'a' && (*line.at | 0x20) <= 'f')))
        line.at++;
    if (line.at == digits || !begins_with(line, NAME, sizeof NAME - 1))
        return 0;
    line.at += sizeof NAME - 1;
    if ((size_t)(line.end - line.at) < n_stack || memcmp(line.end - n_stack, STACK, n_stack) != 0)
        return 0;
    line.end -= n_stack;
    if (memchr(line.at, ':', (size_t)(line.end - line.at)))
        return 0;
    const unsigned char *after = line.end;
    while (line.end > line.at && is_digit(line.end[-1]))
        line.end--;
    return line.end < after && line.end > line.at && line.end[-1] == '/';
}

/* Append every `0x…` of a line. */
static enum step append_addresses(struct sg_thread_stacks *stacks, struct line line) {
    while (line.end - line.at > 2) {
        const unsigned char *zero = memchr(line.at, '0', (size_t)(line.end - line.at - 2));
        if (!zero)
            break;
        line.at = zero + 1;
        if (*line.at != 'x' || sg_hex_digit(zero[2]) == 16)
            continue;
        uint64_t address;
        line.at = sg_read_hex_digits(zero + 2, line.end, &address);
        if (line.at - (zero + 2) > SG_MOST_HEX_DIGITS)
            return FOREIGN;
        if (sg_push_u64(&stacks->address, address) < 0)
            return NO_MEMORY;
    }
    return TAKEN;
}

/* Add the stack of the addresses that were read: the leaf, and the calls one byte before the return
 * addresses. An unwinder may have added the leaf again as a return address. */
static enum step end_thread(struct sg_thread_stacks *stacks, int is_same) {
    const uint64_t *address = sg_u64(&stacks->address);
    size_t n = stacks->address.n, n_stacks = stacks->count.n;
    if (is_same || !n) {
        if (!n_stacks)
            return FOREIGN;
        sg_i64(&stacks->count)[n_stacks - 1]++;
        return TAKEN;
    }
    if (sg_reserve(&stacks->call, n, sizeof(int32_t)) < 0)
        return NO_MEMORY;
    int32_t *call = sg_i32(&stacks->call) + stacks->call.n, *next = call;
    for (size_t i = 0; i < n; i++) {
        if (i == 1 && address[1] == address[0] && address[1])
            continue;
        if ((*next++ = sg_address_numbers_number(&stacks->calls, address[i] - (i > 0))) < 0)
            return NO_MEMORY;
    }
    stacks->call.n += (size_t)(next - call);
    return sg_push_i64(&stacks->call_end, (int64_t)stacks->call.n) < 0 ||
                   sg_push_i64(&stacks->count, 1) < 0
               ? NO_MEMORY
               : TAKEN;
}

/* Read the lines of a thread, up to the line that begins with `---` or to the end of the text. */
static enum step read_thread(struct sg_thread_stacks *stacks, int *is_at_end) {
    struct sg_text_lines *lines = &stacks->lines;
    int is_same = 0;
    stacks->address.n = 0;
    while ((*is_at_end = !sg_text_lines_next(lines)) == 0) {
        if (lines->refused_bytes)
            return FOREIGN;
        struct line line = strip(lines);
        if (line.at == line.end || *line.at == '#')
            continue;
        if (begins_with(line, SECTION, sizeof SECTION - 1))
            break;
        if (memmem(line.at, (size_t)(line.end - line.at), SAME, sizeof SAME - 1)) {
            is_same = 1;
            continue;
        }
        enum step step = append_addresses(stacks, line);
        if (step != TAKEN)
            return step;
    }
    return lines->is_stopped ? TAKEN : end_thread(stacks, is_same);
}

int sg_thread_stacks_read(struct sg_thread_stacks *stacks, const unsigned char *text, size_t size,
                          size_t at, int64_t number, struct sg_progress *progress) {
    *stacks = (struct sg_thread_stacks){0};
    struct sg_text_lines *lines = &stacks->lines;
    sg_text_lines_init(lines, text, size, progress);
    lines->at = lines->reported = at;
    lines->number = number;
    if (sg_address_numbers_init(&stacks->calls) < 0)
        return NO_MEMORY;
    int is_at_end = !sg_text_lines_next(lines);
    while (!is_at_end) {
        struct line line = strip(lines);
        stacks->at = lines->begin;
        stacks->number = lines->number - 1;
        if (lines->refused_bytes)
            return 0;
        if (line.at == line.end || *line.at == '#') { /* only before the first thread */
            is_at_end = !sg_text_lines_next(lines);
            continue;
        }
        enum step step = is_thread(line) ? read_thread(stacks, &is_at_end) : FOREIGN;
        if (step == NO_MEMORY)
            return NO_MEMORY;
        if (step == FOREIGN)
            return 0;
    }
    stacks->at = size;
    stacks->number = lines->number;
    return lines->is_stopped ? -2 : 0;
}

void sg_thread_stacks_free(struct sg_thread_stacks *stacks) {
    sg_address_numbers_free(&stacks->calls);
    sg_release(&stacks->call);
    sg_release(&stacks->call_end);
    sg_release(&stacks->count);
    sg_release(&stacks->address);
}
