/* A head is parsed word by word. For the pattern's `.*?`, each word that may be the thread's number
 * is tried in turn. The words after it need no backtracking: each can be only one of the pattern's
 * groups, except that a time is taken as the event if no event follows it. */
#include "perf_head.h"

enum {
    MOST_SECONDS_DIGITS = 9,
    N_FRACTION_DIGITS = 9,
    MOST_PERIOD_DIGITS = 19,
    FEWEST_FLAGS = 4,
    MOST_FLAGS = 8,
};

enum answer { IS_HEAD, IS_NONE, TRY_NEXT }; /* TRY_NEXT: with the next possible thread number */

/* Return the next word after `at`; it is empty at the end of the line. */
static struct sg_range find_word(const unsigned char *text, size_t at, size_t end) {
    while (at < end && sg_is_space(text[at]))
        at++;
    struct sg_range word = {at, at};
    while (word.end < end && !sg_is_space(text[word.end]))
        word.end++;
    return word;
}

/* Return the end of the digits that begin at `at`. */
static size_t skip_digits(const unsigned char *text, size_t at, size_t end) {
    while (at < end && sg_is_digit(text[at]))
        at++;
    return at;
}

/* Whether a word is a thread, `4712` or `4711/4712`. perf prints -1 for events of no thread. */
static int is_thread(const unsigned char *text, struct sg_range word) {
    size_t digits = skip_digits(text, word.begin, word.end);
    size_t number = word.begin;
    if (digits > word.begin && digits < word.end && text[digits] == '/')
        number = digits + 1;
    if (number < word.end && text[number] == '-')
        number++;
    return number < word.end && skip_digits(text, number, word.end) == word.end;
}

/* Whether a word is a processor, `[003]`. */
static int is_processor(const unsigned char *text, struct sg_range word) {
    size_t n = word.end - word.begin;
    return n >= 3 && text[word.begin] == '[' && text[word.end - 1] == ']' &&
           skip_digits(text, word.begin + 1, word.end) == word.end - 1;
}

/* Whether a word is the flags of a tracepoint, `d..1.`. */
static int is_flags(const unsigned char *text, struct sg_range word) {
    size_t n = word.end - word.begin;
    if (n < FEWEST_FLAGS || n > MOST_FLAGS || skip_digits(text, word.begin, word.end) == word.end)
        return 0;
    for (size_t at = word.begin; at < word.end; at++) {
        unsigned char letter = text[at], lower = letter | 0x20;
        if (!sg_is_digit(letter) && !(lower >= 'a' && lower <= 'z') && letter != '_' &&
            letter != '.')
            return 0;
    }
    return 1;
}

static uint64_t read_digits(const unsigned char *text, size_t begin, size_t end) {
    uint64_t number = 0;
    for (size_t at = begin; at < end; at++)
        number = number * 10 + (text[at] - '0');
    return number;
}

/* Read a time in seconds, `2530.900039:`. Returns ns, or -1 if the word is not a time. */
static int64_t read_time_ns(const unsigned char *text, struct sg_range word) {
    size_t point = skip_digits(text, word.begin, word.end);
    if (point == word.begin || point - word.begin > MOST_SECONDS_DIGITS || point == word.end ||
        text[point] != '.')
        return -1;
    size_t colon = skip_digits(text, point + 1, word.end);
    size_t n_digits = colon - point - 1;
    if (n_digits < 1 || n_digits > N_FRACTION_DIGITS || colon + 1 != word.end || text[colon] != ':')
        return -1;
    uint64_t fraction = read_digits(text, point + 1, colon);
    for (; n_digits < N_FRACTION_DIGITS; n_digits++)
        fraction *= 10;
    return (int64_t)(read_digits(text, word.begin, point) * 1000000000u + fraction);
}

/* Take the word `event`, which ends with a colon, as the event, and the rest of the line, up to
 * `line_end`, as text. */
static enum answer end_head(const unsigned char *text, struct sg_range event, size_t line_end,
                            struct sg_perf_head *head) {
    struct sg_perf_frame frame;
    head->event = (struct sg_range){event.begin, event.end - 1};
    head->text = sg_strip(text, (struct sg_range){event.end, line_end});
    return head->time_ns >= 0 || head->text.begin == head->text.end ||
                   sg_perf_frame_split(text, head->text, &frame)
               ? IS_HEAD
               : IS_NONE;
}

/* Read the words after the thread's number, which ends at `at`. White space must follow each word
 * before the event. The event must end by `end`. */
static enum answer read_rest(const unsigned char *text, size_t at, size_t end, size_t line_end,
                             struct sg_perf_head *head) {
    struct sg_range word = find_word(text, at, end), time = {0, 0};
    if (word.end < end && is_processor(text, word))
        word = find_word(text, word.end, end);
    if (word.end < end && is_flags(text, word))
        word = find_word(text, word.end, end);
    head->time_ns = word.end < end ? read_time_ns(text, word) : -1;
    if (head->time_ns >= 0) {
        time = word;
        word = find_word(text, word.end, end);
    }
    head->period = 0;
    head->has_period = word.end < end && word.end > word.begin &&
                       word.end - word.begin <= MOST_PERIOD_DIGITS &&
                       skip_digits(text, word.begin, word.end) == word.end;
    if (head->has_period) {
        head->period = read_digits(text, word.begin, word.end);
        word = find_word(text, word.end, end);
    }
    int is_whole = word.end < end || end == line_end || sg_is_space(text[end]);
    if (is_whole && word.end - word.begin >= 2 && text[word.end - 1] == ':')
        return end_head(text, word, line_end, head);
    if (head->time_ns < 0)
        return TRY_NEXT;
    head->time_ns = -1;
    head->has_period = 0;
    return end_head(text, time, line_end, head);
}

int sg_perf_head_read(const unsigned char *text, struct sg_range line, struct sg_perf_head *head) {
    size_t end = line.end;
    if (end - line.begin > SG_PERF_HEAD_BYTES)
        end = line.begin + SG_PERF_HEAD_BYTES;
    struct sg_range word = find_word(text, line.begin, end);
    size_t begin = word.begin;
    for (;;) {
        word = find_word(text, word.end, end);
        if (word.end == end) /* an event must follow the thread */
            return 0;
        if (!is_thread(text, word))
            continue;
        head->thread = (struct sg_range){begin, word.end};
        enum answer answer = read_rest(text, word.end, end, line.end, head);
        if (answer != TRY_NEXT)
            return answer == IS_HEAD;
    }
}
