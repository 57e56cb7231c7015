/* Slots of threads, and the scan of /proc/self/task.
 *
 *     slots   │ 64 │ 64 │ not needed yet │ …     blocks, mapped when they are needed, never moved
 *     scan    a new generation: each thread of the folder gets it, new ones a slot;
 *             a slot that did not get it is that of a thread which has ended, if the thread has
 *             no CPU clock either
 *
 * A slot is in use while it has a `tid`, which is stored last and cleared last. So a handler, which
 * does not wait for the lock, sees a whole slot or a free one. */
#include "cpu/threads.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu/signals.h"
#include "platform/engine_threads.h"
#include "platform/fd_table.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"
#include "platform/time.h"

enum { BLOCK_SLOTS = 64, N_BLOCKS = SG_MAX_THREADS / BLOCK_SLOTS };
static const size_t BLOCK_BYTES = BLOCK_SLOTS * sizeof(struct sg_slot);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never taken in a handler */

/* Guarded by `lock`. Handlers read blocks without it: a block is mapped when it is needed, and
 * stays while threads are armed. 64 slots take half a MiB of address space, all of them 33. */
static struct sg_slot *_Atomic blocks[N_BLOCKS]; /* (BLOCK_SLOTS,) each; NULL = not needed yet */
static _Atomic uint32_t n_slots; /* beyond these every slot is free; handlers read it too */
static uint32_t n_threads;
static uint32_t n_unsampled; /* threads that the last scan found no slot for */
static uint32_t generation;
static bool is_native;          /* samples have C frames */
static uint32_t next_guess;     /* the slot after the one found last */
static int task_directory = -1; /* in the engine's descriptor table */

static struct sg_slot *slot_at(uint32_t i) {
    return atomic_load_explicit(&blocks[i / BLOCK_SLOTS], memory_order_acquire) + i % BLOCK_SLOTS;
}

static bool has_block(uint32_t block) {
    if (!atomic_load(&blocks[block]))
        atomic_store(&blocks[block], sg_memory_map(BLOCK_BYTES));
    return atomic_load(&blocks[block]) != NULL;
}

void sg_threads_lock(void) { pthread_mutex_lock(&lock); }
void sg_threads_unlock(void) { pthread_mutex_unlock(&lock); }
void sg_threads_reset_lock(void) { pthread_mutex_init(&lock, NULL); }

const char *sg_threads_open(void) {
    if (!has_block(0))
        return "there is no memory for the list of threads";
    task_directory = sg_fd_table_keep(open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return task_directory < 0 ? "the process's threads cannot be listed (/proc/self/task)" : NULL;
}

void sg_threads_close(void) {
    if (task_directory >= 0)
        sg_fd_table_close(task_directory);
    task_directory = -1;
}

void sg_threads_discard(void) {
    for (uint32_t i = 0; i < N_BLOCKS; i++)
        sg_memory_unmap(atomic_exchange(&blocks[i], NULL), BLOCK_BYTES);
    n_slots = n_threads = n_unsampled = 0;
    task_directory = -1;
}

uint32_t sg_threads_count_all(void) {
    struct stat status;
    /* Uses the system call, because libraries before glibc 2.33 have no symbol `fstat`. */
    if (syscall(SYS_fstat, task_directory, &status) != 0 || status.st_nlink < 2)
        return 0;
    return (uint32_t)status.st_nlink - 2;
}

struct sg_slot *sg_threads_find(pid_t tid) {
    /* Threads are mostly looked up in the order in which they were found. */
    for (uint32_t i = 0; i < n_slots; i++) {
        uint32_t candidate = (next_guess + i) % n_slots;
        if (atomic_load(&slot_at(candidate)->tid) == tid) {
            next_guess = candidate + 1;
            return slot_at(candidate);
        }
    }
    return NULL;
}

static struct sg_slot *fill_slot(pid_t tid) {
    uint32_t i = 0;
    while (i < n_slots && atomic_load(&slot_at(i)->tid) != 0)
        i++;
    if (i == SG_MAX_THREADS || !has_block(i / BLOCK_SLOTS))
        return NULL;
    struct sg_slot *slot = slot_at(i);
    memset(slot, 0, offsetof(struct sg_slot, frames));
    slot->perf_fd = SG_NO_FD;
    slot->timer = slot->wall_timer = SG_NO_TIMER;
    atomic_store(&slot->is_native, is_native);
    atomic_store(&slot->tid, tid);
    if (i == n_slots)
        n_slots++;
    n_threads++;
    return slot;
}

static void see(pid_t tid, sg_slot_fn *arrive) {
    if (sg_engine_threads_has(tid))
        return; /* not marked as seen, so its former slot is freed */
    struct sg_slot *slot = sg_threads_find(tid);
    if (!slot) {
        slot = fill_slot(tid);
        if (slot)
            arrive(slot);
    }
    if (slot)
        slot->generation = generation;
    else
        n_unsampled++;
}

struct directory_entry { /* as the kernel fills it */
    uint64_t inode;
    int64_t offset;
    unsigned short bytes;
    unsigned char type;
    char name[];
};

/* Has the slot's thread ended? A list without the thread does not prove it: if the thread that the
 * kernel has just listed ends, the kernel finds its place again by counting, and passes over a
 * thread that lives. A thread of the engine has no slot. */
static bool has_ended(const struct sg_slot *slot) {
    pid_t tid = atomic_load(&slot->tid);
    uint64_t cpu_ns;
    return sg_engine_threads_has(tid) || !sg_time_read(sg_time_thread_clock(tid), &cpu_ns);
}

void sg_threads_scan(sg_slot_fn *arrive, sg_slot_fn *leave) {
    _Alignas(struct directory_entry) char buffer[8192];
    generation++;
    n_unsampled = 0;
    lseek(task_directory, 0, SEEK_SET);
    long n_bytes;
    while ((n_bytes = syscall(SYS_getdents64, task_directory, buffer, sizeof buffer)) > 0) {
        for (long at = 0; at < n_bytes;) {
            const struct directory_entry *entry = (const struct directory_entry *)(buffer + at);
            pid_t tid = (pid_t)strtol(entry->name, NULL, 10);
            if (tid > 0)
                see(tid, arrive);
            at += entry->bytes;
        }
    }
    if (n_bytes < 0)
        return; /* an incomplete list does not show which threads have ended */
    for (uint32_t i = 0; i < n_slots; i++) {
        struct sg_slot *slot = slot_at(i);
        if (atomic_load(&slot->tid) && slot->generation != generation && has_ended(slot)) {
            leave(slot);
            atomic_store(&slot->tid, 0);
            n_threads--;
        }
    }
    while (n_slots && !atomic_load(&slot_at(n_slots - 1)->tid))
        n_slots--;
}

void sg_threads_each(sg_slot_fn *visit) {
    for (uint32_t i = 0; i < n_slots; i++) {
        if (atomic_load(&slot_at(i)->tid))
            visit(slot_at(i));
    }
}

uint32_t sg_threads_count(void) { return n_threads; }

uint32_t sg_threads_count_unsampled(void) { return n_unsampled; }

void sg_threads_set_native(bool wanted) {
    if (wanted == is_native)
        return;
    is_native = wanted;
    for (uint32_t i = 0; i < n_slots; i++)
        atomic_store(&slot_at(i)->is_native, wanted);
}

/* Read the beginning of a file of the thread's /proc directory. Returns false if the thread has
 * ended. */
static bool read_of(const struct sg_slot *slot, const char *name, char *text, size_t capacity) {
    char path[32];
    snprintf(path, sizeof path, "%d/%s", (int)atomic_load(&slot->tid), name);
    int file = openat(task_directory, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t n_bytes = read(file, text, capacity - 1);
    close(file);
    text[n_bytes > 0 ? n_bytes : 0] = 0;
    return n_bytes > 0;
}

bool sg_threads_wants_processor(const struct sg_slot *slot) {
    char stat[128];
    if (!read_of(slot, "stat", stat, sizeof stat))
        return false;
    const char *at = strrchr(stat, ')'); /* a name may hold anything */
    return at && strncmp(at, ") R", 3) == 0;
}

/* The thread in which the library was entered, and its mask during that call. The injector blocks
 * nearly all signals for as long, also the two of the C library; but when the C library restores a
 * mask, it leaves these two out. Lock-free; 0 = none. */
static _Atomic pid_t visited_tid;
static _Atomic uint64_t visited_mask;

void sg_threads_note_visited(void) {
    uint64_t mask = 0;
    /* Not the C library's function, which hides signals of its own. */
    if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &mask, sizeof mask))
        return;
    atomic_store(&visited_mask, mask & ~SG_SIGNALS_OF_LIBRARY);
    atomic_store(&visited_tid, sg_thread_ids_own());
}

bool sg_threads_mask(const struct sg_slot *slot, uint64_t *blocked) {
    /* Guarded by `lock`. The user's groups come before the mask: this has room for 5000 of them. */
    static char status[1 << 16];
    if (!read_of(slot, "status", status, sizeof status))
        return false;
    const char *line = strstr(status, "\nSigBlk:");
    if (!line)
        return false;
    *blocked = strtoull(line + 8, NULL, 16);
    if ((*blocked & SG_SIGNALS_OF_LIBRARY) == SG_SIGNALS_HANDLER_MARK)
        *blocked = 0;
    else if (atomic_load(&visited_tid) == atomic_load(&slot->tid) &&
             (*blocked & ~SG_SIGNALS_OF_LIBRARY) == atomic_load(&visited_mask))
        *blocked |= SG_SIGNALS_OF_LIBRARY;
    return true;
}

struct sg_slot *sg_threads_check(void *pointer) {
    for (uint32_t i = 0; i < N_BLOCKS; i++) {
        uintptr_t block = (uintptr_t)atomic_load_explicit(&blocks[i], memory_order_acquire);
        if (!block)
            return NULL;
        uintptr_t offset = (uintptr_t)pointer - block;
        if (offset < BLOCK_BYTES)
            return offset % sizeof(struct sg_slot) == 0 ? pointer : NULL;
    }
    return NULL;
}

struct sg_slot *sg_threads_find_caller(void) {
    uintptr_t self = (uintptr_t)pthread_self();
    uint32_t n = atomic_load(&n_slots);
    for (uint32_t i = 0; i < n; i++)
        if (atomic_load_explicit(&slot_at(i)->self, memory_order_relaxed) == self &&
            atomic_load(&slot_at(i)->tid))
            return slot_at(i);
    pid_t tid = (pid_t)syscall(SYS_gettid);
    for (uint32_t i = 0; i < n; i++)
        if (atomic_load(&slot_at(i)->tid) == tid)
            return slot_at(i);
    return NULL;
}
