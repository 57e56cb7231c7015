/* Memory of this process, read and written where the address may be invalid. */
#ifndef STACKGLASS_PLATFORM_MEMORY_H
#define STACKGLASS_PLATFORM_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copy `size` bytes from `address`. Returns false if any of them cannot be read. Uses
 * process_vm_readv (some 600 ns) or, if a system call filter forbids that, sg_memory_read_probed.
 * Called by engine threads. Async-signal-safe; may change errno. */
bool sg_memory_read(uintptr_t address, void *copy, size_t size);

/* Do the same where another thread may unmap the memory at any moment, as a thread that runs does
 * with its data stack. Nothing is read in place: where process_vm_readv is forbidden, the kernel
 * copies from /proc/self/mem (some 3 us), and if that cannot be opened, nothing can be read. It
 * also copies pages that the program cannot read, so success does not allow a read in place. */
bool sg_memory_read_foreign(uintptr_t address, void *copy, size_t size);

/* Do the same in handlers and hooks on the program's threads, which may be under a filter of their
 * own. A call that every threaded program makes (rt_sigprocmask, some 100 ns a page) shows whether
 * the pages can be read. Then they are read in place, so no other thread may unmap them meanwhile.
 * Keeps errno. */
bool sg_memory_read_probed(uintptr_t address, void *copy, size_t size);

/* Read 4 bytes in a hook on a thread of the program, where another thread may unmap them at any
 * moment. The 4 bytes before them must be readable, too. Uses rt_sigprocmask, which blocks some
 * signals of the calling thread for some 200 ns. If the thread itself blocks real-time signals,
 * this is sg_memory_read_probed. Keeps errno. */
bool sg_memory_read_fleeting(uintptr_t address, uint32_t *value);

/* Whether a pointer can be written. A futex operation that changes nothing shows that; it is
 * atomic, so a store by another thread is never undone. Any thread, also one under a filter of its
 * own, since every threaded program makes this call. Not async-signal-safe. */
bool sg_memory_is_writable(void **address);
/* Store a pointer, by an ordinary store. Returns false if it cannot be written there. */
bool sg_memory_store(void **address, void *value);

/* Map zeroed pages outside the program's heaps; NULL if memory runs out. */
void *sg_memory_map(size_t size);
void sg_memory_unmap(void *address, size_t size);
/* Unmap what `pointer` points to, after setting it to NULL: a child that is forked in between leaks
 * the pages, and never unmaps what another thread may have mapped there since. */
#define SG_MEMORY_DROP(pointer, size)                                                              \
    do {                                                                                           \
        void *dropped = (void *)(pointer);                                                         \
        size_t dropped_bytes = (size);                                                             \
        (pointer) = NULL;                                                                          \
        atomic_signal_fence(memory_order_seq_cst);                                                 \
        sg_memory_unmap(dropped, dropped_bytes);                                                   \
    } while (0)

static inline uint64_t sg_memory_load(uintptr_t address) { return *(const uint64_t *)address; }
static inline int32_t sg_memory_load_int(uintptr_t address) { return *(const int32_t *)address; }

#endif
