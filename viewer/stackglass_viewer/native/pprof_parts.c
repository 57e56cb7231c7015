/* The user sees the error text, so only the first error of a decoder is kept. */
#include "pprof_parts.h"

#include <stdio.h>

int sg_pprof_parts_fail(struct sg_decoder *decoder, const char *what) {
    if (!decoder->error[0])
        snprintf(decoder->error, SG_ERROR_BYTES, "%s", what);
    return SG_BROKEN;
}

int sg_pprof_parts_fail_field(struct sg_decoder *decoder, const char *message) {
    char text[100];
    snprintf(text, sizeof text, "it is truncated or damaged: a %s cannot be read", message);
    return sg_pprof_parts_fail(decoder, text);
}
