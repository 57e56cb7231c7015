/* The Python face of the agent: the engine in this process. */
#include "faces.h"

#include "agent.h"

static PyObject *sg_face_enter(PyObject *module, PyObject *arguments) {
    char *bytes;
    Py_ssize_t size;

    if (PyBytes_AsStringAndSize(arguments, &bytes, &size))
        return NULL;
    return PyLong_FromLong(stackglass_enter(bytes, (unsigned long)size));
}

PyMethodDef sg_agent_face[] = {
    {"enter", sg_face_enter, METH_O,
     "Start the engine in this process: NUL-separated key=value. 0, 1 = it runs, or -errno."},
    {NULL, NULL, 0, NULL},
};
