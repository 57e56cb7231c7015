/* Preloaded: after fork_in_visit() the next visit of all loaded libraries ends with a fork. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <unistd.h>

typedef int visit_fn(struct dl_phdr_info *info, size_t size, void *context);

static _Atomic int is_wanted;
static int child = -1; /* of the fork, in the parent; 0 in the child; -1 = there was no fork */

__attribute__((visibility("default"))) void fork_in_visit(void) { is_wanted = 1; }
__attribute__((visibility("default"))) int forked_child(void) { return child; }

__attribute__((visibility("default"))) int dl_iterate_phdr(visit_fn *visit, void *context) {
    static int (*original)(visit_fn * visit, void *context);
    if (!original)
        *(void **)&original = dlsym(RTLD_NEXT, "dl_iterate_phdr");
    int result = original(visit, context);
    if (!result && atomic_exchange(&is_wanted, 0))
        child = fork();
    return result;
}
