/* An allocator below the hooks that has no memory for one byte: install(domain), fail(whether). */
#include <stddef.h>

#include "allocator_below.h"

static int is_failing;

static void *allocate(void *context, size_t size) {
    return is_failing && size == 1 ? NULL : below.malloc(context, size);
}

void fail(int whether) { is_failing = whether; }
