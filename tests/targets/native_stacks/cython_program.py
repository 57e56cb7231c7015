"""Runs Cython functions with known stacks: cython_program.py SECONDS FOLDER.

Each is called by a Python function of its name with ``py_`` in front.
"""

import sys
import time

FOR_TABLES_S = 1.0  # in which the engine makes the tables of native stacks

seconds = float(sys.argv[1])
sys.path.insert(0, sys.argv[2])
import cython_work  # noqa: E402, of the folder that is given

time.sleep(FOR_TABLES_S)


def spin_again():
    cython_work.run_function(seconds)


def py_run_function():
    cython_work.run_function(seconds)


def py_run_method():
    cython_work.Circle().run_method(seconds)


def py_run_virtual():
    cython_work.run_virtual(seconds)


def py_run_callback():
    cython_work.run_callback(spin_again)


for function in (py_run_function, py_run_method, py_run_virtual, py_run_callback):
    function()
