/* Preloaded: other threads than the main one stay in the loader's list of libraries, with the lock
 * that guards it, for a while; or, after keep_loader(), until release_loader(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef int visit_fn(struct dl_phdr_info *info, size_t size, void *context);

struct visit {
    visit_fn *visit;
    void *context;
    int has_waited;
};

static const struct timespec A_WHILE = {0, 3 * 1000 * 1000};
static _Atomic int is_kept, n_inside;

__attribute__((visibility("default"))) void keep_loader(void) { is_kept = 1; }
__attribute__((visibility("default"))) void release_loader(void) { is_kept = 0; }
/* Threads that are in the list now. */
__attribute__((visibility("default"))) int count_inside(void) { return n_inside; }

static int visit_slowly(struct dl_phdr_info *info, size_t size, void *context) {
    struct visit *visit = context;
    if (!visit->has_waited) {
        visit->has_waited = 1;
        n_inside++;
        do
            nanosleep(&A_WHILE, NULL);
        while (is_kept);
        n_inside--;
    }
    return visit->visit(info, size, visit->context);
}

__attribute__((visibility("default"))) int dl_iterate_phdr(visit_fn *visit, void *context) {
    static int (*original)(visit_fn * visit, void *context);
    struct visit slow = {visit, context, 0};
    if (!original)
        *(void **)&original = dlsym(RTLD_NEXT, "dl_iterate_phdr");
    if (syscall(SYS_gettid) == getpid())
        return original(visit, context);
    return original(visit_slowly, &slow);
}
