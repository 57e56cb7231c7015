/* Memory of this process: reads that cannot fault, stores, and mapped pages. */
#include "platform/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "platform/permitted_calls.h"

static const uintptr_t WORD_BYTES = 8, PAGE_BYTES = 4096; /* pages may be larger, never smaller */

/* Whether the word can be read. rt_sigprocmask reads the signal mask from `word` before it checks
 * `how`: it fails with EINVAL for this `how` only if the word was readable. */
static bool is_readable(uintptr_t word) {
    enum { NO_SUCH_HOW = -1, MASK_BYTES = 8 };
    int saved_errno = errno;
    bool is_refused =
        syscall(SYS_rt_sigprocmask, NO_SUCH_HOW, word, NULL, MASK_BYTES) == -1 && errno == EINVAL;
    errno = saved_errno;
    return is_refused;
}

/* A readable page may hold freed memory, and reading it is no mistake here: AddressSanitizer must
 * not check it. */
#ifdef __SANITIZE_ADDRESS__
__attribute__((no_sanitize_address, noinline)) static void copy_any(void *to, uintptr_t from,
                                                                    size_t size) {
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)to)[i] = ((const volatile uint8_t *)from)[i];
}
#else
static inline void copy_any(void *to, uintptr_t from, size_t size) {
    memcpy(to, (const void *)from, size);
}
#endif

bool sg_memory_read_probed(uintptr_t address, void *copy, size_t size) {
    if (!size || address + size < address)
        return !size;
    for (uintptr_t word = address & ~(WORD_BYTES - 1);; word = (word | (PAGE_BYTES - 1)) + 1) {
        if (!is_readable(word))
            return false;
        if ((address + size - 1) / PAGE_BYTES == word / PAGE_BYTES)
            break;
    }
    copy_any(copy, address, size);
    return true;
}

static bool read_by_call(uintptr_t address, void *copy, size_t size) {
    struct iovec local = {copy, size};
    struct iovec remote = {(void *)address, size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* The kernel copies, so that memory that goes away meanwhile is an error and no fault. The file is
 * opened anew each time: under a filter the engine may share the program's descriptors. */
static bool read_file(uintptr_t address, void *copy, size_t size) {
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    ssize_t n = memory < 0 ? -1 : pread(memory, copy, size, (off_t)address);
    if (memory >= 0)
        close(memory);
    return n == (ssize_t)size;
}

bool sg_memory_read_foreign(uintptr_t address, void *copy, size_t size) {
    return sg_permitted_calls_may(SG_CALL_PROCESS_VM) ? read_by_call(address, copy, size)
                                                      : read_file(address, copy, size);
}

bool sg_memory_read(uintptr_t address, void *copy, size_t size) {
    return sg_permitted_calls_may(SG_CALL_PROCESS_VM) ? read_by_call(address, copy, size)
                                                      : sg_memory_read_probed(address, copy, size);
}

/* The kernel copies 8 bytes as a set of signals to block, and the mask afterwards shows the set,
 * except for signals that were blocked before. SIGKILL and SIGSTOP are never blocked: they belong
 * to the first 4 bytes, and the wanted bytes are the last 4. */
bool sg_memory_read_fleeting(uintptr_t address, uint32_t *value) {
    enum { MASK_BYTES = 8, HALF_BYTES = 4, HALF_BITS = 32 };
    uint64_t before = 0, after = 0;
    int saved_errno = errno;
    bool is_read =
        syscall(SYS_rt_sigprocmask, SIG_BLOCK, address - HALF_BYTES, &before, MASK_BYTES) == 0;
    if (is_read)
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, &after, MASK_BYTES);
    errno = saved_errno;
    *value = (uint32_t)(after >> HALF_BITS);
    return is_read &&
           (!(before >> HALF_BITS) || sg_memory_read_probed(address, value, sizeof *value));
}

/* The futex operation ORs 0 into the pointer's first half, and fails if the kernel cannot write
 * there. */
bool sg_memory_is_writable(void **address) {
    uint32_t nothing_waits = 0;
    return syscall(SYS_futex, &nothing_waits, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, NULL, address,
                   FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0)) >= 0;
}

bool sg_memory_store(void **address, void *value) {
    bool may_store = sg_memory_is_writable(address);
    if (may_store)
        atomic_store((void *_Atomic *)address, value);
    return may_store;
}

void *sg_memory_map(size_t size) {
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void sg_memory_unmap(void *address, size_t size) {
    if (address)
        munmap(address, size);
}
