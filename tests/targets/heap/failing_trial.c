/* An allocator below the hooks that has no memory for one byte: install(domain), fail(whether). */
#include <stddef.h>

struct allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t n, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};

static struct allocator below;
static int is_failing;

static void *allocate(void *context, size_t size) {
    return is_failing && size == 1 ? NULL : below.malloc(context, size);
}

void install(void (*get)(int, struct allocator *), void (*set)(int, struct allocator *),
             int domain) {
    get(domain, &below);
    struct allocator own = below;
    own.malloc = allocate;
    set(domain, &own);
}

void uninstall(void (*set)(int, struct allocator *), int domain) { set(domain, &below); }

void fail(int whether) { is_failing = whether; }
