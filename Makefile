PYTHON ?= python3
# One more than there are processors: half of the time tests wait for servers and disks.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# Without files of bytecode each worker of the tests would compile all of them, and each server the package.
unexport PYTHONDONTWRITEBYTECODE

# Everything that a visitor needs: environment, database with demo records, server. `make run BIND=0.0.0.0:8080`
BIND ?= 127.0.0.1:8000
.PHONY: run
run: .venv/installed
	@.venv/bin/calendar-api serve --demo --bind $(BIND) --from-make

.venv/installed: pyproject.toml setup.cfg
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check --editable .
	touch $@

PYTEST = build/test/bin/pytest --numprocesses $(WORKERS) --dist worksteal

# What a contributor waits for: linters and types beside the tests; at the end pytest lists what was skipped and why.
.PHONY: test
test: build/test/installed
	$(MAKE) --no-print-directory --jobs 2 lint suite

.PHONY: lint
lint: build/test/installed
	build/test/bin/ruff check
	build/test/bin/ruff format --check
	build/test/bin/mypy

.PHONY: suite
suite: build/test/installed
	$(PYTEST)

# While you write: within a minute, on SQLite alone, without any server.
SLOW = bench clients cluster commands confidentiality conformance database differential faults hostile model system \
	test_parsing_time.py test_sqlite_wal.py test_supply_chain.py \
	$(addprefix resources/test_,health.py list_size.py request_body_limits.py round_trip.py statements.py)
.PHONY: quick
quick: build/test/installed
	$(PYTEST) -q --hypothesis-profile quick -m 'not (cluster or long or system)' -k 'not mariadb' \
		$(addprefix --ignore=tests/,$(SLOW))

# What `make test` leaves out: the longest tests, faults planted to test the harnesses, the newer SQLite, a cluster.
.PHONY: test-all
test-all: build/test/installed
	$(PYTEST) -m long
	CALENDAR_TEST_DIFFERENTIAL_REQUESTS=5000 $(PYTEST) tests/differential/test_differential.py
	$(MAKE) --no-print-directory test-newer-sqlite
	$(MAKE) --no-print-directory test-cluster

# What touches a SQLite file, again with the newer SQLite of the extra `sqlite`; the rest of the suite is without it.
.PHONY: test-newer-sqlite
test-newer-sqlite: build/test/installed
	build/test/bin/pip install --quiet --disable-pip-version-check --upgrade --target build/test/newer-sqlite pysqlite3
	PYTHONPATH=$(CURDIR)/build/test/newer-sqlite build/test/bin/pytest --numprocesses $(WORKERS) --dist worksteal -k 'not mariadb' \
		tests/database/test_sqlite_*.py tests/database/test_database.py tests/database/test_migrations.py tests/commands/test_backup.py \
		tests/commands/test_restore.py tests/commands/test_check.py tests/commands/test_serve.py tests/resources/test_errors.py \
		tests/resources/test_health.py

# Of the random requests that two databases must answer alike, `make test` sends the first thousand only.
.PHONY: differential
differential: build/test/installed
	CALENDAR_TEST_DIFFERENTIAL_REQUESTS=20000 build/test/bin/pytest -rP tests/differential/test_differential.py

# Runs the long fault-injection tests: kills, power cuts, bad disks, races, clocks. Takes hours.
.PHONY: faults
faults: build/test/installed
	CALENDAR_TEST_FAULTS=long build/test/bin/pytest -rP -m 'not cluster' tests/faults tests/confidentiality tests/hostile tests/model tests/clients \
		tests/resources/test_round_trip.py tests/system/test_backup.py tests/commands/sources/test_csv_files.py \
		tests/commands/sources/test_icalendar_files.py

# Clients that generators make from `/doc`, at work on a real server. Needs Java 11 or later and Node.js 20 or later.
.PHONY: clients
clients: build/test/installed build/generators/installed
	CALENDAR_TEST_FAULTS=long build/test/bin/pytest -rP -m 'not cluster' tests/clients

build/generators/installed: Makefile
	$(PYTHON) -m venv build/generators
	build/generators/bin/pip install --quiet --disable-pip-version-check \
		openapi-generator-cli==7.26.0 openapi-python-client==0.29.1 python-dateutil urllib3
	npm install --silent --no-audit --no-fund --prefix build/generators/node \
		openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3
	touch $@

# ical.js, which reads feeds back in tests. Needs Node.js 18 or later.
build/readers/installed: Makefile
	npm install --silent --no-audit --no-fund --prefix build/readers ical.js@2.2.1
	touch $@

# axe-core and html-validate, which check the pages in tests. Needs Node.js 20.19 or later.
build/validators/installed: Makefile
	npm install --silent --no-audit --no-fund --prefix build/validators axe-core@4.14.1 html-validate@10.17.0
	touch $@

# Kills nodes of a cluster of three MariaDB servers under load, and prints the numbers.
.PHONY: test-cluster
test-cluster: build/test/installed
	build/test/bin/pytest -m cluster --capture=no tests/cluster

# The main rows of the benchmark on one generated calendar, in ten minutes. Needs wrk (apt-get install wrk).
.PHONY: bench
bench: build/test/installed
	build/test/bin/python -m bench

# All rows, with up to 100,000 events, other frameworks and MariaDB; takes 25 minutes on a quiet machine.
.PHONY: bench-full
bench-full: build/test/installed build/bench/peers/installed
	build/test/bin/python -m bench --full

# The same with a million events as well: an hour more the first time, and 20 GB of disk.
.PHONY: bench-million
bench-million: build/test/installed build/bench/peers/installed
	build/test/bin/python -m bench --full --sizes 1000,10000,100000,1000000

build/bench/peers/installed: bench/peers/requirements.txt build/test/installed
	$(PYTHON) -m venv build/bench/peers
	build/bench/peers/bin/pip install --quiet --disable-pip-version-check --requirement bench/peers/requirements.txt \
		"$$(build/test/bin/pip freeze | grep '^gunicorn==')"
	touch $@

build/test/installed: pyproject.toml setup.cfg
	$(PYTHON) -m venv build/test
	build/test/bin/pip install --quiet --disable-pip-version-check 'pip>=25.1'
	build/test/bin/pip install --quiet --disable-pip-version-check --editable . --group dev
	touch $@

# The wheel, and beside it the bill of what it runs with, from an environment that has the locked packages alone.
.PHONY: build
build: build/test/installed
	rm -rf dist build/locked
	build/test/bin/pip wheel --quiet --no-deps --wheel-dir dist .
	$(PYTHON) -m venv --without-pip build/locked
	build/test/bin/pip --python build/locked/bin/python install --quiet --require-hashes --no-deps \
		-r requirements-import.lock -r requirements-mysql.lock -r requirements-sqlite.lock
	build/locked/bin/python -m tools.sbom dist/*.whl

# One zip for hosts without pip, with all packages: for Python 3.11 on x86-64 Linux, unless you name others.
BUNDLE_PYTHON ?= 3.11
BUNDLE_PLATFORM ?= manylinux2014_x86_64
BUNDLE = dist/calendar-api-python$(BUNDLE_PYTHON)-$(BUNDLE_PLATFORM:manylinux2014_%=%).zip
.PHONY: bundle
bundle: .venv/installed
	rm -rf build/bundle
	mkdir -p build/bundle/lib dist
	sed 's/ ; python_version < "[0-9.]*"//' requirements.lock > build/bundle/requirements.lock
	cp requirements-import.lock requirements-mysql.lock build/bundle/
	.venv/bin/pip install --quiet --disable-pip-version-check --no-compile --target build/bundle/lib \
		--require-hashes --no-deps --only-binary :all: --implementation cp --python-version $(BUNDLE_PYTHON) --platform $(BUNDLE_PLATFORM) \
		-r build/bundle/requirements-import.lock -r build/bundle/requirements-mysql.lock
	rm -r build/bundle/lib/bin build/bundle/*.lock
	.venv/bin/pip install --quiet --disable-pip-version-check --no-compile --target build/bundle/lib --no-deps .
	rm -r build/bundle/lib/bin
	cp deploy/bundle/* LICENSE build/bundle/
	echo $(BUNDLE_PYTHON) > build/bundle/python-version
	cd build/bundle && $(CURDIR)/.venv/bin/python -m zipfile -c $(CURDIR)/$(BUNDLE) *
	@echo $(BUNDLE)
