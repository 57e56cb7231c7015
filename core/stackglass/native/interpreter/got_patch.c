/* A scan visits each entry of each library. What it does depends on the value in the entry:
 *
 *     REDIRECTED     the hook                                keep it, with its original value
 *     ORIGINAL       the function the engine is bound to     redirect it
 *     UNRESOLVED     the library's own stub (lazy binding)   redirect it, if it can be bound to no
 *                                                            other function
 *     BEING_LOADED   an offset from the file, no address     postpone it
 *     OTHER          a function of another tool              leave it alone
 *
 * Each scan makes a new list of redirected entries (open addressing by slot), which replaces the
 * former list when it is complete. A child that is forked during a scan cannot wait for the claim,
 * and restores the entries of both lists. An entry is in the new list before it is redirected, and
 * in the old one if a former scan has redirected it. There is a scan at first and when libraries
 * were loaded or unloaded, at the call of maintain after each of these, and, while entries are
 * postponed, after 2, 4 … 64 more calls. */
#include "interpreter/got_patch.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpreter/elf_object.h"
#include "interpreter/native_code.h"
#include "interpreter/python_symbols.h"
#include "platform/loaded_libraries.h"
#include "platform/memory.h"
#include "platform/permitted_calls.h"

enum {
    LIST_BITS = 16,    /* the list has 2^LIST_BITS places; at most half of them are filled */
    LONGEST_WAIT = 64, /* calls of maintain between two scans for postponed entries */
};

/* A redirected entry and its original value. */
struct redirect {
    void **slot; /* NULL = empty */
    void *original;
};

/* Guarded by the claim, except in a forked child. */
static atomic_flag claim = ATOMIC_FLAG_INIT;
static const struct sg_got_import *imports; /* NULL = nothing is redirected */
/* (2^LIST_BITS,) each: hash tables. NULL = there is none. */
static struct redirect *_Atomic redirects;  /* the list of the last scan */
static struct redirect *_Atomic unfinished; /* the list that a scan fills */
static uint32_t n_redirects;
static unsigned long long n_loaded; /* loads and unloads of libraries up to the last scan */
static uint32_t n_turns_to_wait;    /* calls until the next scan for postponed entries; 0 = none */
static uint32_t n_turns;            /* calls since the last scan */

/* Written with the claim held; any thread reads the numbers, one by one. */
enum { LIBRARIES, REDIRECTS, FOREIGN, POSTPONED, REFUSED, N_COUNTS };
static _Atomic uint32_t status_of[N_COUNTS];

static void count(int which) { atomic_fetch_add(&status_of[which], 1); }

static void wait_for_claim(void) {
    while (atomic_flag_test_and_set_explicit(&claim, memory_order_acquire))
        sg_permitted_calls_yield();
}

static void release_claim(void) { atomic_flag_clear_explicit(&claim, memory_order_release); }

/* ---- The list of redirected entries ---- */

static struct redirect *place_of(struct redirect *list, void **slot) {
    uint32_t mask = (1u << LIST_BITS) - 1;
    uint64_t hash = (uint64_t)(uintptr_t)slot * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(hash >> (64 - LIST_BITS));
    while (list[at].slot && list[at].slot != slot)
        at = (at + 1) & mask;
    return &list[at];
}

static bool remember(struct redirect *list, void **slot, void *original) {
    if (n_redirects >= 1u << (LIST_BITS - 1))
        return false;
    struct redirect *place = place_of(list, slot);
    place->original = original;
    atomic_thread_fence(memory_order_release); /* a forked child finds a whole entry or none */
    place->slot = slot;
    n_redirects++;
    return true;
}

/* ---- One entry ---- */

enum state { REDIRECTED, ORIGINAL, UNRESOLVED, BEING_LOADED, OTHER };

static enum state state_of(const struct sg_elf_object *object, const struct sg_elf_entry *entry,
                           const struct sg_got_import *import, const void *value) {
    if (value == import->hook)
        return REDIRECTED;
    if (value == import->original || (import->alias && value == import->alias))
        return ORIGINAL;
    /* The entry points to the library's own stub, which resolves it at the first call. The loader
     * has relocated the table already. */
    if (entry->is_call && sg_elf_object_is_code_of(object, (uintptr_t)value))
        return UNRESOLVED;
    if ((uintptr_t)value < object->end - object->start)
        return BEING_LOADED; /* the value from the file, not relocated yet */
    return OTHER;
}

/* The loader makes a page of RELRO read-only when it has finished with the page. */
bool sg_got_patch_store(void **slot, void *expected, void *value) {
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)slot & ~(page_bytes - 1));
    bool is_read_only = !sg_memory_is_writable(slot);
    if (is_read_only && mprotect(page, page_bytes, PROT_READ | PROT_WRITE))
        return false;
    atomic_compare_exchange_strong((void *_Atomic *)slot, &expected, value);
    if (is_read_only)
        mprotect(page, page_bytes, PROT_READ);
    return true;
}

static const struct sg_got_import *import_of(const char *name) {
    for (const struct sg_got_import *import = imports; import->name; import++) {
        if (import->original && name[0] == import->name[0] && strcmp(name, import->name) == 0)
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
        if (sg_elf_object_holds(object, (uintptr_t)import->original) ||
            sg_elf_object_holds(object, (uintptr_t)import->alias))
            return true;
    }
    return false;
}

struct scan {
    struct redirect *list; /* the new list */
    const struct sg_elf_object *object;
    bool has_foreign;    /* another tool has redirected some entries of the library */
    bool has_redirected; /* some entries of the library are redirected */
};

static void find_foreign(void *context, const struct sg_elf_entry *entry) {
    struct scan *scan = context;
    const struct sg_got_import *import = import_of(entry->name);
    if (import && !entry->is_data && state_of(scan->object, entry, import, *entry->slot) == OTHER) {
        scan->has_foreign = true;
        count(FOREIGN);
    }
}

static void redirect_entry(struct scan *scan, const struct sg_elf_entry *entry,
                           const struct sg_got_import *import, void *value) {
    bool is_relro = sg_elf_object_is_relro(scan->object, entry->slot);
    bool is_read_only = !sg_memory_is_writable(entry->slot);
    if (is_relro && !is_read_only) { /* the library is still being loaded */
        count(POSTPONED);
        return;
    }
    /* A read-only page outside RELRO was made so by the program; its protection is not touched. */
    if ((!is_relro && is_read_only) || !remember(scan->list, entry->slot, value) ||
        !sg_got_patch_store(entry->slot, value, import->hook)) {
        count(REFUSED);
        return;
    }
    scan->has_redirected = true;
    count(REDIRECTS);
}

static void scan_entry(void *context, const struct sg_elf_entry *entry) {
    struct scan *scan = context;
    const struct sg_got_import *import = import_of(entry->name);
    if (!import)
        return;
    void *value = atomic_load((void *_Atomic *)entry->slot);
    switch (state_of(scan->object, entry, import, value)) {
    case REDIRECTED: {
        struct redirect *old = redirects ? place_of(redirects, entry->slot) : NULL;
        scan->has_redirected |=
            remember(scan->list, entry->slot, old && old->slot ? old->original : import->original);
        count(REDIRECTS);
        break;
    }
    case UNRESOLVED:
        /* The loader may bind the entry to another function if other entries are bound to another
         * function, or if the library itself defines the name. */
        if (scan->has_foreign || entry->is_defined_here)
            break;
        redirect_entry(scan, entry, import, value);
        break;
    case ORIGINAL:
        redirect_entry(scan, entry, import, value);
        break;
    case BEING_LOADED:
        count(POSTPONED);
        break;
    case OTHER:
        break;
    }
}

static int scan_library(struct dl_phdr_info *info, size_t size, void *context) {
    struct sg_elf_object object;
    struct scan scan = {.list = context, .object = &object};
    (void)size;
    n_loaded = info->dlpi_adds + info->dlpi_subs;
    if (!sg_elf_object_open(&object, info) || is_left_alone(info, &object))
        return 0;
    sg_elf_object_each_import(&object, find_foreign, &scan);
    sg_elf_object_each_import(&object, scan_entry, &scan);
    if (scan.has_redirected)
        count(LIBRARIES);
    return 0;
}

/* Scan all libraries, and replace the list. Returns false if memory is short. The caller has the
 * claim. */
static bool scan_all(void) {
    struct redirect *list = sg_memory_map(sizeof *list << LIST_BITS);
    if (!list)
        return false;
    for (int i = 0; i < N_COUNTS; i++)
        atomic_store(&status_of[i], 0);
    n_redirects = 0;
    atomic_store(&unfinished, list);
    sg_loaded_libraries_visit(scan_library, list);
    struct redirect *old = atomic_exchange(&redirects, list);
    atomic_store(&unfinished, NULL);
    if (old)
        sg_memory_unmap(old, sizeof *old << LIST_BITS);
    return true;
}

/* ---- All libraries ---- */

const char *sg_got_patch_apply(const struct sg_got_import *wanted) {
    static void *own; /* always NULL */
    if (!sg_memory_store(&own, NULL))
        return "this process may not write its own memory by system calls";
    wait_for_claim();
    imports = wanted;
    n_turns = 0;
    n_turns_to_wait = 1; /* the loader may resolve an entry just as it is redirected: scan again */
    bool is_done = scan_all();
    if (!is_done)
        imports = NULL;
    release_claim();
    return is_done ? NULL : "there is no memory for the list of imports";
}

void sg_got_patch_maintain(void) {
    if (atomic_flag_test_and_set_explicit(&claim, memory_order_acquire))
        return;
    if (imports) {
        struct sg_library_counts now = sg_loaded_libraries_count();
        if (now.n_loads + now.n_unloads != n_loaded) {
            n_turns = 0;
            n_turns_to_wait = 1;
            scan_all();
        } else if (n_turns_to_wait && ++n_turns >= n_turns_to_wait) {
            scan_all();
            n_turns = 0;
            if (!atomic_load(&status_of[POSTPONED]))
                n_turns_to_wait = 0;
            else if (n_turns_to_wait < LONGEST_WAIT)
                n_turns_to_wait *= 2;
        }
    }
    release_claim();
}

static void restore_entry(void *context, const struct sg_elf_entry *entry) {
    const struct sg_got_import *import = import_of(entry->name);
    (void)context;
    if (!import || atomic_load((void *_Atomic *)entry->slot) != import->hook)
        return;
    struct redirect *redirect = redirects ? place_of(redirects, entry->slot) : NULL;
    sg_got_patch_store(entry->slot, import->hook,
                       redirect && redirect->slot ? redirect->original : import->original);
}

static int restore_library(struct dl_phdr_info *info, size_t size, void *context) {
    struct sg_elf_object object;
    (void)size;
    if (sg_elf_object_open(&object, info) && !is_left_alone(info, &object))
        sg_elf_object_each_import(&object, restore_entry, NULL);
    return 0;
}

static void forget(void) {
    struct redirect *old = atomic_exchange(&redirects, NULL);
    if (old)
        sg_memory_unmap(old, sizeof *old << LIST_BITS);
    imports = NULL;
    for (int i = 0; i < N_COUNTS; i++)
        atomic_store(&status_of[i], 0);
}

void sg_got_patch_restore(void) {
    wait_for_claim();
    if (imports) {
        sg_loaded_libraries_visit(restore_library, NULL);
        forget();
    }
    release_claim();
}

/* A library may have been unloaded since the scan, and its slots with it. So slots are read by a
 * call that cannot fault. */
static void restore_list(const struct redirect *list, const struct sg_got_import *patched) {
    for (uint32_t at = 0; patched && list && at < 1u << LIST_BITS; at++) {
        void *value;
        if (!list[at].slot || !sg_memory_read((uintptr_t)list[at].slot, &value, sizeof value))
            continue;
        for (const struct sg_got_import *import = patched; import->name; import++) {
            if (value == import->hook)
                sg_got_patch_store(list[at].slot, value, list[at].original);
        }
    }
}

void sg_got_patch_restore_in_child(void) {
    struct redirect *former = atomic_load(&redirects), *latest = atomic_exchange(&unfinished, NULL);
    restore_list(former, imports);
    if (latest != former) {
        restore_list(latest, imports);
        sg_memory_unmap(latest, sizeof *latest << LIST_BITS);
    }
    forget();
    atomic_flag_clear(&claim);
}

void sg_got_patch_status(struct sg_got_patch_status *status) {
    *status = (struct sg_got_patch_status){
        .n_libraries = atomic_load(&status_of[LIBRARIES]),
        .n_redirected = atomic_load(&status_of[REDIRECTS]),
        .n_foreign = atomic_load(&status_of[FOREIGN]),
        .n_postponed = atomic_load(&status_of[POSTPONED]),
        .n_refused = atomic_load(&status_of[REFUSED]),
    };
}
