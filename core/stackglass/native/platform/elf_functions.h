/* Function of a code address: its library, and where it starts by the library's unwind table.
 *
 *     pc ─▶ loaded library ─▶ .eh_frame_hdr ─search─▶ row: start ─▶ .eh_frame: start, length
 *
 * Names are not looked up: the client does that, in the library's file. */
#ifndef STACKGLASS_PLATFORM_ELF_FUNCTIONS_H
#define STACKGLASS_PLATFORM_ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { SG_ELF_PATH_BYTES = 1024, SG_ELF_IDENTITY_BYTES = 96, SG_ELF_GRANULE_BYTES = 16 };

struct sg_elf_function {
    char path[SG_ELF_PATH_BYTES]; /* of the library, as the loader has it; the program's own file as
                                     it was started */
    char identity[SG_ELF_IDENTITY_BYTES]; /* the build id in hexadecimal; without one, "headers-"
                                             and a hash (FNV-1a) of the program headers */
    /* Where the function starts, relative to the library's base. If the unwind table has no row, as
     * for hand-written assembly, the SG_ELF_GRANULE_BYTES around `pc` stand for the function,
     * without those of the function before it. */
    uint64_t start;
    /* The function's addresses, from <= `pc` < to. */
    uintptr_t from, to;
    bool has_row;
};

/* Find the function of `pc`. Returns false if `pc` lies in no loaded library (machine code made at
 * run time), or if the library's path is too long. Reads only memory, and only where it is mapped;
 * takes the loader's lock for a moment. Any engine thread. */
bool sg_elf_functions_find(uintptr_t pc, struct sg_elf_function *found);

#endif
