/* Primitive functions: Python functions of the standard library that wait or release through
 * another primitive.
 *
 *     _thread.lock.acquire ← Condition.wait ← Queue.get ← work        the stack
 *                                             Queue.get ← work        as recorded
 *
 * They are recognised by the numbers of their code objects, which are learned from loaded modules:
 * nothing is imported, and no code of the program runs. The GIL guards the table. */
#ifndef STACKGLASS_CONTENTION_PRIMITIVE_FUNCTIONS_H
#define STACKGLASS_CONTENTION_PRIMITIVE_FUNCTIONS_H

#include <stdint.h>

#include "frames/code_ids.h"
#include "frames/primitives.h"

/* Traits of a function; 0 = none. */
enum {
    SG_FUNCTION_IS_PRIMITIVE = 1,
    SG_FUNCTION_SLEEPS = 2,    /* acquires a lock that it has made for this wait */
    SG_FUNCTION_WAKES = 4,     /* releases the lock that a sleeping thread has made */
    SG_FUNCTION_HANDS_ON = 8,  /* wakes a thread that has waited for its caller to call it */
    SG_FUNCTION_RESTORES = 16, /* takes a lock again, as the second half of a wait */
    SG_FUNCTION_BEGINS = 32,   /* no primitive: the event loop calls tasks and callbacks in it */
    SG_FUNCTION_IDLES = 64,    /* no primitive: the event loop waits in it for something to do */
    SG_FUNCTION_MAKES = 128,   /* no primitive: makes its object's lock */
    SG_FUNCTION_KEEPS = 256,   /* no primitive: waits for an object that belongs to its `self` */
    SG_FUNCTION_BITS = 9,
};

/* Return the type of the function's `self`, from what sg_primitive_functions_find returned. */
static inline enum sg_primitive sg_primitive_function_object(uint32_t traits) {
    return (enum sg_primitive)(traits >> SG_FUNCTION_BITS);
}

/* Return the traits of the function with this code object, SG_FUNCTION_…, and above these bits the
 * type of its `self`. */
uint32_t sg_primitive_functions_find(sg_code_id code);

/* Look for the functions that are not known yet. Takes some microseconds if none of their modules
 * is new. */
void sg_primitive_functions_learn(void);
void sg_primitive_functions_forget(void);

#endif
