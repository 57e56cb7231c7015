/* Three lock-free structures:
 *
 *     pool of buffers   a Treiber stack; its head has a counter, against ABA
 *     a lane            a list of buffers: one thread writes, the reader reads what is published
 *     threads' lanes    open addressing by pthread_t; taken by compare-and-swap on `owner`
 *
 * The reader frees the lane of a thread that has ended. At that moment a new thread with the same
 * pthread_t may enter the lane. Each side stores first and then loads, sequentially consistent, so
 * at least one of the two sees the other:
 *
 *     thread   is_busy = true     then: am I still the owner?   no: leave
 *     reader   owner = CLOSING    then: is it busy?             yes: restore the owner
 *
 * A freed lane keeps its buffer, and the reader keeps its place: the rows of the lane's next owner
 * follow there. */
#include "trace/lanes.h"

#include <string.h>

#include "platform/memory.h"
#include "platform/thread_ids.h"

enum { N_THREAD_LANES = SG_N_LANES - SG_N_GIL_LANES, N_PROBES = 64 };
static const uintptr_t CLOSING = 1; /* owner of a lane that is being freed; not a valid pthread_t */

struct sg_trace_lane sg_trace_lanes[SG_N_LANES];
static _Atomic uint64_t n_without_lane[SG_TRACE_N_DOMAINS]; /* lock-free */
static struct sg_trace_buffer *buffers;                     /* (n_buffers,) */
static uint32_t n_buffers;
/* Memory for the steps of all lanes' stack memos, two lists for each lane: known and fresh. */
static struct sg_stack_step *steps;
static size_t steps_bytes;

/* Head of the list of free buffers: │ counter: 32 │ index + 1: 32 │. The counter makes each head
 * differ from earlier ones with the same index. Lock-free. */
static _Atomic uint64_t free_head;
static _Atomic uint32_t n_free;

static struct sg_trace_buffer *buffer_at(uint64_t head) {
    uint32_t index = (uint32_t)head;
    return index ? &buffers[index - 1] : NULL;
}

static void push(struct sg_trace_buffer *buffer) {
    uint64_t head = atomic_load(&free_head), next;
    do {
        atomic_store_explicit(&buffer->next, buffer_at(head), memory_order_relaxed);
        next = ((head >> 32) + 1) << 32 | (uint64_t)(buffer - buffers + 1);
    } while (!atomic_compare_exchange_weak(&free_head, &head, next));
    atomic_fetch_add(&n_free, 1);
}

static struct sg_trace_buffer *pop(void) {
    uint64_t head = atomic_load(&free_head), next;
    struct sg_trace_buffer *buffer;
    do {
        buffer = buffer_at(head);
        if (!buffer)
            return NULL;
        /* If another thread takes the buffer and changes `next`, the head changes too, and the
         * exchange fails. */
        const struct sg_trace_buffer *below =
            atomic_load_explicit(&buffer->next, memory_order_relaxed);
        next = ((head >> 32) + 1) << 32 | (uint64_t)(below ? below - buffers + 1 : 0);
    } while (!atomic_compare_exchange_weak(&free_head, &head, next));
    atomic_fetch_sub(&n_free, 1);
    atomic_store_explicit(&buffer->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&buffer->n_words, 0, memory_order_relaxed);
    return buffer;
}

/* Reset all fields except `is_busy`, which a late thread may hold and will clear. */
static void reset(struct sg_trace_lane *lane) {
    atomic_store(&lane->owner, 0);
    lane->buffer = NULL;
    lane->n_words = lane->to_stamp = 0;
    lane->thread = lane->inside = lane->collector = lane->gil = lane->stack_of = 0;
    memset(lane->n_lost, 0, sizeof lane->n_lost);
    lane->is_losing = false;
    atomic_store(&lane->first, NULL);
    atomic_store(&lane->n_lost_ever, 0);
}

int sg_trace_lanes_prepare(uint32_t depth) {
    size_t steps_each = SG_STACK_MEMO_STEPS(depth);
    _Static_assert(sizeof(struct sg_trace_buffer) == SG_BUFFER_BYTES, "size of a buffer");
    steps_bytes = SG_N_LANES * 2 * steps_each * sizeof *steps;
    for (n_buffers = SG_MOST_BUFFERS; n_buffers >= SG_LEAST_BUFFERS; n_buffers /= 2)
        if ((buffers = sg_memory_map(n_buffers * sizeof *buffers)))
            break; /* with little address space, fewer buffers */
    steps = sg_memory_map(steps_bytes);
    if (!buffers || !steps) {
        sg_trace_lanes_discard();
        return -1;
    }
    for (size_t i = 0; i < SG_N_LANES; i++) {
        reset(&sg_trace_lanes[i]);
        sg_trace_lanes[i].memo = (struct sg_stack_memo){
            .known = steps + 2 * i * steps_each,
            .fresh = steps + (2 * i + 1) * steps_each,
            .capacity = depth,
            .slack = depth / 4, /* see stack_memo.h */
        };
    }
    for (int domain = 0; domain < SG_TRACE_N_DOMAINS; domain++)
        atomic_store(&n_without_lane[domain], 0);
    atomic_store(&free_head, 0);
    atomic_store(&n_free, 0);
    for (uint32_t i = n_buffers; i > 0; i--)
        push(&buffers[i - 1]);
    return 0;
}

void sg_trace_lanes_discard(void) {
    SG_MEMORY_DROP(buffers, n_buffers * sizeof *buffers);
    SG_MEMORY_DROP(steps, steps_bytes);
}

void sg_trace_lanes_after_fork_in_child(void) {
    memset(sg_trace_lanes, 0, sizeof sg_trace_lanes);
    buffers = NULL;
    steps = NULL;
}

/* ---- Threads' lanes ---- */

static uint32_t first_probe(uintptr_t thread) {
    return (uint32_t)((thread >> 6) * UINT64_C(0x9E3779B97F4A7C15) >> 32) % N_THREAD_LANES;
}

/* Mark a thread's lane as busy. Returns false if it is busy already or the reader is freeing it. */
static bool begin(struct sg_trace_lane *lane, uintptr_t self) {
    if (atomic_exchange(&lane->is_busy, true))
        return false;
    if (atomic_load(&lane->owner) == self)
        return true;
    sg_trace_lanes_leave(lane);
    return false;
}

struct sg_trace_lane *sg_trace_lanes_enter_own(void) {
    uintptr_t self = sg_thread_ids_self();
    uint32_t start = first_probe(self);
    struct sg_trace_lane *lanes = sg_trace_lanes + SG_N_GIL_LANES;
    for (uint32_t i = 0; i < N_PROBES; i++) {
        struct sg_trace_lane *lane = &lanes[(start + i) % N_THREAD_LANES];
        if (atomic_load_explicit(&lane->owner, memory_order_relaxed) == self)
            return begin(lane, self) ? lane : NULL;
    }
    for (uint32_t i = 0; i < N_PROBES; i++) {
        struct sg_trace_lane *lane = &lanes[(start + i) % N_THREAD_LANES];
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&lane->owner, &none, self))
            return begin(lane, self) ? lane : NULL;
    }
    return NULL;
}

void sg_trace_lanes_free(struct sg_trace_lane *lane) {
    uintptr_t owner = atomic_load(&lane->owner);
    if (!owner || !atomic_compare_exchange_strong(&lane->owner, &owner, CLOSING))
        return;
    if (atomic_load(&lane->is_busy)) {
        atomic_store(&lane->owner, owner);
        return;
    }
    lane->thread = 0;
    lane->stack_of = 0;
    atomic_store(&lane->owner, 0);
}

bool sg_trace_lanes_are_idle(void) {
    for (int i = 1; i < SG_N_LANES; i++)
        if (atomic_load(&sg_trace_lanes[i].is_busy))
            return false;
    return true;
}

/* ---- Writing ---- */

/* Append a buffer from the pool to the lane. Returns false if the pool is empty. */
static bool add_buffer(struct sg_trace_lane *lane) {
    struct sg_trace_buffer *buffer = pop();
    if (!buffer)
        return false;
    if (lane->buffer)
        atomic_store_explicit(&lane->buffer->next, buffer, memory_order_release);
    else
        atomic_store_explicit(&lane->first, buffer, memory_order_release);
    lane->buffer = buffer;
    lane->n_words = 0;
    return true;
}

/* Write marks with the numbers of lost events. The caller has reserved the room. */
static void put_losses(struct sg_trace_lane *lane) {
    for (unsigned domain = 0; domain < SG_TRACE_N_DOMAINS; domain++) {
        if (!lane->n_lost[domain])
            continue;
        uint64_t *words = lane->buffer->words + lane->n_words;
        words[0] = sg_row_head(SG_ROW_MARK, SG_MARK_LOST, 0);
        words[1] = sg_row_moment(0, domain);
        words[2] = lane->n_lost[domain];
        sg_trace_lanes_publish(lane, SG_LOSS_WORDS);
        lane->n_lost[domain] = 0;
    }
    lane->is_losing = false;
}

uint64_t *sg_trace_lanes_reserve_cold(struct sg_trace_lane *lane, uint32_t n) {
    bool is_full = !lane->buffer || lane->n_words + n > SG_BUFFER_WORDS;
    if (n > SG_MOST_RESERVED_WORDS || (is_full && !add_buffer(lane)))
        return NULL;
    if (lane->is_losing && lane->n_words + n > SG_MOST_RESERVED_WORDS && !add_buffer(lane))
        return NULL;
    if (lane->is_losing)
        put_losses(lane);
    return lane->buffer->words + lane->n_words;
}

void sg_trace_lanes_add_without_lane(enum sg_trace_domain domain) {
    atomic_fetch_add(&n_without_lane[domain], 1);
}

uint64_t sg_trace_lanes_without_lane(enum sg_trace_domain domain) {
    return atomic_load(&n_without_lane[domain]);
}

void sg_trace_lanes_lose(struct sg_trace_lane *lane, enum sg_trace_domain domain) {
    lane->n_lost[domain]++;
    lane->is_losing = true;
    lane->thread = 0; /* the next row must repeat thread, time and stack */
    lane->stack_of = 0;
    atomic_fetch_add_explicit(&lane->n_lost_ever, 1, memory_order_relaxed);
}

/* ---- Reading ---- */

const uint64_t *sg_trace_lanes_peek(struct sg_trace_lane *lane, struct sg_trace_place *place,
                                    bool is_kept, uint32_t *n) {
    *n = 0;
    if (!place->buffer)
        place->buffer = atomic_load_explicit(&lane->first, memory_order_acquire);
    while (place->buffer) {
        struct sg_trace_buffer *buffer = place->buffer;
        struct sg_trace_buffer *next = atomic_load_explicit(&buffer->next, memory_order_acquire);
        /* Loaded after `next`: once a buffer has a next one, no more words are added to it. */
        uint32_t n_words = atomic_load_explicit(&buffer->n_words, memory_order_acquire);
        if (place->n_words < n_words) {
            *n = n_words - place->n_words;
            return buffer->words + place->n_words;
        }
        if (!next)
            break;
        *place = (struct sg_trace_place){.buffer = next};
        if (!is_kept)
            push(buffer);
    }
    return NULL;
}

const uint64_t *sg_trace_lanes_take(struct sg_trace_lane *lane, struct sg_trace_place *place,
                                    const struct sg_trace_place *end, uint32_t *n) {
    *n = 0;
    /* Checked before peeking, which would step past `end` if a buffer was added since. */
    if (place->buffer == end->buffer && place->n_words == end->n_words)
        return NULL;
    const uint64_t *words = sg_trace_lanes_peek(lane, place, false, n);
    if (words && place->buffer == end->buffer)
        *n = end->n_words - place->n_words;
    return *n ? words : NULL;
}

uint32_t sg_trace_lanes_used_buffers(void) { return n_buffers - atomic_load(&n_free); }
