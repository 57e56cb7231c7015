/* Object fields: offsets in bytes of fields of Python's C structs that the limited API hides. They
 * are the same on 64-bit machines from 3.9 to 3.15. */
#ifndef STACKGLASS_INTERPRETER_OBJECT_FIELDS_H
#define STACKGLASS_INTERPRETER_OBJECT_FIELDS_H

enum {
    SG_OB_TYPE = 8,
    SG_OB_SIZE = 16,     /* in PyVarObject; negative in a negative int up to 3.11 */
    SG_FIRST_FIELD = 16, /* the first field that a type adds to PyObject's two */

    SG_TP_NAME = 24,
    SG_TP_BASICSIZE = 32,
    SG_TP_ITEMSIZE = 40,
    SG_TP_DEALLOC = 48,
    SG_TP_AS_NUMBER = 96,
    SG_NB_BOOL = 72, /* in PyNumberMethods */
    SG_TP_FLAGS = 168,
    SG_TP_TRAVERSE = 184,
    SG_TP_BASE = 256,
    SG_TP_DESCR_GET = 272,
    SG_TP_DICTOFFSET = 288,
    SG_TP_INIT = 296,
    SG_TP_ALLOC = 304,
    SG_TP_MRO = 344,
    SG_TP_DEL = 376,
    SG_TP_FINALIZE = 392,

    /* PyCFunctionObject, with which objects of Cython's functions begin as well. */
    SG_C_FUNCTION_DEFINITION = 16, /* m_ml; the name is the definition's first field */
    SG_C_FUNCTION_SELF = 24,       /* m_self */
    /* PyMethodObject. */
    SG_METHOD_FUNCTION = 16, /* im_func */
    SG_METHOD_SELF = 24,     /* im_self */
    /* PyWeakReference. */
    SG_REFERENCE_OBJECT = 16,   /* wr_object */
    SG_REFERENCE_CALLBACK = 24, /* wr_callback */
};

#endif
