/* Finds and sets the C library's word for the malloc arena of a thread. */
#include "platform/thread_arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "platform/loaded_libraries.h"
#include "platform/memory.h"

enum {
    N_BINS = 127,
    ENOUGH_BINS = 120,    /* a list that another thread is changing may look broken */
    FIRST_BIN_BYTES = 64, /* lowest and highest offset of the first list in an arena */
    LAST_BIN_BYTES = 256,
    ARENA_BYTES = LAST_BIN_BYTES + 16 * N_BINS,
    MOST_TLS_BYTES = 1024, /* the C library has some 150 */
};

/* Written by sg_thread_arena_learn, before the engine's threads start. */
static ptrdiff_t word_offset; /* from the thread pointer */
static void *arena;           /* NULL = not learned */

/* The C library's thread-local storage, which is at the same distance from each thread's pointer.
 * Written once. */
static struct block {
    ptrdiff_t offset;
    size_t n_bytes; /* 0 = not known */
} block;

static uintptr_t thread_pointer(void) { return (uintptr_t)__builtin_thread_pointer(); }

static int find_block(struct dl_phdr_info *info, size_t size, void *context) {
    (void)context;
    const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    if (!name || strncmp(name, "/libc.so", 8) != 0 || size < sizeof *info || !info->dlpi_tls_data)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_TLS) {
            block.offset = (ptrdiff_t)((uintptr_t)info->dlpi_tls_data - thread_pointer());
            block.n_bytes = info->dlpi_phdr[i].p_memsz;
        }
    }
    return 1;
}

/* Whether `head` is the head of a list of free chunks. A list links chunks by their third and
 * fourth words, next and previous. Its head is these two words of a chunk that does not exist. */
static bool is_list(uintptr_t head, uintptr_t first, uintptr_t last) {
    uintptr_t chunk = head - 16, back, forth;
    if (first == chunk && last == chunk)
        return true; /* empty */
    return first % 16 == 0 && last % 16 == 0 &&
           sg_memory_read_probed(first + 24, &back, sizeof back) && back == chunk &&
           sg_memory_read_probed(last + 16, &forth, sizeof forth) && forth == chunk;
}

static int count_lists(const uintptr_t *heads, uintptr_t at) {
    int n = 0;
    for (int i = 0; i < N_BINS && n + N_BINS - i >= ENOUGH_BINS; i++)
        n += is_list(at + (uintptr_t)i * 16, heads[2 * i], heads[2 * i + 1]);
    return n;
}

static bool is_arena(uintptr_t candidate) {
    uintptr_t copy[ARENA_BYTES / sizeof(uintptr_t)];
    if (!candidate || candidate % 16 || !sg_memory_read_probed(candidate, copy, sizeof copy))
        return false;
    for (size_t at = FIRST_BIN_BYTES; at < LAST_BIN_BYTES; at += 8)
        if (count_lists(copy + at / 8, candidate + at) >= ENOUGH_BINS)
            return true;
    return false;
}

/* The calling thread may have the GIL, and a thread that holds the loader's lock may wait for the
 * GIL. So the libraries are visited only the first time, just after the loader has loaded the
 * engine and needed the same lock. */
void sg_thread_arena_learn(void) {
    uintptr_t found = 0;
    int n_found = 0;
    if (!block.n_bytes)
        sg_loaded_libraries_visit(find_block, NULL);
    uintptr_t start = thread_pointer() + (uintptr_t)block.offset;
    if (start % sizeof(uintptr_t) || block.n_bytes > MOST_TLS_BYTES)
        return;
    for (size_t at = 0; at + sizeof(uintptr_t) <= block.n_bytes; at += sizeof(uintptr_t)) {
        if (is_arena(sg_memory_load(start + at))) {
            found = start + at;
            n_found++;
        }
    }
    if (n_found != 1)
        return; /* what an earlier attach found stays valid: arenas are never freed */
    word_offset = (ptrdiff_t)(found - thread_pointer());
    arena = (void *)sg_memory_load(found);
}

static void **own_word(void) { return (void **)(thread_pointer() + (uintptr_t)word_offset); }

void sg_thread_arena_enter(void) {
    if (arena && !*own_word())
        *own_word() = arena;
}

/* Clear the word, because the C library counts the threads of an arena, and has not counted this
 * thread. */
void sg_thread_arena_leave(void) {
    if (arena && *own_word() == arena)
        *own_word() = NULL;
}
