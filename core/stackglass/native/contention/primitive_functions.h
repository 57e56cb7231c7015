/* Functions of the standard library that wait or release by calling another one that does.
 *
 *     _thread.lock.acquire ← Condition.wait ← Queue.get ← work        as it stands
 *                                             Queue.get ← work        as it is told
 *
 * Recognised by the numbers of their code objects, which are learned from modules that are loaded:
 * nothing is imported, no code of the program's runs. Guarded by the GIL. */
#ifndef STACKGLASS_CONTENTION_PRIMITIVE_FUNCTIONS_H
#define STACKGLASS_CONTENTION_PRIMITIVE_FUNCTIONS_H

#include <stdint.h>

#include "frames/code_ids.h"
#include "frames/primitives.h"

/* What a function is; 0 = none of these. */
enum {
    SG_FUNCTION_IS_PRIMITIVE = 1,
    SG_FUNCTION_SLEEPS = 2,    /* the plain lock that it acquires itself is nobody else's */
    SG_FUNCTION_WAKES = 4,     /* the plain lock that it releases itself has held up nobody */
    SG_FUNCTION_HANDS_ON = 8,  /* but whoever is woken through it has waited for its caller */
    SG_FUNCTION_RESTORES = 16, /* the lock that it acquires ends a wait that has been told */
    SG_FUNCTION_BEGINS = 32,   /* no primitive: the event loop calls tasks and callbacks in it */
    SG_FUNCTION_IDLES = 64,    /* no primitive: the event loop waits in it for something to do */
    SG_FUNCTION_MAKES = 128,   /* no primitive: makes its object's lock */
    SG_FUNCTION_KEEPS = 256,   /* no primitive: what it waits for nobody else knows */
    SG_FUNCTION_BITS = 9,
};

/* What the function's `self` is, by what sg_primitive_functions_find says. */
static inline enum sg_primitive sg_function_object(uint32_t is) {
    return (enum sg_primitive)(is >> SG_FUNCTION_BITS);
}

uint32_t sg_primitive_functions_find(sg_code_id code);

/* Look for those that are not known yet; a microsecond if none of their modules is new. */
void sg_primitive_functions_learn(void);
void sg_primitive_functions_forget(void);

#endif
