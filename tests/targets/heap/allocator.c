/* Gets memory in every way there is, as a library of an extension would; on its own threads too. */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SHOWN __attribute__((visibility("default")))

enum { MALLOC, CALLOC, ALIGNED, POSIX, MEMALIGN, REALLOC, REALLOCARRAY, BY_POINTER, MMAP };
enum { MAX_THREADS = 8, N_KEPT = 32 };

static void *(*volatile by_pointer)(size_t) = malloc; /* in initialised data */

SHOWN void *get(int way, size_t size) {
    void *block = NULL;
    switch (way) {
    case MALLOC:
        return malloc(size);
    case CALLOC:
        return calloc(1, size);
    case ALIGNED:
        return aligned_alloc(64, size);
    case POSIX:
        return posix_memalign(&block, 64, size) ? NULL : block;
    case MEMALIGN:
        return memalign(64, size);
    case REALLOC:
        return realloc(NULL, size);
    case REALLOCARRAY:
        return reallocarray(NULL, 1, size);
    case BY_POINTER:
        return by_pointer(size);
    default:
        return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
}

/* What another tool would put into other libraries' tables. */
SHOWN void *foreign_malloc(size_t size) { return malloc(size); }
SHOWN void *change(void *block, size_t size) { return realloc(block, size); }
SHOWN void give_back(void *block) { free(block); }
SHOWN int give_back_pages(void *pages, size_t size) { return munmap(pages, size); }
SHOWN void *reserve(size_t size) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                0);
}

static atomic_int is_over;
static atomic_long n_rounds, n_wrong;
static pthread_t threads[MAX_THREADS];
static int n_threads;
static pthread_key_t at_end; /* its destructor runs when the thread's own data goes */

static void fill(unsigned char *block, size_t size) { memset(block, (int)(size & 0xff), size); }

static void check(const unsigned char *block, size_t size) {
    if (block[0] != (size & 0xff) || block[size - 1] != (size & 0xff))
        atomic_fetch_add(&n_wrong, 1);
}

static void churn(unsigned *seed) {
    unsigned char *kept[N_KEPT] = {0};
    size_t sizes[N_KEPT] = {0};
    for (int i = 0; i < 200; i++) {
        int at = rand_r(seed) % N_KEPT;
        size_t size = 1 + (size_t)rand_r(seed) % 3000;
        if (kept[at])
            check(kept[at], sizes[at]);
        if (kept[at] && i % 3) {
            free(kept[at]);
            kept[at] = get(rand_r(seed) % MMAP, size);
        } else {
            kept[at] = realloc(kept[at], size);
        }
        sizes[at] = size;
        fill(kept[at], size);
    }
    for (int at = 0; at < N_KEPT; at++)
        free(kept[at]);
}

static void *run_brief(void *argument) {
    pthread_setspecific(at_end, malloc(500));
    return malloc(100);
}

static void *run(void *argument) {
    unsigned seed = (unsigned)(uintptr_t)argument;
    while (!atomic_load(&is_over)) {
        pthread_t brief;
        void *result = NULL;
        churn(&seed);
        if (!pthread_create(&brief, NULL, run_brief, NULL)) {
            pthread_join(brief, &result);
            free(result);
        }
        atomic_fetch_add(&n_rounds, 1);
    }
    return NULL;
}

SHOWN void start_churn(int n) {
    pthread_key_create(&at_end, free);
    atomic_store(&is_over, 0);
    for (n_threads = 0; n_threads < n && n_threads < MAX_THREADS; n_threads++)
        pthread_create(&threads[n_threads], NULL, run, (void *)(uintptr_t)(n_threads + 1));
}

/* Returns how many rounds there were, or less than nothing if memory was not as it should be. */
SHOWN long stop_churn(void) {
    atomic_store(&is_over, 1);
    for (int i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    return atomic_load(&n_wrong) ? -atomic_load(&n_wrong) : atomic_load(&n_rounds);
}

static void *get_one(void *size) { return malloc((size_t)size); }

/* A block that is allocated by a thread that knows nothing of Python. */
SHOWN void *get_elsewhere(size_t size) {
    pthread_t thread;
    void *block = NULL;
    pthread_create(&thread, NULL, get_one, (void *)size);
    pthread_join(thread, &block);
    return block;
}
