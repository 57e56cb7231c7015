/* Functions that jump to a function after them, as an evaluation loop does to a part of it. BEFORE:
 * bytes of the function before its first jump; N_JUMPS: how many there are, one after the other. */
#define TEXT(number) #number
#define NUMBER(number) TEXT(number)

__asm__(".text\n"
        ".globl loop_start\n.type loop_start, @function\n"
        "loop_start:\n"
        ".cfi_startproc\n"
        ".fill " NUMBER(
            BEFORE) ", 1, 0x90\n"
                    ".rept " NUMBER(
                        N_JUMPS) "\n"
                                 ".byte 0xe9\n.long loop_part - . - 4\n" /* a jump with a distance
                                                                            of 32 bits */
                                 ".endr\n"
                                 ".fill 300, 1, 0x90\n"
                                 "ret\n"
                                 ".cfi_endproc\n"
                                 ".size loop_start, . - loop_start\n"
                                 ".globl loop_part\n.type loop_part, @function\n"
                                 "loop_part:\n"
                                 ".cfi_startproc\n"
                                 ".fill 64, 1, 0x90\n"
                                 "ret\n"
                                 ".cfi_endproc\n"
                                 ".size loop_part, . - loop_part\n");
