/* Register effects of x86-64, by opcode map, as Intel's manual (volume 2, appendix A) lists them.
 * The primary map, of one-byte opcodes, is in primary_effect.c. Most instructions of these maps
 * write one operand: the register field (`reg`), or the operand that may be memory (`operand`). */
#include "unwind/register_effect.h"

#include "unwind/effect_parts.h"
#include "unwind/primary_effect.h"

static struct sg_register_effect map_0f(const struct sg_instruction *insn) {
    switch (insn->opcode) {
    case 0x00:          /* sldt, str */
    case 0x20 ... 0x21: /* mov from a control or debug register */
    case 0x78:          /* vmread */
    case 0xa4 ... 0xa5: /* shld */
    case 0xab:          /* bts */
    case 0xac ... 0xad: /* shrd */
    case 0xae:          /* rdfsbase */
    case 0xb3:          /* btr */
    case 0xba:          /* bts … and bt, which writes nothing */
    case 0xbb:          /* btc */
        return sg_effect_parts_writes(sg_effect_parts_operand(insn));
    case 0x01: /* xgetbv, rdtscp, smsw … */
        return sg_effect_parts_writes(sg_effect_parts_operand(insn) | RAX | RCX | RDX | RBX);
    case 0x02 ... 0x03: /* lar, lsl */
    case 0x40 ... 0x4f: /* cmov */
    case 0x50:          /* movmskps */
    case 0xaf:          /* imul */
    case 0xb2:          /* lss */
    case 0xb4 ... 0xb8: /* lfs, lgs, movzx, popcnt */
    case 0xbc ... 0xbf: /* bsf, bsr, movsx */
    case 0xc5:          /* pextrw */
    case 0xd7:          /* pmovmskb */
        return sg_effect_parts_writes(sg_effect_parts_bit(insn->reg));
    case 0x05: /* syscall */
        return sg_effect_parts_writes(RAX | RCX | R11);
    case 0x07:          /* sysret */
    case 0x0b:          /* ud2 */
    case 0x34 ... 0x35: /* sysenter, sysexit */
    case 0xb9:          /* ud1 */
    case 0xff:          /* ud0 */
        return sg_effect_parts_plain(SG_EFFECT_END);
    case 0x1e: /* rdssp; endbr64 encodes register operands too, rdx and rbx */
        return sg_effect_parts_writes(insn->prefix == SG_PREFIX_F3 && (insn->reg & 7) == 1
                                          ? sg_effect_parts_operand(insn)
                                          : 0);
    case 0x2c ... 0x2d: /* cvttss2si, cvtss2si … */
        return sg_effect_parts_writes(insn->prefix >= SG_PREFIX_F3 ? sg_effect_parts_bit(insn->reg)
                                                                   : 0);
    case 0x31 ... 0x33: /* rdtsc, rdmsr, rdpmc */
        return sg_effect_parts_writes(RAX | RDX);
    case 0x7e: /* movd, movq; with F3 between vectors */
        return sg_effect_parts_writes(insn->prefix == SG_PREFIX_F3 ? 0
                                                                   : sg_effect_parts_operand(insn));
    case 0x80 ... 0x8f: /* jcc */
        return sg_effect_parts_make(SG_EFFECT_JUMP_IF, SG_NO_REGISTER, SG_NO_REGISTER,
                                    insn->immediate);
    case 0x90 ... 0x9f: /* setcc */
        return sg_effect_parts_writes(sg_effect_parts_byte_operand(insn));
    case 0xa0: /* push fs */
    case 0xa8: /* push gs */
        return sg_effect_parts_plain(SG_EFFECT_PUSH);
    case 0xa1: /* pop fs */
    case 0xa9: /* pop gs */
        return sg_effect_parts_plain(SG_EFFECT_POP);
    case 0xa2: /* cpuid */
        return sg_effect_parts_writes(RAX | RBX | RCX | RDX);
    case 0xb0: /* cmpxchg */
        return sg_effect_parts_writes(RAX | sg_effect_parts_byte_operand(insn));
    case 0xb1: /* cmpxchg */
        return sg_effect_parts_writes(RAX | sg_effect_parts_operand(insn));
    case 0xc0: /* xadd */
        return sg_effect_parts_writes(sg_effect_parts_byte_operand(insn) |
                                      sg_effect_parts_byte_bit(insn, insn->reg));
    case 0xc1: /* xadd */
        return sg_effect_parts_writes(sg_effect_parts_operand(insn) |
                                      sg_effect_parts_bit(insn->reg));
    case 0xc7: /* cmpxchg16b, rdrand */
        return sg_effect_parts_writes(RAX | RDX | sg_effect_parts_operand(insn));
    case 0xc8 ... 0xcf: /* bswap */
        return sg_effect_parts_writes(sg_effect_parts_bit(insn->rm));
    default: /* vector instructions and hints: no general register */
        return sg_effect_parts_plain(SG_EFFECT_NONE);
    }
}

/* Map 0F38. Only movbe, crc32, adcx and adox write a general register. */
static struct sg_register_effect map_0f38(const struct sg_instruction *insn) {
    bool is_general = (insn->opcode >= 0xf0 && insn->opcode <= 0xf1) || insn->opcode == 0xf6;
    return sg_effect_parts_writes(is_general ? sg_effect_parts_bit(insn->reg) : 0);
}

static struct sg_register_effect map_0f3a(const struct sg_instruction *insn) {
    if (insn->opcode >= 0x14 && insn->opcode <= 0x17) /* pextr */
        return sg_effect_parts_writes(sg_effect_parts_operand(insn));
    if (insn->opcode >= 0x60 && insn->opcode <= 0x63) /* pcmpstr */
        return sg_effect_parts_writes(RCX);
    if (insn->opcode == 0xf0 && insn->is_vector) /* rorx */
        return sg_effect_parts_writes(sg_effect_parts_bit(insn->reg));
    return sg_effect_parts_plain(SG_EFFECT_NONE);
}

/* Instructions with a VEX or EVEX prefix. Most write vector registers only. */
static struct sg_register_effect vector(const struct sg_instruction *insn) {
    switch (insn->opcode) {
    case 0x2c ... 0x2d: /* vcvttsd2si … */
    case 0x78 ... 0x79: /* vcvttsd2usi … */
        if (insn->map == SG_MAP_0F || insn->map == SG_MAP_5)
            return sg_effect_parts_writes(
                insn->prefix >= SG_PREFIX_F3 ? sg_effect_parts_bit(insn->reg) : 0);
        break;
    case 0x7e: /* vmovd, vmovq */
        if (insn->map == SG_MAP_0F || insn->map == SG_MAP_5)
            return sg_effect_parts_writes(
                insn->prefix == SG_PREFIX_F3 ? 0 : sg_effect_parts_operand(insn));
        break;
    case 0x50: /* vmovmskps */
    case 0x93: /* kmov */
    case 0xc5: /* vpextrw */
    case 0xd7: /* vpmovmskb */
        if (insn->map == SG_MAP_0F)
            return sg_effect_parts_writes(sg_effect_parts_bit(insn->reg));
        break;
    /* cmpccxadd; the same numbers in other maps are vector instructions */
    case 0xe0 ... 0xef:
        if (insn->map == SG_MAP_0F38)
            return sg_effect_parts_writes(sg_effect_parts_bit(insn->reg));
        break;
    case 0xf2 ... 0xf7: /* andn, bextr, mulx … */
        if (insn->map == SG_MAP_0F38)
            return sg_effect_parts_writes(sg_effect_parts_bit(insn->reg) |
                                          sg_effect_parts_bit(insn->extra));
        break;
    default:
        break;
    }
    return insn->map == SG_MAP_0F3A ? map_0f3a(insn) : sg_effect_parts_plain(SG_EFFECT_NONE);
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
