/* Unwinds x86-64 only; on other processors every walk ends at once. */
#include "unwind/unwinder.h"

#include <stddef.h>
#include <string.h>

#include "unwind/cfa_program.h"
#include "unwind/forward.h"

#if defined(__x86_64__)

enum { WORD_BYTES = 8, STUB_BYTES = 16 };

const char *sg_unwinder_problem(void) { return NULL; }

/* The kernel's number of each register, in the order of DWARF's numbers. */
static const int REGISTERS[SG_UNWIND_REGISTERS] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

static void take_registers(struct sg_unwinder *unwinder) {
    unwinder->sp = unwinder->registers[SG_DWARF_STACK_POINTER];
    unwinder->fp = unwinder->registers[SG_DWARF_FRAME_POINTER];
    unwinder->is_exact = unwinder->has_fp = unwinder->has_registers = true;
}

void sg_unwinder_begin(struct sg_unwinder *unwinder, const struct sg_unwind_map *map,
                       struct sg_unwind_stack *stack, const ucontext_t *context) {
    const greg_t *values = context->uc_mcontext.gregs;
    unwinder->map = map;
    for (int i = 0; i < SG_UNWIND_REGISTERS; i++)
        unwinder->registers[i] = (uintptr_t)values[REGISTERS[i]];
    unwinder->pc = (uintptr_t)values[REG_RIP];
    take_registers(unwinder);
    unwinder->bounds = sg_unwind_stack_find(stack, unwinder->sp);
}

static bool load(const struct sg_unwinder *unwinder, uintptr_t address, uintptr_t *word) {
    return sg_unwind_stack_load(&unwinder->bounds, address, word);
}

static uintptr_t add(uintptr_t base, int32_t offset) { return base + (uintptr_t)(intptr_t)offset; }

/* Step from a signal frame to the interrupted frame. The stack pointer is at the ucontext that the
 * kernel stored. */
static enum sg_unwind_end leave_handler(struct sg_unwinder *unwinder) {
    uintptr_t values = unwinder->sp + offsetof(ucontext_t, uc_mcontext.gregs);
    uintptr_t pc, before = unwinder->sp;
    for (int i = 0; i < SG_UNWIND_REGISTERS; i++)
        if (!load(unwinder, values + (uintptr_t)REGISTERS[i] * WORD_BYTES, &unwinder->registers[i]))
            return SG_UNWIND_STUCK;
    if (!load(unwinder, values + (uintptr_t)REG_RIP * WORD_BYTES, &pc))
        return SG_UNWIND_STUCK;
    unwinder->pc = pc;
    take_registers(unwinder);
    /* The handler may have run on another stack. */
    bool is_same = unwinder->sp > before && unwinder->sp < unwinder->bounds.end;
    if (!is_same)
        unwinder->bounds = sg_unwind_stack_find(unwinder->bounds.stack, unwinder->sp);
    return SG_UNWIND_GOES_ON;
}

static bool find_cfa(const struct sg_unwinder *unwinder, const struct sg_unwind_rule *rule,
                     uintptr_t *cfa) {
    switch ((enum sg_unwind_cfa)rule->cfa) {
    case SG_CFA_OF_STACK_POINTER:
        *cfa = add(unwinder->sp, rule->cfa_offset);
        return true;
    case SG_CFA_OF_FRAME_POINTER:
        *cfa = add(unwinder->fp, rule->cfa_offset);
        return unwinder->has_fp;
    case SG_CFA_OF_REGISTER:
        if (!unwinder->has_registers || rule->cfa_register >= SG_UNWIND_REGISTERS)
            return false;
        *cfa = add(unwinder->registers[rule->cfa_register], rule->cfa_offset);
        return true;
    case SG_CFA_AT_STACK_POINTER:
        if (!load(unwinder, add(unwinder->sp, rule->cfa_offset), cfa))
            return false;
        *cfa = add(*cfa, rule->cfa_addend);
        return true;
    case SG_CFA_AT_FRAME_POINTER:
        if (!unwinder->has_fp || !load(unwinder, add(unwinder->fp, rule->cfa_offset), cfa))
            return false;
        *cfa = add(*cfa, rule->cfa_addend);
        return true;
    case SG_CFA_OF_STUB:
        *cfa = add(unwinder->sp, rule->cfa_offset);
        if ((intptr_t)(unwinder->pc % STUB_BYTES) >= rule->cfa_addend)
            *cfa += WORD_BYTES;
        return true;
    default:
        return false;
    }
}

static void find_fp(struct sg_unwinder *unwinder, const struct sg_unwind_rule *rule,
                    uintptr_t cfa) {
    uintptr_t base = cfa;
    switch ((enum sg_unwind_saved)rule->frame_pointer) {
    case SG_SAVED_NOT:
        return;
    case SG_SAVED_AT_CFA:
        break;
    case SG_SAVED_AT_STACK_POINTER:
        base = unwinder->sp;
        break;
    case SG_SAVED_AT_FRAME_POINTER:
        base = unwinder->fp;
        if (unwinder->has_fp)
            break;
        return;
    default:
        unwinder->has_fp = false;
        return;
    }
    unwinder->has_fp = load(unwinder, add(base, rule->frame_pointer_offset), &unwinder->fp);
}

enum sg_unwind_end sg_unwinder_step(struct sg_unwinder *unwinder) {
    sg_unwind_rule_id id = sg_unwind_tables_find(unwinder->map, sg_unwinder_code(unwinder));
    bool is_forward = id == SG_UNWIND_RULE_UNKNOWN;
    if (is_forward)
        id = sg_unwind_forward_find(unwinder->pc);
    const struct sg_unwind_rule *rule = sg_unwind_rules_get(id);
    uintptr_t cfa, pc;
    if (rule->cfa == SG_CFA_OUTERMOST)
        return SG_UNWIND_AT_ROOT;
    if (rule->cfa == SG_CFA_SIGNAL_FRAME)
        return leave_handler(unwinder);
    /* Each caller's frame lies further up. */
    if (!find_cfa(unwinder, rule, &cfa) || cfa <= unwinder->sp || cfa > unwinder->bounds.end ||
        !load(unwinder, cfa - WORD_BYTES, &pc))
        return SG_UNWIND_STUCK;
    if (is_forward && !sg_unwind_forward_may_return_to(unwinder->map, pc))
        return SG_UNWIND_STUCK;
    if (!pc)
        return SG_UNWIND_AT_ROOT;
    find_fp(unwinder, rule, cfa);
    unwinder->pc = pc;
    unwinder->sp = cfa;
    unwinder->is_exact = unwinder->has_registers = false;
    return SG_UNWIND_GOES_ON;
}

#else

const char *sg_unwinder_problem(void) { return "native stacks need a processor of type x86-64"; }

void sg_unwinder_begin(struct sg_unwinder *unwinder, const struct sg_unwind_map *map,
                       struct sg_unwind_stack *stack, const ucontext_t *context) {
    (void)map;
    (void)stack;
    (void)context;
    memset(unwinder, 0, sizeof *unwinder);
}

enum sg_unwind_end sg_unwinder_step(struct sg_unwinder *unwinder) {
    (void)unwinder;
    return SG_UNWIND_STUCK;
}

#endif

void sg_unwinder_resume(struct sg_unwinder *unwinder, uintptr_t pc, uintptr_t sp, uintptr_t fp) {
    unwinder->pc = pc;
    unwinder->sp = sp;
    unwinder->fp = fp;
    unwinder->has_fp = true;
    unwinder->is_exact = unwinder->has_registers = false;
}
