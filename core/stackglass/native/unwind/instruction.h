/* Instruction of x86-64: decodes its length and its operands, from its bytes.
 *
 *     prefixes │ REX, VEX or EVEX │ opcode │ ModRM │ SIB │ displacement │ immediate
 *
 * The decoder reads no more bytes than it is given; unknown forms are refused. */
#ifndef STACKGLASS_UNWIND_INSTRUCTION_H
#define STACKGLASS_UNWIND_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_INSTRUCTION_BYTES = 15, SG_NO_REGISTER = 16 };

enum sg_opcode_map {
    SG_MAP_PRIMARY,
    SG_MAP_0F,
    SG_MAP_0F38,
    SG_MAP_0F3A,
    SG_MAP_5 = 5, /* only with EVEX, as SG_MAP_6: half-precision floats */
    SG_MAP_6 = 6,
};

enum sg_mandatory_prefix { SG_PREFIX_NONE, SG_PREFIX_66, SG_PREFIX_F3, SG_PREFIX_F2 };

struct sg_instruction {
    uint8_t length;
    uint8_t map;    /* enum sg_opcode_map */
    uint8_t prefix; /* enum sg_mandatory_prefix; of several prefixes the one that counts */
    uint8_t opcode;
    bool is_vector; /* encoded by VEX or EVEX */
    bool is_evex;
    bool has_rex;
    bool is_wide;     /* REX.W: operands of 64 bits */
    bool has_66;      /* operands of 16 bits, unless wide */
    bool has_67;      /* addresses of 32 bits */
    bool has_segment; /* an address relative to fs or gs */
    uint8_t mod;
    /* Register numbers of the instruction encoding: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 … */
    uint8_t reg;         /* register operand, or an extension of the opcode */
    uint8_t rm;          /* a register, if mod is 3 or there is no ModRM: then the opcode's */
    uint8_t extra;       /* VEX.vvvv */
    uint8_t base, index; /* registers of an address, or SG_NO_REGISTER */
    bool is_relative;    /* the address is relative to the next instruction */
    int32_t displacement;
    int32_t immediate; /* sign-extended; the low half of a 64-bit immediate */
};

/* Decode an instruction. Returns false if it is unknown or not complete in the `n` bytes. */
bool sg_instruction_decode(const uint8_t *bytes, size_t n, struct sg_instruction *instruction);

#endif
