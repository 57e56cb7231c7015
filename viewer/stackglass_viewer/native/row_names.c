/* Each row is read twice. The first pass finds the calls that its comments name, the second the
 * calls that are left without a name. */
#include <stdlib.h>
#include <string.h>

#include "row_names.h"

/* Arrays by call. A row is given by its mark, its position + 1; 0 = no row. Since marks differ from
 * row to row, the arrays need not be cleared between rows. */
struct marks {
    int64_t *in_row; /* the last row that the call was in */
    int64_t *named;  /* the last row that named it */
    int64_t *first;  /* the first row that named it */
};

/* Return 0 if `end` ascends to `n`, else -1. */
static int check_ends(const int64_t *end, size_t n_rows, size_t n) {
    int64_t before = 0;
    for (size_t i = 0; i < n_rows; i++) {
        if (end[i] < before)
            return -1;
        before = end[i];
    }
    return before == (int64_t)n ? 0 : -1;
}

/* Return 0 if all numbers are in [least, end), else -1. */
static int check_numbers(const int32_t *number, size_t n, int32_t least, size_t end) {
    for (size_t i = 0; i < n; i++)
        if (number[i] < least || (number[i] >= 0 && (size_t)number[i] >= end))
            return -1;
    return 0;
}

int sg_row_names_check(const struct sg_named_rows *rows, size_t n_in_rows, size_t n_comments) {
    if (check_ends(rows->call_end, rows->n_rows, n_in_rows) < 0 ||
        check_ends(rows->comment_end, rows->n_rows, n_comments) < 0 ||
        check_numbers(rows->call, n_in_rows, 0, rows->n_calls) < 0 ||
        check_numbers(rows->comment, n_comments, 0, rows->n_comments) < 0 ||
        check_numbers(rows->own, rows->n_comments, -1, rows->n_calls) < 0)
        return -1;
    for (size_t i = 0; i < rows->n_comments; i++)
        if ((rows->own[i] < 0) != (rows->before[i] < 0))
            return -1;
    return check_numbers(rows->before, rows->n_comments, -1, rows->n_calls);
}

/* First pass: find the calls that the row's comments name. Returns the number of comments that name
 * a call; -1 = memory is short. */
static int64_t read_comments(const struct sg_named_rows *rows, struct sg_row_names *names,
                             struct marks *marks, int64_t mark, int64_t begin, int64_t end) {
    int64_t n = 0;
    for (int64_t i = begin; i < end; i++) {
        int32_t comment = rows->comment[i];
        if (rows->own[comment] < 0)
            continue;
        int32_t own = rows->own[comment];
        int32_t call = marks->in_row[own] == mark ? own : rows->before[comment];
        marks->named[call] = mark;
        if (!marks->first[call])
            marks->first[call] = mark;
        if (marks->first[call] == mark &&
            (sg_push_i32(&names->call, call) < 0 || sg_push_i32(&names->comment, comment) < 0))
            return -1;
        n++;
    }
    return n;
}

/* Second pass: count the calls that get their names from this row, and mark hidden calls and a root
 * to be left out. */
static void mark_calls(const struct sg_named_rows *rows, struct sg_row_names *names,
                       const struct marks *marks, int64_t mark, int64_t begin, int64_t end) {
    int32_t *n_times = sg_i32(&names->n_times), *is_hidden = sg_i32(&names->is_hidden);
    int is_below = 0;
    for (int64_t i = begin; i < end; i++) {
        int32_t call = rows->call[i];
        is_below |= marks->named[call] == mark;
        if (!is_below)
            is_hidden[call] = 1;
        if (marks->first[call] == mark)
            n_times[call]++;
    }
    if (end - begin > 1 && marks->named[rows->call[end - 1]] != mark &&
        marks->named[rows->call[end - 2]] == mark)
        names->is_kept.data[end - 1] = 0;
}

static int find(const struct sg_named_rows *rows, struct sg_row_names *names, struct marks *marks) {
    int64_t call = 0, comment = 0;
    for (size_t row = 0; row < rows->n_rows; row++) {
        int64_t mark = (int64_t)row + 1;
        int64_t call_end = rows->call_end[row], comment_end = rows->comment_end[row];
        for (int64_t i = call; i < call_end; i++)
            marks->in_row[rows->call[i]] = mark;
        int64_t n = read_comments(rows, names, marks, mark, comment, comment_end);
        if (n < 0)
            return -1;
        if (n)
            mark_calls(rows, names, marks, mark, call, call_end);
        call = call_end;
        comment = comment_end;
    }
    return 0;
}

int sg_row_names_find(const struct sg_named_rows *rows, struct sg_row_names *names) {
    *names = (struct sg_row_names){0};
    size_t n_calls = rows->n_calls;
    size_t n_in_rows = rows->n_rows ? (size_t)rows->call_end[rows->n_rows - 1] : 0;
    struct marks marks = {calloc(n_calls + 1, sizeof(int64_t)),
                          calloc(n_calls + 1, sizeof(int64_t)),
                          calloc(n_calls + 1, sizeof(int64_t))};
    int result = -1;
    if (marks.in_row && marks.named && marks.first &&
        sg_reserve(&names->n_times, n_calls, sizeof(int32_t)) == 0 &&
        sg_reserve(&names->is_hidden, n_calls, sizeof(int32_t)) == 0 &&
        sg_reserve(&names->is_kept, n_in_rows, 1) == 0) {
        if (n_calls) {
            memset(names->n_times.data, 0, n_calls * sizeof(int32_t));
            memset(names->is_hidden.data, 0, n_calls * sizeof(int32_t));
        }
        if (n_in_rows)
            memset(names->is_kept.data, 1, n_in_rows);
        names->n_times.n = names->is_hidden.n = n_calls;
        names->is_kept.n = n_in_rows;
        result = find(rows, names, &marks);
    }
    free(marks.in_row);
    free(marks.named);
    free(marks.first);
    return result;
}

void sg_row_names_free(struct sg_row_names *names) {
    sg_release(&names->call);
    sg_release(&names->comment);
    sg_release(&names->n_times);
    sg_release(&names->is_hidden);
    sg_release(&names->is_kept);
}
