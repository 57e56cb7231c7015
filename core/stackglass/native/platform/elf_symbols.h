/* The symbol table in a library's file: addresses of its functions by name, local ones included.
 *
 *     file │ section headers ─▶ .strtab ─choose─▶ offsets of names ─▶ .symtab ─▶ values │
 *
 * Libraries have up to a million symbols and 100 MB of names. So a search goes in steps of some
 * milliseconds, through one buffer, by read(2): a file that is cut short meanwhile is an error and
 * not a fault, as it would be in a mapping. */
#ifndef STACKGLASS_PLATFORM_ELF_SYMBOLS_H
#define STACKGLASS_PLATFORM_ELF_SYMBOLS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Is `text` (of `length`), or the end of it, a name that is wanted? If so, where it begins and a
 * number that says which it is; else false. */
typedef bool sg_elf_choose_fn(const char *text, size_t length, size_t *start, uint32_t *which);

struct sg_elf_symbol {
    uintptr_t value; /* as in the file: less the library's base */
    uint32_t which;
};

enum sg_elf_search_state { SG_ELF_SEARCHING, SG_ELF_FOUND, SG_ELF_UNREADABLE };
enum { SG_ELF_MOST_SYMBOLS = 64, SG_ELF_BUFFER_BYTES = 256 * 1024 };

/* The caller's, zeroed before it is opened; one thread at a time. The file is open only during a
 * call: the engine's threads have different descriptor tables, and a search may be begun in one and
 * ended in another. */
struct sg_elf_search {
    enum sg_elf_search_state state;
    sg_elf_choose_fn *choose;
    const char *path; /* the caller's, until the search is closed */
    dev_t device;     /* of the file; another one at that path is unreadable */
    ino_t inode;
    int descriptor; /* during a call */
    char *buffer;   /* owned; SG_ELF_BUFFER_BYTES */
    uint64_t names_at, names_bytes, symbols_at, symbols_bytes;
    uint64_t position;     /* of the part that is being read */
    size_t n_carried;      /* bytes at the buffer's start, of a name that is not whole yet */
    bool is_among_symbols; /* the second part */
    uint32_t n_names, n_symbols;
    struct sg_elf_name {
        uint64_t offset;
        uint32_t which;
    } names[SG_ELF_MOST_SYMBOLS];
    struct sg_elf_symbol symbols[SG_ELF_MOST_SYMBOLS];
};

/* Open the file at `path`, and see that its program headers are those of the loaded library. The
 * state is then SEARCHING or UNREADABLE; close it in either case. */
void sg_elf_symbols_search_open(struct sg_elf_search *search, const char *path,
                                const ElfW(Phdr) * headers, size_t n_headers,
                                sg_elf_choose_fn *choose);
/* Go on for some milliseconds. FOUND: all functions that were chosen are in `symbols`. */
void sg_elf_symbols_search_step(struct sg_elf_search *search);
void sg_elf_symbols_search_close(struct sg_elf_search *search);

#endif
