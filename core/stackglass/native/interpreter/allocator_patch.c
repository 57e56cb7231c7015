/* Hooks may be in place below the hooks of another tool, where PyMem_GetAllocator does not show
 * them. So a trial finds out whether they are reached: an allocation of the engine's own, which the
 * hooks must see. */
#include "interpreter/allocator_patch.h"

#include "interpreter/python_symbols.h"
#include "platform/thread_ids.h"

enum { FIRST_DOMAIN = 1 }; /* PYMEM_DOMAIN_MEM */

/* Written by prepare with the GIL held, then constant. */
static void (*get_allocator)(int domain, struct sg_allocator *allocator);
static void (*set_allocator)(int domain, struct sg_allocator *allocator);
static void *(*python_malloc[SG_N_ALLOCATORS])(size_t size);
static void (*python_free[SG_N_ALLOCATORS])(void *block);

const char *sg_allocator_patch_prepare(void) {
    const struct {
        const char *name;
        void *target;
    } wanted[] = {
        {"PyMem_GetAllocator", &get_allocator},
        {"PyMem_SetAllocator", &set_allocator},
        {"PyMem_Malloc", &python_malloc[SG_ALLOCATOR_MEM]},
        {"PyMem_Free", &python_free[SG_ALLOCATOR_MEM]},
        {"PyObject_Malloc", &python_malloc[SG_ALLOCATOR_OBJ]},
        {"PyObject_Free", &python_free[SG_ALLOCATOR_OBJ]},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!sg_python_symbols_look_up(wanted[i].name, wanted[i].target))
            return "this interpreter does not export its allocators";
    return NULL;
}

/* Return the number of the patch's set that has `allocator`; -1 if the allocator belongs to another
 * patch, another tool or the interpreter. */
static int find_set(const struct sg_allocator_patch *patch, const struct sg_allocator *allocator,
                    int domain) {
    for (int set = 0; set < SG_N_HOOK_SETS; set++) {
        if (allocator->malloc == patch->hooks[domain][set].malloc)
            return set;
    }
    return -1;
}

void sg_allocator_patch_end_trial(struct sg_allocator_patch *patch) {
    atomic_store(&patch->trying, 0);
    patch->set_trial(false);
}

static bool is_called(struct sg_allocator_patch *patch, int domain) {
    atomic_store(&patch->is_seen, false);
    atomic_store(&patch->trying, sg_thread_ids_self());
    patch->set_trial(true);
    python_free[domain](python_malloc[domain](1));
    sg_allocator_patch_end_trial(patch);
    return atomic_load(&patch->is_seen);
}

bool sg_allocator_patch_is_trial_call(struct sg_allocator_patch *patch) {
    bool is_trial =
        atomic_load_explicit(&patch->trying, memory_order_relaxed) == sg_thread_ids_self();
    if (is_trial)
        atomic_store_explicit(&patch->is_seen, true, memory_order_relaxed);
    return is_trial;
}

void sg_allocator_patch_apply(struct sg_allocator_patch *patch) {
    for (int domain = 0; domain < SG_N_ALLOCATORS; domain++) {
        struct sg_allocator top;
        get_allocator(domain + FIRST_DOMAIN, &top);
        /* The hooks are in place, on top or below those of a later tool. If they were put on top a
         * second time, they would call each other. */
        if (find_set(patch, &top, domain) >= 0 || is_called(patch, domain))
            continue;
        int set = patch->set_in_use[domain] = 1 - patch->set_in_use[domain];
        if (memcmp(&patch->below[domain][set], &top, sizeof top) != 0)
            patch->below[domain][set] = top;
        struct sg_allocator hooks = patch->hooks[domain][set];
        hooks.context = top.context;
        set_allocator(domain + FIRST_DOMAIN, &hooks);
    }
}

void sg_allocator_patch_restore(struct sg_allocator_patch *patch) {
    for (int domain = 0; get_allocator && domain < SG_N_ALLOCATORS; domain++) {
        struct sg_allocator top;
        get_allocator(domain + FIRST_DOMAIN, &top);
        int set = find_set(patch, &top, domain);
        if (set >= 0)
            set_allocator(domain + FIRST_DOMAIN, &patch->below[domain][set]);
    }
}

bool sg_allocator_patch_is_called(struct sg_allocator_patch *patch) {
    return is_called(patch, SG_ALLOCATOR_MEM) && is_called(patch, SG_ALLOCATOR_OBJ);
}
