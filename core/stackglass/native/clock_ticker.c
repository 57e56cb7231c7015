/* The ticker's signals: see clock.h. */
#include "clock.h"
#include "engine_threads.h"
#include "signals.h"

enum {
    IDLE_AFTER_NS = 50 * 1000 * 1000,   /* a thread whose clock stood still this long … */
    LOOK_AT_IDLE_NS = 10 * 1000 * 1000, /* … is looked at only this often */
};

/* All guarded by sg_threads_lock. */
static uint64_t now_ns, looked_at_idle_ns;
static uint64_t tick_interval_ns; /* since the tick before */
static uint64_t (*tick_draw)(uint64_t limit);
static int tick_signo;
static bool is_look_at_idle;

void sg_ticker_arm(struct sg_slot *slot) {
    slot->ticker_cpu_ns = sg_clock_ns(sg_thread_clock(atomic_load(&slot->tid)));
    slot->is_active = true;
    slot->is_sent = false;
    slot->ticker_seen_ns = sg_clock_ns(CLOCK_MONOTONIC);
}

static void look_at(struct sg_slot *slot) {
    if (slot->is_outside || slot->is_starting || (!slot->is_active && !is_look_at_idle))
        return;
    uint64_t cpu_ns = sg_clock_ns(sg_thread_clock(atomic_load(&slot->tid)));
    if (!cpu_ns)
        return; /* it has ended */
    uint64_t moved_ns = cpu_ns - slot->ticker_cpu_ns;
    slot->ticker_cpu_ns = cpu_ns;
    if (!moved_ns) {
        /* After long idleness the others need not wait for it. */
        slot->is_active = now_ns - slot->ticker_seen_ns < IDLE_AFTER_NS + tick_interval_ns;
        return;
    }
    slot->is_active = true;
    slot->ticker_seen_ns = now_ns;
    if (tick_draw(tick_interval_ns) > moved_ns)
        return;
    /* If the one sent last has not been taken, the thread may block it by now. */
    uint32_t n_ticks = atomic_load(&slot->n_ticks);
    uint64_t blocked = 0;
    if (n_ticks == slot->n_sent && slot->is_sent &&
        (!sg_threads_mask(slot, &blocked) || blocked >> (tick_signo - 1) & 1))
        return; /* sg_arming_watch finds it */
    slot->n_sent = n_ticks;
    slot->is_sent = true;
    atomic_store(&slot->is_tick_sent, true);
    sg_signals_send(atomic_load(&slot->tid), tick_signo, slot);
}

void sg_ticker_tick(int signo, uint64_t (*draw)(uint64_t limit)) {
    uint64_t before_ns = now_ns;
    now_ns = sg_clock_ns(CLOCK_MONOTONIC);
    tick_interval_ns = now_ns - before_ns;
    tick_draw = draw;
    tick_signo = signo;
    is_look_at_idle = now_ns - looked_at_idle_ns >= LOOK_AT_IDLE_NS;
    if (is_look_at_idle)
        looked_at_idle_ns = now_ns;
    sg_threads_each(look_at);
}
