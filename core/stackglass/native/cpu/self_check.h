/* Whether our walk over this interpreter's frames sees what Python shows. */
#ifndef STACKGLASS_CPU_SELF_CHECK_H
#define STACKGLASS_CPU_SELF_CHECK_H

/* NULL, or one sentence that says what differs. Caller holds the GIL; runs a few lines of our own
 * Python, which import and leave nothing. After sg_cpu_prepare. */
const char *sg_self_check(void);

#endif
