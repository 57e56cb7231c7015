/* Counters of full collections. */
#include "heap/cycles.h"

#include <stdatomic.h>

/* Written by the collecting thread with the GIL held; read by any thread. */
static _Atomic uint32_t n_begun;
static _Atomic uint32_t published; /* 0 = no collection has ended */
static _Atomic uint64_t n_ended;
static _Atomic int64_t end_mono_ns;

void sg_heap_cycles_begin_full(void) { atomic_fetch_add(&n_begun, 1); }

void sg_heap_cycles_end_full(int64_t mono_ns) {
    atomic_store(&published, atomic_load(&n_begun) + 1);
    atomic_store(&end_mono_ns, mono_ns);
    atomic_fetch_add(&n_ended, 1);
}

uint32_t sg_heap_cycles_now(void) { return atomic_load_explicit(&n_begun, memory_order_relaxed); }

uint32_t sg_heap_cycles_published(void) { return atomic_load(&published); }

uint64_t sg_heap_cycles_ended(void) { return atomic_load(&n_ended); }

int64_t sg_heap_cycles_end_mono_ns(void) { return atomic_load(&end_mono_ns); }

void sg_heap_cycles_discard(void) {
    atomic_store(&n_begun, 0);
    atomic_store(&published, 0);
    atomic_store(&n_ended, 0);
    atomic_store(&end_mono_ns, 0);
}
