#!/usr/bin/env python3
"""Installs the build into an empty folder and builds and runs programs that know nothing but that folder.

usage: test/install/install_test.py --build BUILD --cxx COMPILER --cc COMPILER      exit code 1 if anything fails
"""
import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WANTED = "block:1.1\n1 snapshot\n"


def run(command, **options):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def prefix_of(build, folder):
    # The prefix is written into the pkg-config file when it is configured; move it, as a package's build would.
    prefix = folder / "prefix"
    run(["cmake", "--install", build, "--prefix", prefix])
    (pc,) = prefix.rglob("pactdb.pc")
    lines = pc.read_text(encoding="utf-8").split("\n")
    pc.write_text("\n".join(f"prefix={prefix}" if line.startswith("prefix=") else line for line in lines),
                  encoding="utf-8")
    return prefix, pc.parent


def check(what, output):
    if output != WANTED:
        sys.exit(f"{what} printed {output!r}, not {WANTED!r}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--cc", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix, pkgconfig = prefix_of(arguments.build, folder)
        libraries = pkgconfig.parent

        run(["cmake", "-S", HERE / "outside", "-B", folder / "cxx", f"-DCMAKE_PREFIX_PATH={prefix}",
             f"-DCMAKE_CXX_COMPILER={arguments.cxx}"])
        run(["cmake", "--build", folder / "cxx"])
        check("the C++ program", run([folder / "cxx" / "outside", folder / "cxx.pactdb"]))

        environment = dict(os.environ, PKG_CONFIG_PATH=str(pkgconfig))
        flags = shlex.split(run(["pkg-config", "--cflags", "--libs", "pactdb"], env=environment))
        run([arguments.cc, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", HERE / "outside" / "outside.c",
             "-o", folder / "c", *flags])
        check("the C program", run([folder / "c", folder / "c.pactdb"],
                                   env=dict(os.environ, LD_LIBRARY_PATH=str(libraries))))
        version = run([prefix / "bin" / "pactdb", "--version"])
        if "pactdb" not in version and not version[0].isdigit():
            sys.exit(f"the installed command printed {version!r}")
    print("outside programs in C++ and C build and run")


if __name__ == "__main__":
    main()
