#!/usr/bin/env bash
# Builds Citus for Debian's PostgreSQL 15 from a source tree, and runs the tests of the back end for Postgres on clusters of it. FOLDER keeps
# what was built. Without sources, or what building needs, it says what was not run, and succeeds.
#
#   tools/citus/run.sh FOLDER SOURCES
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1" && folder=$(cd "$1" && pwd)
sources=${2:-}
readonly version=15
readonly server=usr/lib/postgresql/$version share=usr/share/postgresql/$version

omit() { echo "citus: not run (the suite of the back end for Postgres on a Citus cluster, load, rebalance, loss of a worker): $1"; exit 0; }

[ -n "$sources" ] || omit "there are no sources: set CITUS_SRC to a source tree of Citus, such as a checkout of tag v13.2.2"
[ -x "$sources/configure" ] || omit "$sources has no file configure: it is no source tree of Citus"
missing=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' gcc flex postgresql-$version postgresql-server-dev-$version libpq-dev libzstd-dev liblz4-dev \
	libkrb5-dev libxml2-dev libxslt1-dev libpam0g-dev libselinux1-dev libedit-dev 2>&1 | sed -n 's/^not-installed \|^dpkg-query: no packages found matching //p' | xargs) || omit "this is no Debian"
[ -z "$missing" ] || omit "apt-get install $missing"

# The build works on a copy, so that the sources stay unchanged. A finished build serves one version of the server.
name=$(sed -n "s/^PACKAGE_VERSION='\(.*\)'/\1/p" "$sources/configure")-$(dpkg-query -W -f '${Version}' postgresql-$version)
built=$folder/$name
if [ ! -d "$built" ]; then
	work=$folder/work
	rm -rf "$work" && mkdir -p "$work/built/${server%/*}" "$work/built/${share%/*}"
	cp -R "$sources" "$work/sources"
	cd "$work/sources"
	touch configure src/include/*.in # they would be generated again if a file that they were generated from were newer
	# A header of the newest minor versions declares a function that Citus defines for itself: its definition has to come first.
	options=(with_llvm=no COPT="-include postgres.h -include pg_version_compat.h")
	echo "citus: building $name, some minutes; the log is $folder/log"
	{ ./configure --without-libcurl PG_CONFIG=/$server/bin/pg_config && make -j2 "${options[@]}" extension &&
		cp -a /$server "$work/built/${server%/*}/" && cp -a /$share "$work/built/${share%/*}/" &&
		make "${options[@]}" DESTDIR="$work/built" install-extension; } > "$folder/log" 2>&1 || { tail "$folder/log"; exit 1; }
	cd "$folder"
	mv "$work/built" "$built" && rm -rf "$work"
fi

# It runs where a user without rights can read it; programs find their folders beside them.
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp -R "$built/usr" "$place/" && chmod -R a+rX "$place"
cd "$root"
echo "== Citus $name"
HIPPO_TEST_CITUS=1 HIPPO_TEST_POSTGRES_BIN=$place/$server/bin REQUIRE_POSTGRES=1 \
	go test -count=1 -vet=off -timeout 30m -v -run 'TestConformance$|TestTenants|TestNodes|TestTokens|TestLease|TestDrop|TestCitus' ./internal/store/pgstore | grep --line-buffered -E '^ *[a-z_]+\.go:|^(---|ok|FAIL|panic)'
