/* The rules of entering a process, without a process, for tests. */
#define PY_SSIZE_T_CLEAN
#include "tables.h"

#include <string.h>

#include "bindings/address_ranges.h"
#include "inject/inject.h"
#include "inject/machines.h"
#include "inject/rules.h"

static const struct sg_machine *find_machine(const char *name, Py_ssize_t registers_size) {
    const struct sg_machine *machine = sg_machines_find(name);
    if (machine == NULL) {
        PyErr_Format(PyExc_ValueError, "no such machine: %s", name);
        return NULL;
    }
    if ((size_t)registers_size != machine->registers_size) {
        PyErr_Format(PyExc_ValueError, "%s has %zd bytes of registers", name,
                     (Py_ssize_t)machine->registers_size);
        return NULL;
    }
    return machine;
}

static PyObject *may_inject(PyObject *self, PyObject *args) {
    const char *name, *registers, *code;
    Py_ssize_t registers_size, code_size;
    PyObject *range_tuple;
    struct sg_range ranges[SG_ADDRESS_RANGES_MAX];
    size_t n_ranges;
    if (!PyArg_ParseTuple(args, "sy#y#O!:may_inject", &name, &registers, &registers_size, &code,
                          &code_size, &PyTuple_Type, &range_tuple)) {
        return NULL;
    }
    const struct sg_machine *machine = find_machine(name, registers_size);
    if (machine == NULL || sg_address_ranges_parse(range_tuple, ranges, &n_ranges) != 0) {
        return NULL;
    }
    if ((size_t)code_size != 2 * machine->system_call_instruction_size) {
        PyErr_SetString(PyExc_ValueError, "code must hold two instructions' room");
        return NULL;
    }
    return PyBool_FromLong(
        sg_rules_may_inject(machine, registers, (const uint8_t *)code, ranges, n_ranges));
}

static PyObject *call_registers(PyObject *self, PyObject *args) {
    const char *name, *registers;
    Py_ssize_t size;
    unsigned long long function, first, second, stack_top;
    if (!PyArg_ParseTuple(args, "sy#KKKK:call_registers", &name, &registers, &size, &function,
                          &first, &second, &stack_top)) {
        return NULL;
    }
    const struct sg_machine *machine = find_machine(name, size);
    if (machine == NULL) {
        return NULL;
    }
    uint8_t changed[SG_REGISTERS_MAX];
    const uint64_t arguments[] = {first, second};
    memcpy(changed, registers, (size_t)size);
    unsigned long long slot =
        sg_machine_prepare_call(machine, changed, function, arguments, 2, stack_top);
    return Py_BuildValue("y#K", (const char *)changed, size, slot);
}

static PyObject *system_call_registers(PyObject *self, PyObject *args) {
    const char *name, *registers;
    Py_ssize_t size;
    unsigned long long address, first;
    long number;
    if (!PyArg_ParseTuple(args, "sy#KlK:system_call_registers", &name, &registers, &size, &address,
                          &number, &first)) {
        return NULL;
    }
    const struct sg_machine *machine = find_machine(name, size);
    if (machine == NULL) {
        return NULL;
    }
    uint8_t changed[SG_REGISTERS_MAX];
    const uint64_t arguments[SG_ARGUMENTS_MAX] = {first, 1, 2, 3, 4, 5};
    memcpy(changed, registers, (size_t)size);
    sg_machine_prepare_system_call(machine, changed, address, number, arguments);
    return PyBytes_FromStringAndSize((const char *)changed, size);
}

PyMethodDef sg_inject_rules_bindings[] = {
    {"may_inject", may_inject, METH_VARARGS, "May a thread with these registers be used?"},
    {"call_registers", call_registers, METH_VARARGS, "Registers that make a call happen."},
    {"system_call_registers", system_call_registers, METH_VARARGS,
     "Registers that make a system call happen."},
    {NULL, NULL, 0, NULL},
};
