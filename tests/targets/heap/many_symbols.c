/* A library with 300 000 symbols that may have an allocator of its own (it calls madvise), so that
 * a search of its symbol table takes many steps. */
#define _DEFAULT_SOURCE
#include <stddef.h>
#include <sys/mman.h>

__asm__(".text\n"
        ".macro one_symbol_more\n"
        "one_of_very_many_symbols_with_a_name_that_is_long_enough_to_take_its_time_when_read_\\@:\n"
        ".endm\n"
        ".rept 300000\n"
        "one_symbol_more\n"
        ".endr\n");

__attribute__((visibility("default"))) int give_back(void *block, size_t size) {
    return madvise(block, size, MADV_DONTNEED);
}
