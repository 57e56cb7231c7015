/* An allocator of the program's own below the hooks: install(get, set, domain) puts `allocate`,
 * which the file that includes this defines, in place of a domain's malloc. */
#include <stddef.h>

struct allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t n, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};

static struct allocator below;
static void *allocate(void *context, size_t size);

void install(void (*get)(int, struct allocator *), void (*set)(int, struct allocator *),
             int domain) {
    get(domain, &below);
    struct allocator own = below;
    own.malloc = allocate;
    set(domain, &own);
}

void uninstall(void (*set)(int, struct allocator *), int domain) { set(domain, &below); }
