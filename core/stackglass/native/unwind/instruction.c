/* Reads the prefixes and the opcode first, because the opcode determines which parts follow.
 * Opcodes are as in Intel's manual (volume 2, appendix A). */
#include "unwind/instruction.h"

#include <string.h>

/* Parts that follow an opcode. */
enum follows {
    NOTHING = 0,
    MODRM = 1 << 0,
    BYTE = 1 << 1,     /* an immediate of 8 bits */
    WORD = 1 << 2,     /* 16 bits */
    FULL = 1 << 3,     /* 32 bits; 16 with the prefix 66 */
    DISTANCE = 1 << 4, /* 32 bits with any prefix */
    WIDE = 1 << 5,     /* 32 bits; 64 with REX.W */
    ADDRESS = 1 << 6,  /* 64 bits; 32 with the prefix 67 */
    UNKNOWN = 1 << 7,
};

struct reader {
    const uint8_t *at, *end;
    bool is_short;
};

static uint8_t peek(struct reader *reader) {
    if (reader->at < reader->end)
        return *reader->at;
    reader->is_short = true;
    return 0;
}

static uint8_t take(struct reader *reader) {
    uint8_t byte = peek(reader);
    reader->at += !reader->is_short;
    return byte;
}

static int64_t take_signed(struct reader *reader, size_t n_bytes) {
    uint64_t value = 0;
    if ((size_t)(reader->end - reader->at) < n_bytes) {
        reader->is_short = true;
        return 0;
    }
    memcpy(&value, reader->at, n_bytes);
    reader->at += n_bytes;
    unsigned shift = 64 - 8 * (unsigned)n_bytes;
    return (int64_t)(value << shift) >> shift;
}

/* ---- What follows ---- */

static int follows_primary(uint8_t opcode) {
    if (opcode < 0x40) {
        static const uint8_t ARITHMETIC[8] = {MODRM, MODRM, MODRM,   MODRM,
                                              BYTE,  FULL,  UNKNOWN, UNKNOWN};
        return ARITHMETIC[opcode & 7];
    }
    switch (opcode) {
    case 0x40 ... 0x4f: /* REX and other prefixes in the wrong place */
    case 0x64 ... 0x67: /* fs, gs, operand size, address size */
    case 0xf0:          /* lock */
    case 0xf2 ... 0xf3: /* repne, rep */
    /* pusha, popa, bound, and all below: invalid in 64-bit code, or VEX and EVEX */
    case 0x60 ... 0x62:
    case 0x82:
    case 0x9a:          /* far call */
    case 0xc4 ... 0xc5: /* VEX */
    case 0xce:          /* into */
    case 0xd4 ... 0xd6: /* aam, aad, salc */
    case 0xea:          /* far jmp */
        return UNKNOWN;
    case 0x63:          /* movsxd */
    case 0x84 ... 0x8f: /* test, xchg, mov, lea, pop */
    case 0xd0 ... 0xd3: /* shifts */
    case 0xd8 ... 0xdf: /* x87 */
    case 0xf6 ... 0xf7: /* test … idiv; test has an immediate, too */
    case 0xfe ... 0xff: /* inc, dec, call, jmp, push */
        return MODRM;
    case 0x6b:          /* imul */
    case 0x80:          /* group 1: add … cmp */
    case 0x83:          /* group 1 */
    case 0xc0 ... 0xc1: /* shifts */
    case 0xc6:          /* mov */
        return MODRM | BYTE;
    case 0x69: /* imul */
    case 0x81: /* group 1 */
    case 0xc7: /* mov */
        return MODRM | FULL;
    case 0x6a:          /* push */
    case 0x70 ... 0x7f: /* jcc */
    case 0xa8:          /* test */
    case 0xb0 ... 0xb7: /* mov */
    case 0xcd:          /* int */
    case 0xe0 ... 0xe7: /* loop, jrcxz, in, out */
    case 0xeb:          /* jmp */
        return BYTE;
    case 0x68: /* push */
    case 0xa9: /* test */
        return FULL;
    case 0xa0 ... 0xa3: /* mov */
        return ADDRESS;
    case 0xb8 ... 0xbf: /* mov */
        return WIDE;
    case 0xc2: /* ret */
    case 0xca: /* far ret */
        return WORD;
    case 0xc8: /* enter */
        return WORD | BYTE;
    case 0xe8 ... 0xe9: /* call, jmp */
        return DISTANCE;
    default:
        return NOTHING;
    }
}

static bool has_byte_0f(uint8_t opcode) {
    return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
           (opcode >= 0xc4 && opcode <= 0xc6);
}

static int follows_0f(uint8_t opcode) {
    switch (opcode) {
    case 0x04: /* undefined, as all here but 3DNow! */
    case 0x0a:
    case 0x0c:
    case 0x0f: /* 3DNow! */
    case 0x24 ... 0x27:
    case 0x36:
    case 0x39:
    case 0x3b ... 0x3f:
    case 0x7a ... 0x7b:
    case 0xa6 ... 0xa7:
        return UNKNOWN;
    case 0x05 ... 0x09: /* syscall, clts, sysret, invd, wbinvd */
    case 0x0b:          /* ud2 */
    case 0x0e:          /* femms */
    case 0x30 ... 0x35: /* wrmsr, rdtsc, rdmsr, rdpmc, sysenter, sysexit */
    case 0x37:          /* getsec */
    case 0x77:          /* emms */
    case 0xa0 ... 0xa2: /* push fs, pop fs, cpuid */
    case 0xa8 ... 0xaa: /* push gs, pop gs, rsm */
    case 0xc8 ... 0xcf: /* bswap */
        return NOTHING;
    case 0x80 ... 0x8f: /* jcc */
        return DISTANCE;
    case 0xa4: /* shld */
    case 0xac: /* shrd */
    case 0xba: /* group 8: bt, bts, btr, btc */
        return MODRM | BYTE;
    default:
        return has_byte_0f(opcode) ? MODRM | BYTE : MODRM;
    }
}

static int follows_vector(const struct sg_instruction *instruction) {
    switch (instruction->map) {
    case SG_MAP_0F:
        if (instruction->opcode == 0x77)
            return instruction->is_evex ? UNKNOWN : NOTHING;
        return has_byte_0f(instruction->opcode) ? MODRM | BYTE : MODRM;
    case SG_MAP_0F3A:
        return MODRM | BYTE;
    default:
        return MODRM;
    }
}

static int find_follows(const struct sg_instruction *instruction) {
    if (instruction->is_vector)
        return follows_vector(instruction);
    switch (instruction->map) {
    case SG_MAP_PRIMARY:
        return follows_primary(instruction->opcode);
    case SG_MAP_0F:
        return follows_0f(instruction->opcode);
    case SG_MAP_0F3A:
        return MODRM | BYTE;
    default:
        return MODRM;
    }
}

/* ---- The parts ---- */

/* Bits that extend register numbers, at their places in REX. */
enum { EXTENDS_RM = 1, EXTENDS_INDEX = 2, EXTENDS_REG = 4, IS_WIDE = 8 };

/* Record a prefix. Returns false if the byte is not a prefix. F2 and F3 take precedence over 66, in
 * any order. */
static bool take_prefix(struct sg_instruction *instruction, uint8_t byte) {
    switch (byte) {
    case 0x66: /* operand size */
        instruction->has_66 = true;
        if (instruction->prefix == SG_PREFIX_NONE)
            instruction->prefix = SG_PREFIX_66;
        return true;
    case 0x67: /* address size */
        instruction->has_67 = true;
        return true;
    case 0xf2: /* repne */
        instruction->prefix = SG_PREFIX_F2;
        return true;
    case 0xf3: /* rep */
        instruction->prefix = SG_PREFIX_F3;
        return true;
    case 0x64: /* fs */
    case 0x65: /* gs */
        instruction->has_segment = true;
        return true;
    case 0x26: /* es */
    case 0x2e: /* cs */
    case 0x36: /* ss */
    case 0x3e: /* ds */
    case 0xf0: /* lock */
        return true;
    default:
        return false;
    }
}

/* Read a VEX prefix and the opcode. VEX and EVEX have the bits of REX inverted. */
static bool take_vex(struct reader *reader, struct sg_instruction *instruction, bool is_long,
                     int *rex) {
    uint8_t first = take(reader), second = is_long ? take(reader) : first;
    *rex = first & 0x80 ? 0 : EXTENDS_REG;
    instruction->map = SG_MAP_0F;
    if (is_long) {
        *rex |= (first & 0x40 ? 0 : EXTENDS_INDEX) | (first & 0x20 ? 0 : EXTENDS_RM);
        instruction->map = first & 0x1f;
        instruction->is_wide = second & 0x80;
    }
    instruction->extra = ~second >> 3 & 0xf;
    instruction->prefix = second & 3;
    instruction->is_vector = true;
    instruction->opcode = take(reader);
    return instruction->map >= SG_MAP_0F && instruction->map <= SG_MAP_0F3A;
}

/* Read an EVEX prefix and the opcode. The bits that extend the numbers of vector registers are
 * ignored. */
static bool take_evex(struct reader *reader, struct sg_instruction *instruction, int *rex) {
    uint8_t first = take(reader), second = take(reader);
    take(reader);
    *rex = (first & 0x80 ? 0 : EXTENDS_REG) | (first & 0x40 ? 0 : EXTENDS_INDEX) |
           (first & 0x20 ? 0 : EXTENDS_RM);
    instruction->map = first & 7;
    instruction->is_wide = second & 0x80;
    instruction->extra = ~second >> 3 & 0xf;
    instruction->prefix = second & 3;
    instruction->is_vector = instruction->is_evex = true;
    instruction->opcode = take(reader);
    bool is_known =
        instruction->map >= SG_MAP_0F && instruction->map <= SG_MAP_6 && instruction->map != 4;
    return is_known && !(first & 0x08) && second & 0x04;
}

static bool take_opcode(struct reader *reader, struct sg_instruction *instruction, int *rex) {
    uint8_t byte = take(reader);
    while (take_prefix(instruction, byte))
        byte = take(reader);
    if ((byte & 0xf0) == 0x40) {
        *rex = byte;
        instruction->has_rex = true;
        instruction->is_wide = *rex & IS_WIDE;
        byte = take(reader);
    }
    bool is_plain = !instruction->has_rex && !instruction->prefix;
    if (byte == 0xc4 || byte == 0xc5)
        return is_plain && take_vex(reader, instruction, byte == 0xc4, rex);
    if (byte == 0x62)
        return is_plain && take_evex(reader, instruction, rex);
    if (byte == 0x0f) {
        instruction->map = SG_MAP_0F;
        byte = take(reader);
        if (byte == 0x38 || byte == 0x3a) {
            instruction->map = byte == 0x38 ? SG_MAP_0F38 : SG_MAP_0F3A;
            byte = take(reader);
        }
    }
    instruction->opcode = byte;
    return true;
}

static void take_address(struct reader *reader, struct sg_instruction *instruction, int rex) {
    enum { HAS_SIB = 4, NO_BASE = 5, NO_INDEX = 4 };
    uint8_t low = instruction->rm & 7;
    size_t n_bytes = instruction->mod == 1 ? 1 : instruction->mod == 2 ? 4 : 0;
    instruction->base = instruction->rm;
    if (low == HAS_SIB) {
        uint8_t sib = take(reader);
        uint8_t index = (sib >> 3 & 7) | (rex & EXTENDS_INDEX ? 8 : 0);
        low = sib & 7;
        instruction->index = index == NO_INDEX ? SG_NO_REGISTER : index;
        instruction->base = low | (rex & EXTENDS_RM ? 8 : 0);
        if (instruction->mod == 0 && low == NO_BASE) {
            instruction->base = SG_NO_REGISTER;
            n_bytes = 4;
        }
    } else if (instruction->mod == 0 && low == NO_BASE) {
        instruction->base = SG_NO_REGISTER;
        instruction->is_relative = true;
        n_bytes = 4;
    }
    if (n_bytes)
        instruction->displacement = (int32_t)take_signed(reader, n_bytes);
}

static void take_modrm(struct reader *reader, struct sg_instruction *instruction, int rex) {
    uint8_t modrm = take(reader);
    instruction->mod = modrm >> 6;
    instruction->reg = (modrm >> 3 & 7) | (rex & EXTENDS_REG ? 8 : 0);
    instruction->rm = (modrm & 7) | (rex & EXTENDS_RM ? 8 : 0);
    if (instruction->mod != 3)
        take_address(reader, instruction, rex);
}

/* Return whether the instruction moves to or from a control register. It has no memory operand,
 * whatever mod is. */
static bool is_control_move(const struct sg_instruction *instruction) {
    return instruction->map == SG_MAP_0F && !instruction->is_vector &&
           instruction->opcode >= 0x20 && instruction->opcode <= 0x23;
}

static void take_immediate(struct reader *reader, struct sg_instruction *instruction, int follows) {
    bool is_half = instruction->has_66 && !instruction->is_wide;
    int64_t value = 0;
    if (follows & ADDRESS)
        take_signed(reader, instruction->has_67 ? 4 : 8);
    if (follows & WORD)
        value = take_signed(reader, 2);
    if (follows & BYTE)
        value = take_signed(reader, 1);
    if (follows & FULL)
        value = take_signed(reader, is_half ? 2 : 4);
    if (follows & DISTANCE)
        value = take_signed(reader, 4);
    if (follows & WIDE)
        value = take_signed(reader, instruction->is_wide ? 8 : is_half ? 2 : 4);
    instruction->immediate = (int32_t)value;
}

bool sg_instruction_decode(const uint8_t *bytes, size_t n, struct sg_instruction *instruction) {
    enum { TEST_BYTE = 0xf6, TEST = 0xf7 };
    struct reader reader = {bytes, bytes + (n < SG_INSTRUCTION_BYTES ? n : SG_INSTRUCTION_BYTES),
                            false};
    int rex = 0;
    *instruction = (struct sg_instruction){.base = SG_NO_REGISTER, .index = SG_NO_REGISTER};
    if (!take_opcode(&reader, instruction, &rex) || reader.is_short)
        return false;
    int follows = find_follows(instruction);
    if (follows & UNKNOWN)
        return false;
    if (follows & MODRM && is_control_move(instruction) && peek(&reader) < 0xc0)
        return false;
    if (follows & MODRM)
        take_modrm(&reader, instruction, rex);
    else
        instruction->rm = (instruction->opcode & 7) | (rex & EXTENDS_RM ? 8 : 0);
    bool is_group = instruction->map == SG_MAP_PRIMARY && !instruction->is_vector;
    if (is_group && (instruction->reg & 6) == 0 && instruction->opcode == TEST_BYTE)
        follows |= BYTE;
    if (is_group && (instruction->reg & 6) == 0 && instruction->opcode == TEST)
        follows |= FULL;
    if (is_group && instruction->opcode == 0x8f && instruction->reg & 7)
        return false; /* XOP */
    take_immediate(&reader, instruction, follows);
    instruction->length = (uint8_t)(reader.at - bytes);
    return !reader.is_short;
}
