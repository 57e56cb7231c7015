/* Multikey quicksort, as Bentley and Sedgewick describe it for strings. A segment is a range of
 * stacks whose frames are equal down to its depth. The key of each stack, its next two frames, is
 * compared with a pivot's key, and the segment is split into three:
 *
 *     low           less          greater        high
 *      │ key < pivot │ key = pivot │ key > pivot │
 *      │ same depth  │  depth + 2  │ same depth  │
 *
 * Segments are sorted independently, so threads take them from one list. If nearly all stacks begin
 * with the same frames, one thread sorts the first, large segments alone. */
#include "stack_sort.h"

#include <pthread.h>
#include <stdatomic.h>

#include "column.h"
#include "worker_threads.h"

enum { NO_MEMORY = -2, STOPPED = -3 };
enum {
    SMALL = 12,               /* insertion sort is faster for up to so many stacks */
    PROGRESS_ITEMS = 1 << 18, /* stacks between two reports of progress */
    SHARED_ITEMS = 1 << 15,   /* smaller segments are not given to another thread */
};

struct segment {
    size_t low, high;
    int64_t depth;
};

/* Compare two stacks whose keys are those of `depth`. */
static int compare(const struct sg_stack_source *source, const struct sg_stack_entry *a,
                   const struct sg_stack_entry *b, int64_t depth) {
    uint64_t key_a = a->key, key_b = b->key;
    while (key_a == key_b && (uint32_t)key_a) {
        depth += 2;
        key_a = sg_stack_sort_key(source, a->stack, depth);
        key_b = sg_stack_sort_key(source, b->stack, depth);
    }
    return (key_a > key_b) - (key_a < key_b);
}

static void sort_small(const struct sg_stack_source *source, struct sg_stack_entry *entries,
                       size_t n, int64_t depth) {
    for (size_t i = 1; i < n; i++) {
        struct sg_stack_entry entry = entries[i];
        size_t at = i;
        for (; at > 0 && compare(source, &entry, &entries[at - 1], depth) < 0; at--)
            entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

static uint64_t choose_pivot(const struct sg_stack_entry *entries, size_t n, uint64_t *random) {
    uint64_t keys[3];
    for (int i = 0; i < 3; i++) {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        keys[i] = entries[*random % n].key;
    }
    uint64_t low = keys[0] < keys[1] ? keys[0] : keys[1];
    uint64_t high = keys[0] < keys[1] ? keys[1] : keys[0];
    return keys[2] < low ? low : keys[2] > high ? high : keys[2];
}

static int push_segment(struct sg_vector *todo, size_t low, size_t high, int64_t depth) {
    if (high - low < 2)
        return 0;
    if (sg_reserve(todo, 1, sizeof(struct segment)) < 0)
        return -1;
    ((struct segment *)(void *)todo->data)[todo->n++] = (struct segment){low, high, depth};
    return 0;
}

static void load_keys(const struct sg_stack_source *source, struct sg_stack_entry *entries,
                      size_t n, int64_t depth) {
    for (size_t i = 0; i < n; i++) {
        if (i + SG_STARTS_AHEAD < n)
            sg_stack_sort_fetch_start(source, entries[i + SG_STARTS_AHEAD].stack);
        if (i + SG_FRAMES_AHEAD < n)
            sg_stack_sort_fetch_frames(source, entries[i + SG_FRAMES_AHEAD].stack, depth);
        entries[i].key = sg_stack_sort_key(source, entries[i].stack, depth);
    }
}

/* Partition a segment by key, or sort it if it is small. The equal part gets the next two frames as
 * keys. In whatever order its stacks end, each of them has the frames down to the new depth in
 * common with the one before it, so `common` can be set now, by place. Returns 0, or NO_MEMORY. */
static int sort_segment(const struct sg_stack_source *source, struct sg_stack_entry *entries,
                        uint32_t *common, struct segment segment, struct sg_vector *todo,
                        uint64_t *random) {
    size_t low = segment.low, high = segment.high;
    if (high - low <= SMALL) {
        sort_small(source, entries + low, high - low, segment.depth);
        return 0;
    }
    uint64_t pivot = choose_pivot(entries + low, high - low, random);
    size_t less = low, greater = high;
    for (size_t i = low; i < greater;) {
        struct sg_stack_entry entry = entries[i];
        if (entry.key < pivot) {
            entries[i++] = entries[less];
            entries[less++] = entry;
        } else if (entry.key > pivot) {
            entries[i] = entries[--greater];
            entries[greater] = entry;
        } else {
            i++;
        }
    }
    int64_t depth = segment.depth + 2;
    int has_more = (uint32_t)pivot != 0; /* else all stacks of the equal part end here */
    if (has_more)
        load_keys(source, entries + less, greater - less, depth);
    for (size_t i = less + 1; i < greater; i++)
        common[i] = (uint32_t)depth;
    if (push_segment(todo, greater, high, segment.depth) < 0 ||
        (has_more && push_segment(todo, less, greater, depth) < 0) ||
        push_segment(todo, low, less, segment.depth) < 0)
        return NO_MEMORY;
    return 0;
}

/* State that the threads share. */
struct work {
    const struct sg_stack_source *source;
    struct sg_stack_entry *entries;
    uint32_t *common;
    size_t n;
    pthread_mutex_t lock;   /* guards `todo` and `n_busy` */
    pthread_cond_t changed; /* signals changes of `todo`, `n_busy` and `result` */
    struct sg_vector todo;  /* segments that no thread has taken */
    int n_busy;             /* threads that sort a segment */
    atomic_size_t n_done;   /* entries in their final place */
    atomic_int result;
};

/* Move large segments from a thread's own list to the shared one. Returns 0, or NO_MEMORY. */
static int share_segments(struct work *work, struct sg_vector *own) {
    struct segment *segments = (struct segment *)(void *)own->data;
    size_t n_kept = 0;
    int result = 0;
    pthread_mutex_lock(&work->lock);
    for (size_t i = 0; i < own->n && result == 0; i++) {
        struct segment segment = segments[i];
        if (segment.high - segment.low < SHARED_ITEMS)
            segments[n_kept++] = segment;
        else if (push_segment(&work->todo, segment.low, segment.high, segment.depth) < 0)
            result = NO_MEMORY;
    }
    own->n = n_kept;
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->lock);
    return result;
}

/* Sort a segment and the segments that it is split into, except those moved to the shared list.
 * `progress` is NULL in a worker thread. Returns 0, NO_MEMORY or STOPPED. */
static int sort_segments(struct work *work, struct segment first, struct sg_vector *own,
                         uint64_t *random, struct sg_progress *progress, double share) {
    size_t n_done = 0, n_passed = 0;
    own->n = 0;
    int result = push_segment(own, first.low, first.high, first.depth) < 0 ? NO_MEMORY : 0;
    while (result == 0 && own->n && atomic_load(&work->result) == 0) {
        struct segment segment = ((struct segment *)(void *)own->data)[--own->n];
        size_t size = segment.high - segment.low, n_before = own->n;
        result = sort_segment(work->source, work->entries, work->common, segment, own, random);
        n_passed += size;
        n_done += size;
        for (size_t i = n_before; i < own->n; i++) {
            const struct segment *left = (struct segment *)(void *)own->data + i;
            n_done -= left->high - left->low;
        }
        if (result == 0 && size >= SHARED_ITEMS)
            result = share_segments(work, own);
        if (result == 0 && progress && n_passed >= PROGRESS_ITEMS) {
            n_passed = 0;
            double done = (double)(atomic_load(&work->n_done) + n_done) / (double)work->n;
            result = sg_progress_report(progress, share * done) < 0 ? STOPPED : 0;
        }
    }
    atomic_fetch_add(&work->n_done, n_done);
    return result;
}

/* Sort segments until none is left in the shared list and no thread is busy. */
static void take_segments(struct work *work, struct sg_progress *progress, double share) {
    struct sg_vector own = {0};
    uint64_t random = 0x9E3779B97F4A7C15u ^ (uint64_t)(uintptr_t)&own;
    pthread_mutex_lock(&work->lock);
    for (;;) {
        while (work->todo.n == 0 && work->n_busy && atomic_load(&work->result) == 0)
            pthread_cond_wait(&work->changed, &work->lock);
        if (work->todo.n == 0 || atomic_load(&work->result) < 0)
            break;
        struct segment segment = ((struct segment *)(void *)work->todo.data)[--work->todo.n];
        work->n_busy++;
        pthread_mutex_unlock(&work->lock);
        int result = sort_segments(work, segment, &own, &random, progress, share);
        pthread_mutex_lock(&work->lock);
        work->n_busy--;
        if (result < 0)
            atomic_store(&work->result, result);
        if (work->n_busy == 0 || result < 0)
            pthread_cond_broadcast(&work->changed);
    }
    pthread_mutex_unlock(&work->lock);
    sg_release(&own);
}

static void *help(void *work) {
    take_segments(work, NULL, 0);
    return NULL;
}

int sg_stack_sort(const struct sg_stack_source *source, struct sg_stack_entry *entries,
                  uint32_t *common, size_t n, struct sg_progress *progress, double share) {
    struct work work = {.source = source, .entries = entries, .common = common, .n = n};
    struct sg_worker_threads workers = {.n = 0};
    if (push_segment(&work.todo, 0, n, 0) < 0)
        return NO_MEMORY;
    pthread_mutex_init(&work.lock, NULL);
    pthread_cond_init(&work.changed, NULL);
    if (n >= 4 * SHARED_ITEMS)
        sg_worker_threads_start(&workers, help, &work);
    take_segments(&work, progress, share);
    sg_worker_threads_join(&workers);
    pthread_cond_destroy(&work.changed);
    pthread_mutex_destroy(&work.lock);
    sg_release(&work.todo);
    return work.result;
}
