/* Hooks in the slot tp_dealloc: one function for each lock type, because each has to call the
 * original of its own type. */
#include "locks/destroyed.h"

#include "contention/contention.h"
#include "contention/sites.h"
#include "interpreter/dealloc_patch.h"
#include "locks/table.h"

/* Guarded by the GIL. Types are borrowed from hooks.c. */
static struct sg_dealloc_patch deaths[SG_N_LOCK_TYPES];

/* Forget what is known about a lock that is being destroyed. After a detach nothing is known about
 * any lock, and this has no effect. */
static inline void forget(PyObject *lock) {
    struct sg_lock_slot *slot = sg_lock_table_slot(lock);
    sg_lock_table_release(slot, lock);
    sg_contention_sites_forget(lock);
    if (atomic_load_explicit(&slot->is_numbered, memory_order_relaxed))
        sg_contention_lock_died(lock);
}

#define DEALLOC(which)                                                                             \
    static void dealloc_##which(PyObject *lock) {                                                  \
        forget(lock);                                                                              \
        deaths[which].original(lock);                                                              \
    }
DEALLOC(SG_TYPE_LOCK)
DEALLOC(SG_TYPE_RLOCK)
DEALLOC(SG_TYPE_SIMPLE_QUEUE)
DEALLOC(SG_TYPE_THREAD_HANDLE)

static const destructor DEALLOCS[SG_N_LOCK_TYPES] = {
    dealloc_SG_TYPE_LOCK,
    dealloc_SG_TYPE_RLOCK,
    dealloc_SG_TYPE_SIMPLE_QUEUE,
    dealloc_SG_TYPE_THREAD_HANDLE,
};

void sg_lock_destroyed_hook(enum sg_lock_type which, PyTypeObject *type) {
    sg_dealloc_patch_apply(&deaths[which], type, DEALLOCS[which]);
}

void sg_lock_destroyed_unhook(void) {
    for (int which = 0; which < SG_N_LOCK_TYPES; which++)
        sg_dealloc_patch_restore(&deaths[which], DEALLOCS[which]);
}
