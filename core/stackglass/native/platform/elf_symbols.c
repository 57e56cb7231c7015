/* Incremental search of a library file's symbol table, through one buffer.
 *
 *     names     .strtab, part by part: choose() ─▶ offsets of the wanted ones
 *     symbols   .symtab, part by part: functions with one of these offsets ─▶ values
 *
 * If the file has no full table, that of the exported symbols is read. The file is opened anew for
 * each step, so that no descriptor stays open in between. It must be the same file each time
 * (device, inode), and at first the file that is loaded: its program headers are compared. */
#include "platform/elf_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/memory.h"
#include "platform/time.h"

enum {
    STEP_NS = 3 * 1000 * 1000,
    MOST_SECTIONS = 4096,
};

/* Read exactly `size` bytes at offset `at`. Returns false if that fails. */
static bool read_at(const struct sg_elf_search *search, uint64_t at, void *into, size_t size) {
    for (size_t n = 0; n < size;) {
        ssize_t got = pread(search->descriptor, (char *)into + n, size - n, (off_t)(at + n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        n += (size_t)got;
    }
    return true;
}

static bool is_loaded_file(struct sg_elf_search *search, const ElfW(Ehdr) * file,
                           const ElfW(Phdr) * headers, size_t n_headers) {
    ElfW(Phdr) in_file[SG_ELF_MOST_HEADERS];
    return memcmp(file->e_ident, ELFMAG, SELFMAG) == 0 &&
           file->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
           file->e_phentsize == sizeof *in_file && file->e_phnum == n_headers &&
           n_headers <= SG_ELF_MOST_HEADERS &&
           read_at(search, file->e_phoff, in_file, n_headers * sizeof *in_file) &&
           memcmp(in_file, headers, n_headers * sizeof *in_file) == 0;
}

/* Find the full symbol table if the file has one, else the table of exported symbols. */
static bool find_sections(struct sg_elf_search *search, const ElfW(Ehdr) * file) {
    ElfW(Shdr) section, names;
    uint32_t type = SHT_NULL;
    if (file->e_shentsize != sizeof section || file->e_shnum > MOST_SECTIONS)
        return false;
    for (uint32_t i = 0; i < file->e_shnum && type != SHT_SYMTAB; i++) {
        if (!read_at(search, file->e_shoff + i * sizeof section, &section, sizeof section))
            return false;
        if ((section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) ||
            section.sh_entsize != sizeof(ElfW(Sym)) || section.sh_link >= file->e_shnum ||
            !read_at(search, file->e_shoff + section.sh_link * sizeof names, &names, sizeof names))
            continue;
        type = section.sh_type;
        search->symbols_at = section.sh_offset;
        search->symbols_bytes = section.sh_size - section.sh_size % sizeof(ElfW(Sym));
        search->names_at = names.sh_offset;
        search->names_bytes = names.sh_size;
    }
    return type != SHT_NULL;
}

static bool open_file(struct sg_elf_search *search, struct stat *found) {
    search->descriptor = open(search->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (search->descriptor < 0)
        return false;
    /* The system call itself: glibc exports fstat only from 2.33 on. */
    if (syscall(SYS_fstat, search->descriptor, found) == 0)
        return true;
    close(search->descriptor);
    return false;
}

void sg_elf_symbols_search_open(struct sg_elf_search *search, const char *path,
                                const ElfW(Phdr) * headers, size_t n_headers,
                                sg_elf_choose_fn *choose) {
    ElfW(Ehdr) file;
    struct stat found;
    *search = (struct sg_elf_search){.choose = choose, .path = path, .state = SG_ELF_UNREADABLE};
    if (!open_file(search, &found))
        return;
    search->device = found.st_dev;
    search->inode = found.st_ino;
    search->buffer = sg_memory_map(SG_ELF_BUFFER_BYTES);
    if (search->buffer && read_at(search, 0, &file, sizeof file) &&
        is_loaded_file(search, &file, headers, n_headers) && find_sections(search, &file))
        search->state = SG_ELF_SEARCHING;
    close(search->descriptor);
}

static void look_at_name(struct sg_elf_search *search, uint64_t offset, const char *text,
                         size_t length) {
    size_t start;
    uint32_t which;
    if (search->choose(text, length, &start, &which) && search->n_names < SG_ELF_MOST_SYMBOLS)
        search->names[search->n_names++] = (struct sg_elf_name){offset + start, which};
}

static uint64_t left_of(const struct sg_elf_search *search, uint64_t size, size_t room) {
    uint64_t left = size - search->position;
    return left < room ? left : room;
}

/* Read the next part of the names. A name cut off at the buffer's end moves to its start. */
static bool read_names(struct sg_elf_search *search) {
    size_t room = SG_ELF_BUFFER_BYTES - search->n_carried, at = 0;
    size_t n = (size_t)left_of(search, search->names_bytes, room);
    if (!read_at(search, search->names_at + search->position, search->buffer + search->n_carried,
                 n))
        return false;
    uint64_t offset = search->position - search->n_carried; /* of the buffer's first byte */
    size_t end = search->n_carried + n;
    search->position += n;
    for (const char *stop; (stop = memchr(search->buffer + at, '\0', end - at));) {
        size_t length = (size_t)(stop - (search->buffer + at));
        look_at_name(search, offset + at, search->buffer + at, length);
        at += length + 1;
    }
    search->n_carried =
        end - at < SG_ELF_BUFFER_BYTES / 2 ? end - at : 0; /* no wanted name is longer */
    memmove(search->buffer, search->buffer + end - search->n_carried, search->n_carried);
    return true;
}

static void look_at_symbol(struct sg_elf_search *search, const ElfW(Sym) * symbol) {
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF)
        return;
    for (uint32_t i = 0; i < search->n_names; i++) {
        if (symbol->st_name == search->names[i].offset && search->n_symbols < SG_ELF_MOST_SYMBOLS)
            search->symbols[search->n_symbols++] =
                (struct sg_elf_symbol){symbol->st_value, search->names[i].which};
    }
}

static bool read_symbols(struct sg_elf_search *search) {
    size_t room = SG_ELF_BUFFER_BYTES - SG_ELF_BUFFER_BYTES % sizeof(ElfW(Sym));
    size_t n = (size_t)left_of(search, search->symbols_bytes, room);
    if (!read_at(search, search->symbols_at + search->position, search->buffer, n))
        return false;
    search->position += n;
    const ElfW(Sym) *symbols = (const void *)search->buffer;
    for (size_t i = 0; i < n / sizeof *symbols; i++)
        look_at_symbol(search, &symbols[i]);
    return true;
}

static bool read_some(struct sg_elf_search *search) {
    if (search->is_among_symbols) {
        if (search->n_names && search->position < search->symbols_bytes)
            return read_symbols(search);
        search->state = SG_ELF_FOUND;
        return true;
    }
    if (search->position < search->names_bytes)
        return read_names(search);
    search->is_among_symbols = true;
    search->position = 0;
    return true;
}

static void read_on(struct sg_elf_search *search) {
    int64_t end_ns = sg_time_mono_ns() + STEP_NS;
    while (search->state == SG_ELF_SEARCHING && sg_time_mono_ns() < end_ns) {
        if (!read_some(search))
            search->state = SG_ELF_UNREADABLE;
    }
}

void sg_elf_symbols_search_step(struct sg_elf_search *search) {
    struct stat found;
    if (search->state != SG_ELF_SEARCHING)
        return;
    if (!open_file(search, &found)) {
        search->state = SG_ELF_UNREADABLE;
        return;
    }
    if (found.st_dev == search->device && found.st_ino == search->inode)
        read_on(search);
    else
        search->state = SG_ELF_UNREADABLE;
    close(search->descriptor);
}

void sg_elf_symbols_search_close(struct sg_elf_search *search) {
    void *buffer = search->buffer;
    search->buffer = NULL;
    /* a child that is forked here closes the search as well */
    atomic_signal_fence(memory_order_seq_cst);
    sg_memory_unmap(buffer, SG_ELF_BUFFER_BYTES);
}
