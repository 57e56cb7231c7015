/* The table's storage: a static array on its own pages, emptied by giving the pages back. If the
 * system refuses that, the slots that were written are cleared one by one. */
#include "locks/table.h"

#include <sys/mman.h>

#include "platform/thread_ids.h"

/* Aligned to pages, so that they can be given back. */
_Alignas(4096) struct sg_lock_slot sg_lock_table_slots[SG_LOCK_SLOTS];

/* Clear the slots that are not empty; pages that were never written stay untouched. */
static void clear_slots(void) {
    for (int i = 0; i < SG_LOCK_SLOTS; i++) {
        struct sg_lock_slot *slot = &sg_lock_table_slots[i];
        if (atomic_load(&slot->holder))
            atomic_store(&slot->holder, 0);
        if (atomic_load(&slot->n_waiters))
            atomic_store(&slot->n_waiters, 0);
        if (atomic_load(&slot->is_numbered))
            atomic_store(&slot->is_numbered, 0);
        if (atomic_load(&slot->hold_mono_ns))
            atomic_store(&slot->hold_mono_ns, 0);
    }
}

void sg_lock_table_prepare(void) {
    sg_thread_ids_prepare();
    if (madvise(sg_lock_table_slots, sizeof sg_lock_table_slots,
                MADV_DONTNEED)) /* refused for locked or for larger pages */
        clear_slots();
}

pid_t sg_lock_table_holder(const void *lock) {
    uint64_t holder = atomic_load_explicit(&sg_lock_table_slot(lock)->holder, memory_order_relaxed);
    return sg_thread_ids_offset() && holder >> 32 == sg_lock_table_tag(lock)
               ? (pid_t)(uint32_t)holder
               : 0;
}
