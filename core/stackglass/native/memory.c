/* Reads that cannot fault, and pages of our own: see memory.h. */
#include "memory.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

bool sg_memory_read(uintptr_t address, void *copy, size_t size) {
    struct iovec local = {copy, size};
    struct iovec remote = {(void *)address, size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

bool sg_memory_store(void **address, void *value) {
    struct iovec local = {&value, sizeof value};
    struct iovec remote = {address, sizeof value};
    return process_vm_writev(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)sizeof value;
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
