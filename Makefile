# Everything a person does with a checkout. Each target sets up what it needs first, once.
#
#   make run      set up; start the demo program; attach to it by PID; show it live
#   make test     set up; all tests
#   make check    set up; format, lint, types, import contracts, portability
#   make format   rewrite what `make check` would complain of
#   make bench    set up; measurements beside their peers (minutes; wants a quiet machine)
#   make builds   set up; the engine's tests on all of Debian's builds, debug builds included
#   make soak     set up; ten minutes of profiling, coming and going (STACKGLASS_SOAK_S=seconds)
#   make fuzz     set up; hostile clients at the socket of a sanitized engine, three minutes
#                 (STACKGLASS_FUZZ_S=seconds, STACKGLASS_FUZZ_SEED=number)
#   make fuzz-readers  set up; files of every format, broken in ways that reach new code, two minutes
#                 for each (STACKGLASS_FUZZ_S, STACKGLASS_FUZZ_SEED, STACKGLASS_FUZZ_FORMAT=name)
#   make pprof-agreement  set up; every report of every file that pprof reads, with 301 sets of options,
#                 beside `go tool pprof` (FILES="FOLDER FILE …": these as well; ten minutes)
#   make waits-proof  set up; a thousand looks at each of the healthy programs of tests/targets/healthy,
#                 on every Python (hours; STACKGLASS_LOOKS=how many): no false deadlock or holder
#   make mutants  set up; break the engine on purpose, once per file of tests/mutants: a test must fail
#   make torture  programs and CPython's own tests under all profiles, beside the same without us
#   make pictures  set up; pictures of every view in both themes, for docs/views.md; some minutes
#   make clean    away with what was built; `make distclean` also with .venv and the target Pythons
#
# PYTHON=…  which interpreter .venv is made with (3.11 or newer)
# T=…       what to test: make test T=tests/contract
# WORKERS=… how many tests at a time: make test WORKERS=0 for one after the other
# ALL=1     every case on every Python: twice as long (tests/README.md, "Target Pythons")
# FIRST=1   no second look at a test that fails (tests/README.md, "A second look")
# M=…       which mutants: make mutants M=lost_count (JOBS=… how many at a time)

SHELL := /bin/bash
VENV := .venv/bin
CORE := core/stackglass/native
NATIVE := $(wildcard $(CORE)/*.[ch] $(CORE)/*/*.[ch] viewer/stackglass_viewer/native/*.[ch] \
	tests/native/*.[ch])
T ?=
ALL ?=
FIRST ?=
# Many tests wait for a process of theirs: so more than the processors of a small machine. On two,
# four at a time took less time than three or five.
WORKERS ?= 4

.PHONY: run test tools builds check format bench soak fuzz fuzz-readers pprof-agreement waits-proof \
	mutants proto clean distclean torture walk pictures
.DELETE_ON_ERROR:

.venv/ready-viewer: pyproject.toml packaging/set_up
	packaging/set_up viewer
	@mkdir -p build && touch $@ build/native-ready

.venv/ready-dev: pyproject.toml packaging/set_up
	packaging/set_up dev
	@mkdir -p build && touch $@ .venv/ready-viewer build/native-ready

# Installing has built the extensions; afterwards only a changed C file makes work.
build/native-ready: $(NATIVE) setup.py
	@mkdir -p build
	$(VENV)/python setup.py -q build_ext --inplace
	@touch $@

run: .venv/ready-viewer build/native-ready
	packaging/run_demo

# Go builds its pprof at the first call (half a minute).
tools: .venv/ready-dev
	($(VENV)/go tool pprof -help >/dev/null 2>&1) & packaging/debian_pythons || true; wait

test: .venv/ready-dev build/native-ready tools
	$(VENV)/python -m pytest -n $(WORKERS) --max-worker-restart 0 --durations=12 \
	    $(if $(ALL),--all-pythons) $(if $(FIRST),--first-look) $(T)

# 400 MB to download once; the ordinary run has the release builds.
builds: .venv/ready-dev build/native-ready
	packaging/debian_pythons --debug || true
	$(VENV)/python -m pytest -n $(WORKERS) tests/integration/test_distribution_builds.py
	STACKGLASS_PYTHONS=$$(ls -d $(CURDIR)/build/pythons/*/python3.* \
	    $(CURDIR)/build/pythons/python3.*-dbg | grep -v absent | paste -sd:) \
	    $(VENV)/python -m pytest -n $(WORKERS) --all-pythons -k "bullseye or bookworm or trixie or dbg" \
	    tests/integration tests/core/stackglass/native

check: .venv/ready-dev build/native-ready
	$(VENV)/python packaging/check.py

format: .venv/ready-dev
	$(VENV)/python packaging/check.py --fix

bench: .venv/ready-dev build/native-ready
	$(VENV)/python tests/bench/run_all.py

soak: .venv/ready-dev build/native-ready
	packaging/debian_pythons forky || true
	PYTHONPATH=core:viewer:resources:tests $(VENV)/python tests/soak/soak.py

pprof-agreement: .venv/ready-dev build/native-ready
	PYTHONPATH=core:viewer:resources:tests $(VENV)/python tests/soak/pprof_agreement.py $(FILES)

waits-proof: .venv/ready-dev build/native-ready
	packaging/debian_pythons forky || true
	PYTHONPATH=core:viewer:resources:tests $(VENV)/python tests/soak/waits_proof.py

fuzz: .venv/ready-dev build/native-ready build/sanitized/_core.abi3.so
	PYTHONPATH=core:viewer:resources:tests $(VENV)/python tests/soak/fuzz_socket.py

fuzz-readers: .venv/ready-dev build/native-ready
	PYTHONPATH=core:viewer:resources:tests $(VENV)/python tests/soak/fuzz_readers.py

# The engine with AddressSanitizer and UBSan, for `make fuzz` and its short run among the tests.
# Every run of all tests in a new checkout builds it: without optimization its files compile in
# 60 % of the time.
SANITIZED := build/sanitized
SANITIZED_FLAGS := -std=c11 -O0 -g1 -fPIC -fvisibility=hidden -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-iquote $(CORE) -include $(CORE)/platform/glibc_floor.h \
	-include $(CORE)/interpreter/argument_sizes.h \
	-include $(CORE)/interpreter/reference_counts.h \
	-DPy_LIMITED_API=0x03090000 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter
FIND_HEADERS := import sysconfig; print(sysconfig.get_path("include"))
PYTHON_HEADERS = $(eval PYTHON_HEADERS := $(shell $(VENV)/python -c '$(FIND_HEADERS)'))$(PYTHON_HEADERS)

$(SANITIZED)/%.o: $(CORE)/%.c
	@mkdir -p $(@D)
	$(CC) $(SANITIZED_FLAGS) -I$(PYTHON_HEADERS) -MMD -MP -c $< -o $@

SANITIZED_OBJECTS := $(patsubst $(CORE)/%.c,$(SANITIZED)/%.o,\
	$(filter-out $(CORE)/flight/%,$(wildcard $(CORE)/*.c $(CORE)/*/*.c)))

$(SANITIZED)/_core.abi3.so: $(SANITIZED_OBJECTS)
	$(CC) -shared -fsanitize=address,undefined -Wl,-z,now -o $@ $^ -lpthread -ldl -lm

-include $(wildcard $(SANITIZED)/*.d $(SANITIZED)/*/*.d)

mutants: .venv/ready-dev
	packaging/debian_pythons forky || true
	$(VENV)/python tests/mutants/run.py $(M) $(if $(JOBS),--jobs $(JOBS))

torture: .venv/ready-dev build/native-ready
	packaging/debian_pythons --tests forky || true
	for name in green numpy uvloop; do packaging/target_packages $$name; done
	PYTHONPATH=core:viewer:resources:tests $(VENV)/python -m torture $(TORTURE)

walk: .venv/ready-dev build/native-ready
	PYTHONPATH=core:viewer:resources:tests $(VENV)/python -m walk $(WALK)

pictures: .venv/ready-dev build/native-ready
	PYTHONPATH=core:viewer:resources:tests $(VENV)/python -m pictures $(PICTURES)

proto: .venv/ready-dev
	$(VENV)/python packaging/gen_proto.py

clean:
	rm -rf build/temp* build/lib* build/bdist* build/run build/native-ready dist
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find core viewer resources tests packaging -name __pycache__ -prune -exec rm -rf {} +
	find core viewer tests/native -name '*.so' -delete

distclean: clean
	rm -rf .venv build *.egg-info core/*.egg-info
