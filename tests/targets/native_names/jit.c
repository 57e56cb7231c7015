/* A library that registers code as LLVM does: GDB's JIT interface, with a descriptor that only its
 * own code can name. */
#include <stdint.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default"))) extern

struct entry {
    struct entry *next, *previous;
    const void *object;
    uint64_t n_bytes;
};

struct {
    uint32_t version, action;
    struct entry *relevant, *first;
} __jit_debug_descriptor = {.version = 1};

EXPORTED struct entry *add_object(const void *object, uint64_t n_bytes);
EXPORTED void drop_objects(void);

struct entry *add_object(const void *object, uint64_t n_bytes) {
    struct entry *entry = calloc(1, sizeof *entry);
    *entry = (struct entry){.next = __jit_debug_descriptor.first, NULL, object, n_bytes};
    return __jit_debug_descriptor.first = entry;
}

void drop_objects(void) { __jit_debug_descriptor.first = NULL; }
