/* Object fields: offsets of fields of PyObject and PyTypeObject that the limited API hides. They
 * are the same on 64-bit machines from 3.9 to 3.15. */
#ifndef STACKGLASS_INTERPRETER_OBJECT_FIELDS_H
#define STACKGLASS_INTERPRETER_OBJECT_FIELDS_H

enum {
    SG_OB_TYPE = 8,
    SG_OB_SIZE = 16, /* in PyVarObject; negative in a negative int up to 3.11 */
    SG_TP_NAME = 24,
    SG_TP_BASICSIZE = 32,
    SG_TP_ITEMSIZE = 40,
    SG_TP_AS_NUMBER = 96,
    SG_NB_BOOL = 72, /* in PyNumberMethods */
    SG_TP_FLAGS = 168,
    SG_TP_TRAVERSE = 184,
    SG_TP_BASE = 256,
    SG_TP_DESCR_GET = 272,
    SG_TP_DICTOFFSET = 288,
    SG_TP_DEL = 376,
    SG_TP_FINALIZE = 392,
};

#endif
