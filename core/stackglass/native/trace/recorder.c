/* Writes rows, and omits what the lane's last row said:
 *
 *     thread   a mark before the event if it is another thread
 *     time     a mark every 64 events and before each allocation outside pools; timed rows have it
 *     stack    │ frames kept, from the root │ new frames │; none if it is the last row's stack
 *
 *     begin: marks ──▶ read the stack: how many words? ──▶ reserve ──▶ fill ──▶ publish
 *
 * The reader sees only whole rows. If there is no room for a row its event is lost, and the lane
 * notes that: the next row then repeats thread, time and stack, since the reader cannot know what
 * the lost row changed. */
#include "trace/recorder.h"

#include "frames/pseudo_frames.h"
#include "frames/stack_depth.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"
#include "platform/time.h"

enum {
    EVENTS_A_STAMP = 64,
    MOST_POOLED = 512, /* largest block in a pool; larger blocks come from the C library */
    MARK_WORDS = 3,
};
/* A stack takes two words more than its steps: see read_stack. */
_Static_assert(SG_ROW_MOST_WORDS + 2 + SG_STACK_MEMO_STEPS(SG_STACK_DEPTH_MOST) <=
                   SG_MOST_RESERVED_WORDS,
               "the longest row fits into a buffer");
static const uintptr_t NO_STATE = 1; /* value of stack_of for a thread without a thread state */

/* sg_trace_recorder_prepare writes them; then constant. */
static int64_t start_ns;
static bool is_pymalloc;

void sg_trace_recorder_prepare(int64_t start_mono_ns, bool has_pymalloc) {
    start_ns = start_mono_ns;
    is_pymalloc = has_pymalloc;
}

int64_t sg_trace_recorder_now_ns(void) { return sg_time_mono_ns() - start_ns; }

/* ---- What precedes a row ---- */

static bool put_thread(struct sg_trace_lane *lane, uintptr_t self) {
    uint64_t *words = sg_trace_lanes_reserve(lane, MARK_WORDS);
    if (!words)
        return false;
    lane->tid = sg_thread_ids_own();
    words[0] = sg_row_head(SG_ROW_MARK, SG_MARK_THREAD, (uint32_t)lane->tid);
    words[1] = sg_row_moment(sg_trace_recorder_now_ns(), 0);
    words[2] = self;
    sg_trace_lanes_publish(lane, MARK_WORDS);
    lane->thread = self;
    lane->stack_of = 0;
    lane->to_stamp = EVENTS_A_STAMP;
    return true;
}

/* Return whether the calling thread also recorded the last event. Makes no system call. */
static inline bool is_same_thread(const struct sg_trace_lane *lane, uintptr_t self) {
    int32_t offset = sg_thread_ids_offset();
    return lane->thread == self &&
           (!offset || sg_memory_load_int(self + (uintptr_t)offset) == lane->tid);
}

static bool put_stamp(struct sg_trace_lane *lane) {
    uint64_t *words = sg_trace_lanes_reserve(lane, 2);
    if (!words)
        return false;
    words[0] = sg_row_head(SG_ROW_MARK, SG_MARK_TIME, 0);
    words[1] = sg_row_moment(sg_trace_recorder_now_ns(), 0);
    sg_trace_lanes_publish(lane, 2);
    lane->to_stamp = EVENTS_A_STAMP;
    return true;
}

static inline bool begin(struct sg_trace_lane *lane) {
    uintptr_t self = sg_thread_ids_self();
    if (__builtin_expect(!is_same_thread(lane, self), 0))
        return put_thread(lane, self);
    return --lane->to_stamp || put_stamp(lane);
}

/* Begin the row of an allocation. Another thread may free or allocate a block outside pools without
 * this GIL, so its time is exact. */
static inline bool begin_alloc(struct sg_trace_lane *lane, size_t size) {
    bool is_pooled = is_pymalloc && size - 1 < MOST_POOLED;
    if (__builtin_expect(!is_pooled, 0) && lane->thread == sg_thread_ids_self())
        lane->to_stamp = 1;
    return begin(lane);
}

/* Begin a row in a thread's own lane, where each row has its time. */
static inline bool begin_timed(struct sg_trace_lane *lane) {
    uintptr_t self = sg_thread_ids_self();
    return __builtin_expect(is_same_thread(lane, self), 1) || put_thread(lane, self);
}

/* ---- Stacks ---- */

/* Read the stack. Returns how many words the row needs for it; 0 = it is the last row's stack. */
static inline uint32_t read_stack(struct sg_trace_lane *lane, const void *state, uint32_t *n_same) {
    uintptr_t of = state ? (uintptr_t)state : NO_STATE;
    struct sg_stack_memo *memo = &lane->memo;
    bool is_known = lane->stack_of == of;
    if (!is_known)
        sg_stack_memo_forget(memo);
    lane->stack_of = of;
    *n_same = 0;
    if (!state)
        return is_known ? 0 : 2;
    uint32_t n_before = memo->n_known;
    *n_same = sg_stack_memo_read(memo, state);
    if (is_known && *n_same == n_before && *n_same == memo->n_known)
        return 0;
    return 2 + memo->n_known - *n_same;
}

static uint64_t pseudo_frame(sg_code_id id) { return sg_row_frame((struct sg_frame){id, -1}); }

/* Write the stack that was read. Returns the number of words. */
static uint32_t put_stack(struct sg_trace_lane *lane, uint64_t *words, uint32_t n_same) {
    struct sg_stack_memo *memo = &lane->memo;
    uint32_t n_kept = n_same ? memo->known[n_same - 1].value : 0, n = 0;
    if (!n_same && memo->is_cut && memo->n_known)
        words[++n] = pseudo_frame(SG_TRUNCATED);
    for (uint32_t i = n_same; i < memo->n_known; i++) {
        struct sg_frame frame;
        if (sg_stack_memo_look(&memo->known[i], &frame) == SG_STEP_IS_FRAME)
            words[++n] = sg_row_frame(frame);
        memo->known[i].value = n_kept + n;
    }
    if (!n_kept && !n) /* the interpreter runs, before the thread's first Python function */
        words[++n] = pseudo_frame(lane->stack_of == NO_STATE ? SG_NO_PYTHON_THREAD : SG_NATIVE);
    words[0] = (uint64_t)n << SG_ROW_NEW_FRAMES_SHIFT | n_kept;
    return n + 1;
}

/* ---- Rows ---- */

/* Reserve room for a row whose begin succeeded (`is_begun`). Returns NULL if the event is lost, and
 * counts it. */
static inline uint64_t *reserve(struct sg_trace_lane *lane, bool is_begun,
                                enum sg_trace_domain domain, uint32_t n) {
    uint64_t *words = is_begun ? sg_trace_lanes_reserve(lane, n) : NULL;
    if (!words)
        sg_trace_lanes_lose(lane, domain);
    return words;
}

/* Write the head of a row with a number, and a word for a long number. Returns the number of
 * words. */
static inline uint32_t put_head(uint64_t *words, enum sg_row_kind kind, const void *block,
                                uint64_t number) {
    bool is_long = number >= SG_ROW_LONG;
    words[0] = sg_row_head(kind, is_long ? SG_ROW_LONG : number, (uintptr_t)block);
    if (is_long)
        words[1] = number;
    return 1 + is_long;
}

void sg_trace_recorder_alloc(struct sg_trace_lane *lane, const void *state,
                             enum sg_allocator_domain domain, const void *block, size_t size) {
    uint32_t n_same, n = 0;
    bool is_begun = begin_alloc(lane, size);
    uint32_t n_stack = is_begun ? read_stack(lane, state, &n_same) : 0;
    uint64_t *words = reserve(lane, is_begun, (enum sg_trace_domain)domain, 2 + n_stack);
    if (!words)
        return;
    if (n_stack) {
        n = put_head(words, (enum sg_row_kind)(SG_ROW_CALL_MEM + domain), block, size);
        n += put_stack(lane, words + n, n_same);
    } else {
        n = put_head(words, (enum sg_row_kind)(SG_ROW_ALLOC_MEM + domain), block, size);
    }
    sg_trace_lanes_publish(lane, n);
}

void sg_trace_recorder_free(struct sg_trace_lane *lane, enum sg_allocator_domain domain,
                            const void *block, uint32_t type) {
    uint64_t *words = reserve(lane, begin(lane), (enum sg_trace_domain)domain, 2);
    if (!words)
        return;
    unsigned kind = lane->collector == lane->thread ? SG_ROW_COLLECTED_MEM : SG_ROW_FREE_MEM;
    sg_trace_lanes_publish(lane, put_head(words, (enum sg_row_kind)(kind + domain), block, type));
}

void sg_trace_recorder_realloc(struct sg_trace_lane *lane, enum sg_allocator_domain domain,
                               const void *block) {
    uint64_t *words = reserve(lane, begin(lane), (enum sg_trace_domain)domain, 1);
    if (!words)
        return;
    words[0] = sg_row_head(SG_ROW_REALLOC, domain, (uintptr_t)block);
    sg_trace_lanes_publish(lane, 1);
}

void sg_trace_recorder_realloced(struct sg_trace_lane *lane, const void *state,
                                 enum sg_allocator_domain domain, const void *moved, size_t size) {
    uint32_t n_same, n = 0;
    bool is_begun = begin_alloc(lane, size);
    uint32_t n_stack = is_begun ? read_stack(lane, state, &n_same) : 0;
    uint64_t *words = reserve(lane, is_begun, (enum sg_trace_domain)domain, 3 + n_stack);
    if (!words)
        return;
    n = put_head(words, (enum sg_row_kind)(SG_ROW_REALLOCED_MEM + domain), moved, size);
    if (n_stack)
        n += put_stack(lane, words + n, n_same);
    else
        words[n++] = UINT16_MAX; /* all frames are kept */
    sg_trace_lanes_publish(lane, n);
}

static void put_timed(struct sg_trace_lane *lane, enum sg_row_kind kind, const void *state,
                      enum sg_trace_domain domain, const void *block, size_t size) {
    uint32_t n_same;
    bool is_begun = begin_timed(lane);
    uint32_t n_stack = is_begun ? read_stack(lane, state, &n_same) : 0;
    uint64_t *words = reserve(lane, is_begun, domain, SG_ROW_MOST_WORDS + n_stack);
    if (!words)
        return;
    bool is_long = size >= SG_ROW_LONG;
    uint32_t n = 2;
    words[0] = sg_row_head(kind, is_long ? SG_ROW_LONG : size, (uintptr_t)block);
    words[1] = sg_row_moment(sg_trace_recorder_now_ns(), domain);
    if (is_long)
        words[n++] = size;
    if (n_stack)
        n += put_stack(lane, words + n, n_same);
    else
        words[n++] = UINT16_MAX;
    sg_trace_lanes_publish(lane, n);
}

void sg_trace_recorder_timed_alloc(struct sg_trace_lane *lane, const void *state,
                                   enum sg_trace_domain domain, const void *block, size_t size) {
    put_timed(lane, SG_ROW_TIMED_ALLOC, state, domain, block, size);
}

void sg_trace_recorder_timed_realloced(struct sg_trace_lane *lane, const void *state,
                                       enum sg_trace_domain domain, const void *moved,
                                       size_t size) {
    put_timed(lane, SG_ROW_TIMED_REALLOCED, state, domain, moved, size);
}

void sg_trace_recorder_timed_free(struct sg_trace_lane *lane, enum sg_trace_domain domain,
                                  const void *block, bool is_realloc) {
    uint64_t *words = reserve(lane, begin_timed(lane), domain, 2);
    if (!words)
        return;
    words[0] = sg_row_head(SG_ROW_TIMED_FREE, is_realloc, (uintptr_t)block);
    words[1] = sg_row_moment(sg_trace_recorder_now_ns(), domain);
    sg_trace_lanes_publish(lane, 2);
}

void sg_trace_recorder_mark(struct sg_trace_lane *lane, enum sg_row_mark mark,
                            enum sg_trace_domain domain, uint64_t address, uint64_t word) {
    uint64_t *words = reserve(lane, begin_timed(lane), domain, MARK_WORDS);
    if (!words)
        return;
    words[0] = sg_row_head(SG_ROW_MARK, mark, address);
    words[1] = sg_row_moment(sg_trace_recorder_now_ns(), domain);
    words[2] = word;
    sg_trace_lanes_publish(lane, MARK_WORDS);
}

void sg_trace_recorder_span(struct sg_trace_lane *lane, const void *state,
                            enum sg_trace_domain domain, const void *start, size_t size) {
    uint32_t n_same;
    bool is_begun = begin_timed(lane);
    uint32_t n_stack = is_begun ? read_stack(lane, state, &n_same) : 0;
    uint64_t *words = reserve(lane, is_begun, domain, MARK_WORDS + 1 + n_stack);
    if (!words)
        return;
    uint32_t n = MARK_WORDS;
    words[0] = sg_row_head(SG_ROW_MARK, SG_MARK_SPAN_ALLOC, (uintptr_t)start);
    words[1] = sg_row_moment(sg_trace_recorder_now_ns(), domain);
    words[2] = size;
    if (n_stack)
        n += put_stack(lane, words + n, n_same);
    else
        words[n++] = UINT16_MAX;
    sg_trace_lanes_publish(lane, n);
}
