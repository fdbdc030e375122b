# Commands for people; dune does the work. `make` alone lists the commands. ARGS are
# passed on:  make run ARGS="--workers 2 ~/src"
.PHONY: help setup build run run-mpi fibserver web test test-all packages elsewhere matrix bench bench-mpi proofs heap heap-bench heap-programs heap-testsuite mutants policy-mutants doc fmt clean
.DEFAULT_GOAL := help

help:
	@echo 'make run    the corpus job on real files      ARGS="--chart run.html", paths, --help'
	@echo 'make run-mpi  the same over two and four ranks of MPI  ARGS="--rounds 1 DIR"'
	@echo 'make fibserver  an HTTP server: Lwt in front, Dromos behind  ARGS=--help'
	@echo 'make web    a web service with SQLite: jobs, progress, policies  ARGS=--help, --load'
	@echo 'make test   builds everything, runs the tests but the long ones'
	@echo 'make test-all  the long tests too: more interleavings, policies, packages'
	@echo 'make packages  each opam package built by itself  ARGS="--tests", names'
	@echo 'make elsewhere  make run and make test on other Debian suites  ARGS="unstable", arm64'
	@echo 'make matrix every structure between every pair of kinds of tasks (ARGS=--help)'
	@echo 'make bench  the bench lab                     ARGS="--quick", --verdict, --growth'
	@echo 'make bench-mpi  messages beside C under MPI; loops over ranks'
	@echo 'make proofs checks the proofs: kernel, policies ARGS=--fast: what changed, --full: all'
	@echo 'make heap   builds the runtime variant; domains on one core, against stock'
	@echo 'make heap-bench  the suite on stock and on the variant  ARGS="--quick", ARGS=--help'
	@echo 'make heap-programs  compilers and others on stock and on the variant: time, memory'
	@echo 'make heap-testsuite  OCaml'"'"'s own tests on the variant  ARGS="weak effects": these'
	@echo 'make mutants  faults in the kernel, each of which the proofs must refute'
	@echo 'make policy-mutants  the same for policies: checker, prover, theories, hubs'
	@echo 'make doc    drawings of the house (graphviz) and the API pages'
	@echo 'make setup  brings what the others need; make build  builds all'
	@echo 'make fmt    formats the sources'
	@echo 'make clean  removes what was built'

# The comment at the head of a script, if ARGS has --help.
ifneq (,$(filter --help,$(ARGS)))
usage = @awk 'NR == 1 { next } /^\#/ { sub(/^\# ?/, ""); print; next } { exit }'

setup:
	@./setup --help
elsewhere:
	$(usage) test/elsewhere.sh
test test-all:
	$(usage) test/run.sh
packages:
	$(usage) test/packages.sh
proofs:
	$(usage) proofs/tools/check.sh
heap:
	$(usage) heap/bench/cliff.sh
heap-programs:
	$(usage) heap/bench/programs.sh
heap-testsuite:
	$(usage) heap/test/distribution/run.sh
mutants policy-mutants:
	$(usage) test/mutants/check.sh
doc:
	$(usage) doc/tools/doc.sh
bench-mpi:
	$(usage) bench/mpi/run.sh
run-mpi:
	$(usage) examples/corpus/ranks/run.sh
build fmt clean: help
else

setup:
	@./setup

elsewhere:
	@bash test/elsewhere.sh $(ARGS)

test:
	@./setup exec bash test/run.sh $(ARGS)

test-all:
	@./setup exec bash test/run.sh --all

packages:
	@./setup exec bash test/packages.sh $(ARGS)

proofs:
	@./setup proofs
	@./setup exec bash proofs/tools/check.sh $(ARGS)
	@./setup exec bash policy/theories/check.sh

heap:
	@./setup exec sh heap/fits.sh
	@./setup exec dune build ./heap ./bin/main.exe
	@sh heap/bench/cliff.sh

heap-programs:
	@./setup exec sh heap/fits.sh
	@./setup exec dune build ./heap/libasmrun_hh.a ./heap/bench ./bin/main.exe
	@sh heap/bench/programs.sh $(ARGS)
	@sh heap/bench/memory.sh

heap-testsuite:
	@./setup exec sh heap/fits.sh
	@./setup exec sh heap/test/distribution/run.sh $(ARGS)

mutants: proofs
	@./setup exec bash test/mutants/check.sh proofs/mutants/mutants.tsv $(ARGS)

policy-mutants:
	@./setup proofs
	@./setup exec dune build ./bin/main.exe
	@./setup exec bash test/mutants/check.sh --page doc/policy/mutants.md \
	  policy/test/mutants/mutants.tsv $(ARGS)

doc:
	@./setup doc
	@./setup exec bash doc/tools/doc.sh

fmt:
	@./setup exec sh -c 'dune build @fmt --auto-promote 2>/dev/null || dune build @fmt'

clean:
	@./setup exec dune clean

build:
	@./setup exec dune build

run-mpi:
	@./setup mpi
	@./setup exec sh examples/corpus/ranks/run.sh $(ARGS)

bench-mpi:
	@./setup mpi
	@./setup exec sh bench/mpi/run.sh
endif

run:
	@./setup run dune exec --display=quiet examples/corpus/main.exe -- $(ARGS)

fibserver:
	@./setup exec dune exec --display=quiet examples/fibserver/main.exe -- $(ARGS)

web:
	@./setup web
	@./setup exec sh examples/web/run.sh $(ARGS)

matrix:
	@./setup exec dune exec --display=quiet test/matrix/main.exe -- $(ARGS)

bench:
	@./setup exec dune exec --display=quiet bench/main.exe -- $(ARGS)

heap-bench:
	@./setup exec sh heap/fits.sh
	@./setup exec dune build --profile release ./heap/bench ./bench/main.exe
	@_build/default/bench/main.exe --suite heap $(ARGS)
