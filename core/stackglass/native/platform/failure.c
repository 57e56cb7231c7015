/* Failure: see failure.h. */
#include "platform/failure.h"

_Atomic int stackglass_failure[2];
