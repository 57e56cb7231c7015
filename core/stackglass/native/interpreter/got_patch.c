/* GOT patch: finding, redirecting and restoring the imports of libraries. */
#include "interpreter/got_patch.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpreter/elf_object.h"
#include "interpreter/native_code.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"
#include "platform/permitted_calls.h"

enum {
    LIST_BITS = 16, /* of the number of places; at most half of them are filled */
    LONGEST_WAIT = 64,
};

/* A redirected entry and its original value. */
struct lead {
    void **slot; /* NULL = empty */
    void *original;
};

/* Guarded by the claim, except in a forked child. */
static atomic_flag claim = ATOMIC_FLAG_INIT;
static const struct sg_got_import *imports; /* NULL = nothing is redirected */
static struct lead *_Atomic leads;          /* (2^LIST_BITS,), open hash; replaced by each scan */
static uint32_t n_leads;
static unsigned long long n_loaded; /* libraries loaded and unloaded at the last scan */
static uint32_t n_tends_to_wait;    /* until the next scan for postponed entries; 0 = none */
static uint32_t n_tends;

/* Written under the claim, read by any thread, each number by itself. */
static _Atomic uint32_t status_of[5];
enum { LIBRARIES, OURS, FOREIGN, POSTPONED, REFUSED };

static void count(int which) { atomic_fetch_add(&status_of[which], 1); }

static void wait_for_claim(void) {
    while (atomic_flag_test_and_set_explicit(&claim, memory_order_acquire))
        sg_permitted_calls_yield();
}

static void release_claim(void) { atomic_flag_clear_explicit(&claim, memory_order_release); }

/* ---- The list of redirected entries ---- */

static struct lead *place_of(struct lead *list, void **slot) {
    uint32_t mask = (1u << LIST_BITS) - 1;
    uint64_t hash = (uint64_t)(uintptr_t)slot * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(hash >> (64 - LIST_BITS));
    while (list[at].slot && list[at].slot != slot)
        at = (at + 1) & mask;
    return &list[at];
}

static bool remember(struct lead *list, void **slot, void *original) {
    if (n_leads >= 1u << (LIST_BITS - 1))
        return false;
    *place_of(list, slot) = (struct lead){slot, original};
    n_leads++;
    return true;
}

/* ---- One entry ---- */

enum state { OF_OURS, OF_THEIRS, UNRESOLVED, BEING_LOADED, OF_OTHERS };

static enum state state_of(const struct sg_elf_object *object, const struct sg_elf_entry *entry,
                           const struct sg_got_import *import, const void *value) {
    if (value == import->ours)
        return OF_OURS;
    if (value == import->theirs || (import->also && value == import->also))
        return OF_THEIRS;
    /* Resolved at the first call, by the object's own stub. The loader has relocated the table. */
    if (entry->is_call && sg_elf_object_is_code_of(object, (uintptr_t)value))
        return UNRESOLVED;
    if ((uintptr_t)value < object->end - object->start)
        return BEING_LOADED; /* the value of the file */
    return OF_OTHERS;
}

/* The loader makes a page read-only when it has finished with it. Storing the present value shows
 * whether it has; at worst a function is looked up twice. */
static bool is_writable(void **slot) {
    return sg_memory_store(slot, atomic_load((void *_Atomic *)slot));
}

bool sg_got_patch_store(void **slot, void *expected, void *value) {
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)slot & ~(page_bytes - 1));
    bool is_closed = !is_writable(slot);
    if (is_closed && mprotect(page, page_bytes, PROT_READ | PROT_WRITE))
        return false;
    atomic_compare_exchange_strong((void *_Atomic *)slot, &expected, value);
    if (is_closed)
        mprotect(page, page_bytes, PROT_READ);
    return true;
}

static const struct sg_got_import *import_of(const char *name) {
    for (const struct sg_got_import *import = imports; import->name; import++) {
        if (import->theirs && name[0] == import->name[0] && strcmp(name, import->name) == 0)
            return import;
    }
    return NULL;
}

/* ---- One library ---- */

static bool is_left_alone(const struct dl_phdr_info *info, const struct sg_elf_object *object) {
    if (sg_elf_object_holds(object, sg_python_symbols.eval_start) ||
        sg_elf_object_holds(object, (uintptr_t)&is_left_alone) ||
        sg_native_code_is_runtime(info->dlpi_name))
        return true;
    for (const struct sg_got_import *import = imports; import->name; import++) {
        if (sg_elf_object_holds(object, (uintptr_t)import->theirs) ||
            sg_elf_object_holds(object, (uintptr_t)import->also))
            return true;
    }
    return false;
}

struct look {
    struct lead *list; /* the new one */
    const struct sg_elf_object *object;
    bool is_led_elsewhere; /* another tool has redirected some of its entries */
    bool has_ours;
};

static void find_foreign(void *context, const struct sg_elf_entry *entry) {
    struct look *look = context;
    const struct sg_got_import *import = import_of(entry->name);
    if (import && !entry->is_data &&
        state_of(look->object, entry, import, *entry->slot) == OF_OTHERS) {
        look->is_led_elsewhere = true;
        count(FOREIGN);
    }
}

static void lead_entry(struct look *look, const struct sg_elf_entry *entry,
                       const struct sg_got_import *import, void *value) {
    bool is_closed = sg_elf_object_is_closed_when_loaded(look->object, entry->slot);
    bool is_open = is_writable(entry->slot);
    if (is_closed && is_open) {
        count(POSTPONED);
        return;
    }
    /* The program has made this page of data read-only: mprotect could not restore that. */
    if ((!is_closed && !is_open) || !remember(look->list, entry->slot, value) ||
        !sg_got_patch_store(entry->slot, value, import->ours)) {
        count(REFUSED);
        return;
    }
    look->has_ours = true;
    count(OURS);
}

static void look_at_entry(void *context, const struct sg_elf_entry *entry) {
    struct look *look = context;
    const struct sg_got_import *import = import_of(entry->name);
    if (!import)
        return;
    void *value = atomic_load((void *_Atomic *)entry->slot);
    switch (state_of(look->object, entry, import, value)) {
    case OF_OURS: {
        struct lead *old = leads ? place_of(leads, entry->slot) : NULL;
        look->has_ours |=
            remember(look->list, entry->slot, old && old->slot ? old->original : import->theirs);
        count(OURS);
        break;
    }
    case UNRESOLVED:
        /* It may resolve to another function if other entries do, or if the library defines it. */
        if (look->is_led_elsewhere || entry->is_defined_here)
            break;
        lead_entry(look, entry, import, value);
        break;
    case OF_THEIRS:
        lead_entry(look, entry, import, value);
        break;
    case BEING_LOADED:
        count(POSTPONED);
        break;
    case OF_OTHERS:
        break;
    }
}

static int look_at_library(struct dl_phdr_info *info, size_t size, void *context) {
    struct sg_elf_object object;
    struct look look = {.list = context, .object = &object};
    (void)size;
    n_loaded = info->dlpi_adds + info->dlpi_subs;
    if (!sg_elf_object_open(&object, info) || is_left_alone(info, &object))
        return 0;
    sg_elf_object_each_import(&object, find_foreign, &look);
    sg_elf_object_each_import(&object, look_at_entry, &look);
    if (look.has_ours)
        count(LIBRARIES);
    return 0;
}

/* The caller has the claim. */
static bool look_at_all(void) {
    struct lead *list = sg_memory_map(sizeof *list << LIST_BITS);
    if (!list)
        return false;
    for (int i = 0; i < 5; i++)
        atomic_store(&status_of[i], 0);
    n_leads = 0;
    dl_iterate_phdr(look_at_library, list);
    struct lead *old = atomic_exchange(&leads, list);
    if (old)
        sg_memory_unmap(old, sizeof *old << LIST_BITS);
    return true;
}

/* ---- All of them ---- */

const char *sg_got_patch_apply(const struct sg_got_import *wanted) {
    static void *own; /* always NULL */
    if (!sg_memory_store(&own, NULL))
        return "this process may not write its own memory by system calls";
    wait_for_claim();
    imports = wanted;
    n_tends = 0;
    n_tends_to_wait = 1; /* an entry may have been resolved while it was redirected: scan again */
    bool is_done = look_at_all();
    if (!is_done)
        imports = NULL;
    release_claim();
    return is_done ? NULL : "there is no memory for the list of imports";
}

static int count_loaded(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    *(unsigned long long *)context = info->dlpi_adds + info->dlpi_subs;
    return 1; /* the same in every entry */
}

void sg_got_patch_maintain(void) {
    unsigned long long n_now = 0;
    if (atomic_flag_test_and_set_explicit(&claim, memory_order_acquire))
        return;
    if (imports) {
        dl_iterate_phdr(count_loaded, &n_now);
        if (n_now != n_loaded) {
            n_tends = 0;
            n_tends_to_wait = 1;
            look_at_all();
        } else if (n_tends_to_wait && ++n_tends >= n_tends_to_wait) {
            look_at_all();
            n_tends = 0;
            if (!atomic_load(&status_of[POSTPONED]))
                n_tends_to_wait = 0;
            else if (n_tends_to_wait < LONGEST_WAIT)
                n_tends_to_wait *= 2;
        }
    }
    release_claim();
}

static void restore_entry(void *context, const struct sg_elf_entry *entry) {
    const struct sg_got_import *import = import_of(entry->name);
    (void)context;
    if (!import || atomic_load((void *_Atomic *)entry->slot) != import->ours)
        return;
    struct lead *lead = leads ? place_of(leads, entry->slot) : NULL;
    sg_got_patch_store(entry->slot, import->ours,
                       lead && lead->slot ? lead->original : import->theirs);
}

static int restore_library(struct dl_phdr_info *info, size_t size, void *context) {
    struct sg_elf_object object;
    (void)size;
    if (sg_elf_object_open(&object, info) && !is_left_alone(info, &object))
        sg_elf_object_each_import(&object, restore_entry, NULL);
    return 0;
}

static void forget(void) {
    struct lead *old = atomic_exchange(&leads, NULL);
    if (old)
        sg_memory_unmap(old, sizeof *old << LIST_BITS);
    imports = NULL;
    for (int i = 0; i < 5; i++)
        atomic_store(&status_of[i], 0);
}

void sg_got_patch_restore(void) {
    wait_for_claim();
    if (imports) {
        dl_iterate_phdr(restore_library, NULL);
        forget();
    }
    release_claim();
}

/* A library may have been unloaded, and its slots with it: so they are read without faulting. */
void sg_got_patch_restore_in_child(void) {
    struct lead *list = atomic_load(&leads);
    const struct sg_got_import *led = imports;
    for (uint32_t at = 0; led && list && at < 1u << LIST_BITS; at++) {
        void *value;
        if (!list[at].slot || !sg_memory_read((uintptr_t)list[at].slot, &value, sizeof value))
            continue;
        for (const struct sg_got_import *import = led; import->name; import++) {
            if (value == import->ours)
                sg_got_patch_store(list[at].slot, value, list[at].original);
        }
    }
    forget();
    atomic_flag_clear(&claim);
}

void sg_got_patch_status(struct sg_got_patch_status *status) {
    *status = (struct sg_got_patch_status){
        .n_libraries = atomic_load(&status_of[LIBRARIES]),
        .n_ours = atomic_load(&status_of[OURS]),
        .n_foreign = atomic_load(&status_of[FOREIGN]),
        .n_postponed = atomic_load(&status_of[POSTPONED]),
        .n_refused = atomic_load(&status_of[REFUSED]),
    };
}
