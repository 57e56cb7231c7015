/* Interpreter image: where the library, or the program, that has the interpreter's code is in
 * memory. */
#ifndef STACKGLASS_INTERPRETER_IMAGE_H
#define STACKGLASS_INTERPRETER_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Find the image, at the first call. Called without the GIL, and before the functions below: a
 * thread that holds the loader's lock may wait for the GIL, as a Python callback of dl_iterate_phdr
 * does. sg_python_symbols_find has succeeded. */
void sg_interpreter_image_find(void);

/* Is `address` in the segment that has the interpreter's code? */
bool sg_interpreter_image_has_code(uintptr_t address);
/* Find the writable segment, of variables, that contains `address`. Returns false if it is not the
 * interpreter's. */
bool sg_interpreter_image_find_data(uintptr_t address, uintptr_t *start, uintptr_t *end);

#endif
