/* A lock-free hash table of pointers to code objects, with open addressing. A number consists of
 * the code object's slot and of the slot's generation: how many code objects the slot has had
 * before. So no second table is needed, and no number is used twice:
 *
 *     number = SG_FIRST_CODE_ID + generation × N_SLOTS + slot
 *
 *     slot:  free ──intern──▶ claimed ──▶ pointer ──death──▶ was used ──intern──▶ claimed …
 *
 * A used slot never becomes free while threads search, because a search may have to go past it. A
 * slot is given up after its last generation. Two handlers may number one code object at once, in
 * two slots: both numbers are valid, and its deallocation finds both. */
#include "frames/code_ids.h"

#include <Python.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "interpreter/dealloc_patch.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"

enum {
    SLOT_BITS = 17,
    N_SLOTS = 1 << SLOT_BITS,
    N_PROBES = 128, /* slots that a search examines; if all are taken, there is no number */
    MAX_GENERATION = (1 << (31 - SLOT_BITS)) - 2, /* numbers stay below SG_FIRST_NATIVE_ID */
};
static const uintptr_t FREE = 0, WAS_USED = 1, CLAIMED = 2, GIVEN_UP = 3;

struct slot {
    _Atomic uintptr_t pointer;
    _Atomic uint32_t generation; /* belongs to the present pointer, or else to the next one */
};

/* All lock-free. sg_code_ids_hook sets `slots` with the GIL held, before any handler runs. */
static struct slot *slots;
static _Atomic(struct sg_tombstone *) tombstones;
static _Atomic uint32_t n_burying; /* threads that run the hook's own code at this moment */
static _Atomic uint64_t n_deaths;
static _Atomic bool is_hooked;         /* false = the hook only calls the original function */
static struct sg_dealloc_patch deaths; /* guarded by the GIL */

static uint32_t first_slot(uintptr_t pointer) {
    return (uint32_t)((pointer >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SLOT_BITS));
}

static struct slot *slot_at(uint32_t index) { return &slots[index & (N_SLOTS - 1)]; }

static sg_code_id number_of(const struct slot *slot) {
    uint32_t generation = atomic_load_explicit(&slot->generation, memory_order_relaxed);
    return SG_FIRST_CODE_ID + (generation << SLOT_BITS) + (uint32_t)(slot - slots);
}

sg_code_id sg_code_ids_find(const void *code) {
    uint32_t start = first_slot((uintptr_t)code);
    for (uint32_t i = 0; slots && i < N_PROBES; i++) {
        const struct slot *slot = slot_at(start + i);
        uintptr_t pointer = atomic_load_explicit(&slot->pointer, memory_order_acquire);
        if (pointer == (uintptr_t)code)
            return number_of(slot);
        if (pointer == FREE)
            break;
    }
    return SG_NO_CODE;
}

sg_code_id sg_code_ids_intern(const void *code) {
    sg_code_id known = sg_code_ids_find(code);
    if (known != SG_NO_CODE)
        return known;
    uint32_t start = first_slot((uintptr_t)code);
    for (uint32_t i = 0; slots && i < N_PROBES; i++) {
        struct slot *slot = slot_at(start + i);
        uintptr_t pointer = atomic_load_explicit(&slot->pointer, memory_order_relaxed);
        if ((pointer == FREE || pointer == WAS_USED) &&
            atomic_compare_exchange_strong(&slot->pointer, &pointer, CLAIMED)) {
            sg_code_id id = number_of(slot);
            atomic_store_explicit(&slot->pointer, (uintptr_t)code, memory_order_release);
            return id;
        }
    }
    return SG_UNKNOWN;
}

/* A freed block keeps ob_type, but the allocator overwrites ob_refcnt with a pointer or 0. A
 * reference count, immortal or not, has bits in the lower half only, and 3.14 has flags from bit 48
 * on. A pointer has bits in between. */
static bool is_head_of_code(const uint64_t head[2]) {
    return head[1] == (uintptr_t)sg_python_symbols.code_type && (uint32_t)head[0] != 0 &&
           (uint16_t)(head[0] >> 32) == 0;
}

bool sg_code_ids_is_alive(const void *code) {
    uint64_t head[2];
    return sg_memory_read_probed((uintptr_t)code, head, sizeof head) && is_head_of_code(head);
}

bool sg_code_ids_is_alive_foreign(const void *code) {
    uint64_t head[2];
    return sg_memory_read_foreign((uintptr_t)code, head, sizeof head) && is_head_of_code(head);
}

void *sg_code_ids_alive(sg_code_id id) {
    if (id < SG_FIRST_CODE_ID || !slots)
        return NULL;
    struct slot *slot = slot_at(id - SG_FIRST_CODE_ID);
    uintptr_t pointer = atomic_load_explicit(&slot->pointer, memory_order_acquire);
    if (pointer <= GIVEN_UP || number_of(slot) != id || !sg_code_ids_is_alive((void *)pointer))
        return NULL;
    return (void *)pointer;
}

struct sg_tombstone *sg_code_ids_take_tombstones(void) {
    return atomic_exchange(&tombstones, NULL);
}

void sg_code_ids_free_tombstone(struct sg_tombstone *tombstone) {
    sg_code_info_free(&tombstone->info);
    free(tombstone);
}

uint64_t sg_code_ids_deaths(void) { return atomic_load_explicit(&n_deaths, memory_order_acquire); }

static void leave_tombstone(const void *code, sg_code_id id) {
    struct sg_tombstone *tombstone = calloc(1, sizeof *tombstone);
    if (!tombstone || sg_code_info_copy(code, &tombstone->info)) {
        free(tombstone); /* no memory: the number stays nameless */
        return;
    }
    tombstone->id = id;
    tombstone->next = atomic_load(&tombstones);
    while (!atomic_compare_exchange_weak(&tombstones, &tombstone->next, tombstone)) {
    }
}

/* Remove a dying code object from every slot that has it, and leave a tombstone for each. The
 * caller holds the GIL of the code object's interpreter. */
static void bury(const void *code) {
    uint32_t start = first_slot((uintptr_t)code);
    for (uint32_t i = 0; i < N_PROBES; i++) {
        struct slot *slot = slot_at(start + i);
        uintptr_t pointer = atomic_load_explicit(&slot->pointer, memory_order_acquire);
        if (pointer == FREE)
            break;
        if (pointer != (uintptr_t)code)
            continue;
        atomic_fetch_add(&n_deaths, 1);
        leave_tombstone(code, number_of(slot));
        /* The pointer goes first. Otherwise a search between the two stores would find the dying
         * code object with the next generation's number. */
        atomic_store(&slot->pointer, GIVEN_UP);
        if (atomic_fetch_add(&slot->generation, 1) < MAX_GENERATION)
            atomic_store_explicit(&slot->pointer, WAS_USED, memory_order_release);
    }
}

static void dealloc(PyObject *code) {
    atomic_fetch_add(&n_burying, 1);
    if (atomic_load(&is_hooked))
        bury(code);
    atomic_fetch_sub(&n_burying, 1);
    deaths.original(code);
}

int sg_code_ids_hook(void) {
    if (atomic_load(&is_hooked))
        return 0;
    if (!slots)
        slots = sg_memory_map(N_SLOTS * sizeof *slots);
    if (!slots)
        return -ENOMEM;
    /* An earlier attach may have left the hook, because another tool had wrapped it. */
    if (sg_dealloc_patch_apply(&deaths, (PyTypeObject *)sg_python_symbols.code_type, dealloc))
        return -EPERM;
    atomic_store(&is_hooked, true);
    return 0;
}

void sg_code_ids_unhook(void) {
    if (atomic_exchange(&is_hooked, false))
        sg_dealloc_patch_restore(&deaths, dealloc);
}

static void free_tombstones(void) {
    for (struct sg_tombstone *tombstone = sg_code_ids_take_tombstones(); tombstone;) {
        struct sg_tombstone *next = tombstone->next;
        sg_code_ids_free_tombstone(tombstone);
        tombstone = next;
    }
}

void sg_code_ids_clear(void) {
    free_tombstones();
    if (!slots)
        return;
    for (uint32_t i = 0; i < N_SLOTS; i++) {
        uintptr_t pointer = atomic_load(&slots[i].pointer);
        if (pointer != FREE && pointer != GIVEN_UP) {
            uint32_t generation = atomic_fetch_add(&slots[i].generation, 1);
            atomic_store(&slots[i].pointer, generation < MAX_GENERATION ? FREE : GIVEN_UP);
        }
    }
}

/* The child's table begins with generation 0 again, so a code object of the child may get the
 * number of one that died in the parent. The parent's tombstone would give it the wrong name. The
 * tombstones' memory is not freed, because another thread may have been making one as the process
 * forked. */
void sg_code_ids_after_fork_in_child(void) {
    atomic_store(&tombstones, NULL);
    atomic_store(&n_burying, 0);
}

void sg_code_ids_discard(void) {
    if (atomic_load(&n_burying))
        return; /* a thread of another interpreter uses the table: keep it for the next attach */
    SG_MEMORY_DROP(slots, N_SLOTS * sizeof *slots);
}
