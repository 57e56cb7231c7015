/* Symbol table of a library's file: addresses of functions by name, local ones included.
 *
 *     file │ section headers ─▶ .strtab ─choose─▶ offsets of names ─▶ .symtab ─▶ values │
 *
 * A library has up to a million symbols and 100 MB of names. So a search goes in steps of some
 * milliseconds, through one buffer. It uses read(2): if the file is truncated meanwhile, the call
 * fails, where an access to a mapping would fault. */
#ifndef STACKGLASS_PLATFORM_ELF_SYMBOLS_H
#define STACKGLASS_PLATFORM_ELF_SYMBOLS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns true if `text`, of `length` bytes, or its end is a wanted name. Then `start` is set to
 * where the name begins, and `which` to the caller's number for the name. */
typedef bool sg_elf_choose_fn(const char *text, size_t length, size_t *start, uint32_t *which);

struct sg_elf_symbol {
    uintptr_t value; /* as in the file: relative to the library's base */
    uint32_t which;
};

enum sg_elf_search_state { SG_ELF_SEARCHING, SG_ELF_FOUND, SG_ELF_UNREADABLE };
enum { SG_ELF_MOST_SYMBOLS = 64, SG_ELF_BUFFER_BYTES = 256 * 1024 };
enum { SG_ELF_MOST_HEADERS = 64 }; /* program headers of a library */

/* Owned by the caller, and zeroed before it is opened; one thread at a time. The file is open only
 * during a call: the engine's threads have different descriptor tables, and a search may begin in
 * one and end in another. */
struct sg_elf_search {
    enum sg_elf_search_state state;
    sg_elf_choose_fn *choose;
    const char *path; /* borrowed until the search is closed */
    dev_t device;     /* of the file; another file at that path counts as unreadable */
    ino_t inode;
    int descriptor; /* during a call */
    char *buffer;   /* owned; SG_ELF_BUFFER_BYTES */
    uint64_t names_at, names_bytes, symbols_at, symbols_bytes;
    uint64_t position;     /* in the part that is being read */
    size_t n_carried;      /* bytes at the buffer's start, of a name that is not complete yet */
    bool is_among_symbols; /* reading the second part */
    uint32_t n_names, n_symbols;
    struct sg_elf_name {
        uint64_t offset;
        uint32_t which;
    } names[SG_ELF_MOST_SYMBOLS];
    struct sg_elf_symbol symbols[SG_ELF_MOST_SYMBOLS];
};

/* Open the file at `path`, and check that its program headers are those of the loaded library. The
 * state is then SEARCHING or UNREADABLE; close the search in either case. */
void sg_elf_symbols_search_open(struct sg_elf_search *search, const char *path,
                                const ElfW(Phdr) * headers, size_t n_headers,
                                sg_elf_choose_fn *choose);
/* Search for some milliseconds. If the state is then FOUND, `symbols` has all chosen functions, or
 * the first SG_ELF_MOST_SYMBOLS of them. */
void sg_elf_symbols_search_step(struct sg_elf_search *search);
void sg_elf_symbols_search_close(struct sg_elf_search *search);

#endif
