/* Self-check: compares the walk of this interpreter's frames with what Python reports. */
#ifndef STACKGLASS_CPU_SELF_CHECK_H
#define STACKGLASS_CPU_SELF_CHECK_H

/* Return NULL, or one sentence that says what differs. Caller holds the GIL; runs a few lines of
 * probe code. Called after sg_cpu_prepare. */
const char *sg_self_check(void);

#endif
