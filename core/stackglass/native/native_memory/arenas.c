/* Regions of reserved address space, each with a count of resident bytes for every 2 MiB of it.
 *
 *     events ─▶ regions: mmap adds one, munmap cuts one or splits it in two
 *     cursor (next, next_chunk) ─▶ each turn measures chunks for some milliseconds, round and round
 *     chunk whose count has changed ─▶ the old block is freed, a new one of that size is allocated
 *
 * So to the heap profiler each chunk is one sampled block of rate 1 at the chunk's address. While
 * the heap's rate is 0 counts only go down, as frees of sampled blocks still count then. */
#include "native_memory/arenas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "heap/allocator_hooks.h"
#include "heap/arena_events.h"
#include "heap/capture.h"
#include "heap/ledger.h"
#include "interpreter/elf_object.h"
#include "native_memory/private_allocators.h"
#include "platform/loaded_libraries.h"
#include "platform/resident_pages.h"
#include "platform/time.h"
#include "platform/vector.h"

enum {
    CHUNK_BYTES = 2 << 20,
    MOST_REGIONS = 1 << 14,
    MOST_CHUNKS = 1 << 18, /* of one region: half a terabyte */
    STEP_NS = 4 * 1000 * 1000,
    REST = 50, /* pause after a measurement, as a multiple of the CPU time that it took */
    NAME_BYTES = 80,
};

struct region {
    uintptr_t start, end; /* start 0 = released */
    uintptr_t caller;
    uint32_t library; /* number of the caller's library; 0 = a library without a number */
    pid_t tid;
    uint32_t depth;
    struct sg_frame *frames; /* (depth,), leaf first; [0] is the arena's own; owned */
    uint32_t *n_bytes;       /* (n_chunks,), resident when last measured; owned */
    size_t n_chunks;
};

/* Used by the writer, except that the last two functions of arenas.h clear them. */
static struct SG_ROWS_OF(struct region) regions;
static size_t next; /* region to be measured next */
static size_t next_chunk;
static int64_t due_ns;                                 /* time of the next measurement */
static uint64_t bytes_of[SG_MOST_ARENA_LIBRARIES + 1]; /* by library */

/* ---- Libraries ---- */

struct owner {
    uintptr_t address;
    char name[NAME_BYTES];
};

static int find_owner(struct dl_phdr_info *info, size_t size, void *context) {
    struct owner *owner = context;
    struct sg_elf_object object;
    (void)size;
    if (!sg_elf_object_open(&object, info) || !sg_elf_object_holds(&object, owner->address))
        return 0;
    const char *slash = strrchr(info->dlpi_name, '/');
    snprintf(owner->name, sizeof owner->name, "%s", slash ? slash + 1 : info->dlpi_name);
    return 1;
}

static uint32_t number_of(uintptr_t address) {
    struct owner owner = {.address = address};
    if (!sg_loaded_libraries_visit(find_owner, &owner))
        return 0;
    return sg_arena_names_number(owner.name);
}

/* ---- Blocks ---- */

static uintptr_t chunk_start(const struct region *region, size_t chunk) {
    uintptr_t start = (region->start & ~(uintptr_t)(CHUNK_BYTES - 1)) + chunk * CHUNK_BYTES;
    return start > region->start ? start : region->start;
}

static uintptr_t chunk_end(const struct region *region, size_t chunk) {
    uintptr_t end = (region->start & ~(uintptr_t)(CHUNK_BYTES - 1)) + (chunk + 1) * CHUNK_BYTES;
    return end < region->end ? end : region->end;
}

static void set_chunk(struct region *region, size_t chunk, uint64_t n_bytes) {
    const struct sg_heap_moment moment = {
        .time = sg_heap_capture_moment().time,
        .tid = region->tid,
    };
    const struct sg_heap_alloc alloc = {
        .address = chunk_start(region, chunk),
        .size = n_bytes,
        .rate = 1,
        .kind = SG_HEAP_NATIVE,
    };
    if (region->n_bytes[chunk])
        sg_heap_ledger_free(&moment, alloc.address);
    if (n_bytes)
        sg_heap_ledger_alloc_at(&moment, &alloc, region->frames, region->depth);
    bytes_of[region->library] += n_bytes - region->n_bytes[chunk];
    region->n_bytes[chunk] = (uint32_t)n_bytes;
}

/* ---- Regions ---- */

static void drop(struct region *region) {
    for (size_t i = 0; i < region->n_chunks; i++) {
        if (region->n_bytes[i])
            set_chunk(region, i, 0);
    }
    free(region->frames);
    free(region->n_bytes);
    *region = (struct region){0};
}

static struct region *find_free(void) {
    for (size_t i = 0; i < regions.n; i++) {
        if (!regions.at[i].start)
            return &regions.at[i];
    }
    if (regions.n == MOST_REGIONS || !SG_ROWS_ADD(&regions, (struct region){0}))
        return NULL;
    return &regions.at[regions.n - 1];
}

/* Add a region from `start` to `end` that is otherwise like `of`. If memory is short, the region is
 * not counted. */
static void add_like(const struct region *of, uintptr_t start, uintptr_t end) {
    struct region region = *of;
    region.start = start;
    region.end = end;
    region.n_chunks =
        (end - (start & ~(uintptr_t)(CHUNK_BYTES - 1)) + CHUNK_BYTES - 1) / CHUNK_BYTES;
    if (region.n_chunks > MOST_CHUNKS)
        return;
    region.n_bytes = calloc(region.n_chunks, sizeof *region.n_bytes);
    region.frames = malloc(region.depth * sizeof *region.frames);
    struct region *found = region.n_bytes && region.frames ? find_free() : NULL;
    if (!found) {
        free(region.n_bytes);
        free(region.frames);
        return;
    }
    memcpy(region.frames, of->frames, region.depth * sizeof *region.frames);
    *found = region;
}

static void release(uintptr_t start, uintptr_t end) {
    size_t n = regions.n;
    for (size_t i = 0; i < n; i++) {
        struct region region = regions.at[i];
        if (!region.start || region.start >= end || region.end <= start)
            continue;
        regions.at[i] = (struct region){0}; /* a part may take its place */
        if (region.start < start)
            add_like(&region, region.start, start);
        if (region.end > end)
            add_like(&region, end, region.end);
        drop(&region);
    }
}

static void apply(const struct sg_arena_event *event) {
    uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t end = (event->start + event->size + page_bytes - 1) & ~(page_bytes - 1);
    struct sg_frame frames[event->depth + 1];
    release(event->start, end); /* also an older mapping whose end was not seen */
    if (event->is_unmap || sg_private_allocators_follow(event->caller))
        return;
    sg_private_allocators_add_arena(event->caller);
    struct region region = {
        .caller = event->caller,
        .library = number_of(event->caller),
        .tid = event->tid,
        .depth = event->depth + 1,
        .frames = frames,
    };
    frames[0] = (struct sg_frame){SG_FIRST_ARENA_ID + region.library, -1};
    memcpy(frames + 1, event->frames, event->depth * sizeof *frames);
    if (region.depth > sg_heap_capture_depth)
        region.depth = sg_heap_capture_depth;
    add_like(&region, event->start, end);
}

static void forget_all(void) {
    for (size_t i = 0; i < regions.n; i++) {
        if (regions.at[i].start)
            drop(&regions.at[i]);
    }
}

/* Drop the regions of allocators that are followed by now: their blocks are recorded one by one. */
static void drop_followed(void) {
    for (size_t i = 0; i < regions.n; i++) {
        if (regions.at[i].start && sg_private_allocators_follow(regions.at[i].caller))
            drop(&regions.at[i]);
    }
}

/* Measure chunks until `end_ns`, from where the last call stopped. There must be a region. */
static void measure_pages(int descriptor, int64_t end_ns) {
    bool is_sampling = sg_allocator_hooks_rate() != 0;
    for (size_t n_left = regions.n + 1; n_left; n_left--, next++, next_chunk = 0) {
        if (next >= regions.n)
            next = next_chunk = 0;
        struct region *region = &regions.at[next];
        for (; region->start && next_chunk < region->n_chunks; next_chunk++) {
            if (sg_time_mono_ns() >= end_ns)
                return;
            uint64_t n_bytes = sg_resident_pages_count(descriptor, chunk_start(region, next_chunk),
                                                       chunk_end(region, next_chunk));
            bool has_grown = n_bytes > region->n_bytes[next_chunk];
            if (n_bytes != region->n_bytes[next_chunk] && (is_sampling || !has_grown))
                set_chunk(region, next_chunk, n_bytes);
        }
    }
}

static int64_t read_cpu_ns(void) { return (int64_t)sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

void sg_arenas_learn(void) {
    if (!sg_arena_events_drain(apply))
        forget_all();
    drop_followed();
}

void sg_arenas_measure(void) {
    int64_t begun_ns = sg_time_mono_ns(), begun_cpu_ns = read_cpu_ns();
    sg_arenas_learn();
    if (!regions.n || begun_ns < due_ns)
        return;
    int descriptor = sg_resident_pages_open();
    if (descriptor < 0)
        return;
    measure_pages(descriptor, begun_ns + STEP_NS);
    close(descriptor);
    due_ns = sg_time_mono_ns() + REST * (read_cpu_ns() - begun_cpu_ns);
}

size_t sg_arenas_list(struct sg_arena_library libraries[SG_MOST_ARENA_LIBRARIES + 1]) {
    size_t n = 0;
    for (uint32_t i = 0; i <= SG_MOST_ARENA_LIBRARIES; i++) {
        if (bytes_of[i])
            libraries[n++] = (struct sg_arena_library){sg_arena_names_file(i), bytes_of[i]};
    }
    return n;
}

void sg_arenas_forget(void) {
    for (size_t i = 0; i < regions.n; i++) {
        free(regions.at[i].frames);
        free(regions.at[i].n_bytes);
    }
    free(regions.at);
    sg_arenas_forget_in_child();
}

void sg_arenas_forget_in_child(void) {
    memset(&regions, 0, sizeof regions);
    next = next_chunk = 0;
    due_ns = 0;
    memset(bytes_of, 0, sizeof bytes_of);
}
