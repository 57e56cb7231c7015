/* Functions of one library whose CPU time is known: three parts in one, one part in another,
 * and some in a third. */
#define EXPORTED __attribute__((visibility("default"), noinline))

static __attribute__((noinline)) void work_hidden(long turns) {
    for (volatile long i = 0; i < turns; i++)
        ;
}

EXPORTED void work_exported(long turns) {
    for (volatile long i = 0; i < turns; i++)
        ;
}

/* Hand-written, without a row in the unwind table; longer than the pieces that it is cut into. */
void work_assembly(long turns);
__asm__(".text\n.p2align 4\n.globl work_assembly\n.type work_assembly, @function\nwork_assembly:\n"
#if defined(__x86_64__)
        ".rept 24\nnop\n.endr\n1:\n.rept 24\nnop\n.endr\nsub $1, %rdi\njg 1b\nret\n"
#else
        ".rept 8\nnop\n.endr\n1:\n.rept 8\nnop\n.endr\nsubs x0, x0, #1\nb.gt 1b\nret\n"
#endif
        ".size work_assembly, . - work_assembly\n");

EXPORTED void work(long turns) {
    work_hidden(3 * turns);
    work_assembly(turns);
    work_exported(turns);
}
