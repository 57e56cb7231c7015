/* Effects of x86-64 instructions on registers. */
#include "unwind/effect_parts.h"

static struct sg_register_effect map_0f(sg_effect_of *of) {
    switch (of->opcode) {
    case 0x00:
    case 0x20 ... 0x21:
    case 0x78:
    case 0xa4 ... 0xa5: /* shld */
    case 0xab:
    case 0xac ... 0xad: /* shrd */
    case 0xae:          /* rdfsbase */
    case 0xb3:
    case 0xba: /* bts … and bt, which writes nothing */
    case 0xbb:
        return writes(operand(of));
    case 0x01: /* xgetbv, rdtscp, smsw … */
        return writes(operand(of) | RAX | RCX | RDX | RBX);
    case 0x02 ... 0x03:
    case 0x40 ... 0x4f: /* cmov */
    case 0x50:
    case 0xaf:
    case 0xb2:
    case 0xb4 ... 0xb8:
    case 0xbc ... 0xbf:
    case 0xc5:
    case 0xd7:
        return writes(bit(of->reg));
    case 0x05: /* syscall */
        return writes(RAX | RCX | R11);
    case 0x07:
    case 0x0b:
    case 0x34 ... 0x35:
    case 0xb9:
    case 0xff:
        return plain(SG_EFFECT_END);
    case 0x1e: /* rdssp; endbr64 has a register's form, too, of rdx and rbx */
        return writes(of->prefix == SG_PREFIX_F3 && (of->reg & 7) == 1 ? operand(of) : 0);
    case 0x2c ... 0x2d:
        return writes(of->prefix >= SG_PREFIX_F3 ? bit(of->reg) : 0);
    case 0x31 ... 0x33:
        return writes(RAX | RDX);
    case 0x7e:
        return writes(of->prefix == SG_PREFIX_F3 ? 0 : operand(of));
    case 0x80 ... 0x8f:
        return make(SG_EFFECT_JUMP_IF, SG_NO_REGISTER, SG_NO_REGISTER, of->immediate);
    case 0x90 ... 0x9f: /* setcc */
        return writes(byte_operand(of));
    case 0xa0:
    case 0xa8:
        return plain(SG_EFFECT_PUSH);
    case 0xa1:
    case 0xa9:
        return plain(SG_EFFECT_POP);
    case 0xa2: /* cpuid */
        return writes(RAX | RBX | RCX | RDX);
    case 0xb0: /* cmpxchg */
        return writes(RAX | byte_operand(of));
    case 0xb1:
        return writes(RAX | operand(of));
    case 0xc0: /* xadd */
        return writes(byte_operand(of) | byte_bit(of, of->reg));
    case 0xc1:
        return writes(operand(of) | bit(of->reg));
    case 0xc7: /* cmpxchg16b, rdrand */
        return writes(RAX | RDX | operand(of));
    case 0xc8 ... 0xcf: /* bswap */
        return writes(bit(of->rm));
    default: /* of vectors, and hints */
        return plain(SG_EFFECT_NONE);
    }
}

static struct sg_register_effect map_0f38(sg_effect_of *of) {
    bool is_general = (of->opcode >= 0xf0 && of->opcode <= 0xf1) || of->opcode == 0xf6;
    return writes(is_general ? bit(of->reg) : 0);
}

static struct sg_register_effect map_0f3a(sg_effect_of *of) {
    if (of->opcode >= 0x14 && of->opcode <= 0x17) /* pextr */
        return writes(operand(of));
    if (of->opcode >= 0x60 && of->opcode <= 0x63) /* pcmpstr */
        return writes(RCX);
    if (of->opcode == 0xf0 && of->is_vector) /* rorx */
        return writes(bit(of->reg));
    return plain(SG_EFFECT_NONE);
}

/* What VEX and EVEX have alone. */
static struct sg_register_effect vector(sg_effect_of *of) {
    switch (of->opcode) {
    case 0x2c ... 0x2d: /* conversions to whole numbers, as the next */
    case 0x78 ... 0x79:
        if (of->map == SG_MAP_0F || of->map == SG_MAP_5)
            return writes(of->prefix >= SG_PREFIX_F3 ? bit(of->reg) : 0);
        break;
    case 0x7e:
        if (of->map == SG_MAP_0F || of->map == SG_MAP_5)
            return writes(of->prefix == SG_PREFIX_F3 ? 0 : operand(of));
        break;
    case 0x50:
    case 0x93: /* kmov */
    case 0xc5:
    case 0xd7:
        if (of->map == SG_MAP_0F)
            return writes(bit(of->reg));
        break;
    case 0xe0 ... 0xef: /* cmpccxadd; without a mandatory prefix or in other maps, of vectors */
        if (of->map == SG_MAP_0F38)
            return writes(bit(of->reg));
        break;
    case 0xf2 ... 0xf7: /* andn, bextr, mulx … */
        if (of->map == SG_MAP_0F38)
            return writes(bit(of->reg) | bit(of->extra));
        break;
    default:
        break;
    }
    return of->map == SG_MAP_0F3A ? map_0f3a(of) : plain(SG_EFFECT_NONE);
}

struct sg_register_effect sg_register_effect_find(const struct sg_instruction *instruction) {
    if (instruction->is_vector)
        return vector(instruction);
    switch (instruction->map) {
    case SG_MAP_PRIMARY:
        return sg_primary_effect_find(instruction);
    case SG_MAP_0F:
        return map_0f(instruction);
    case SG_MAP_0F38:
        return map_0f38(instruction);
    default:
        return map_0f3a(instruction);
    }
}
