#!/usr/bin/env python3
"""Fills the disk under the script, on several file systems (make sweep-disk).

When there is no room the process must get E_STORE_IO and live, reading must go on, and once there is room commits
must go on without opening the file again. Then the file must hold everything.

Mounting needs rights; a kind that may not be mounted is skipped with a notice, but one that is mounted only now and
then is a failure. The control is a file size limit that is never lifted: commits must not go on.

usage: sweep_disk.py TOOL [--rounds N] [--few]
"""
import argparse
import os
import pathlib
import resource
import signal
import shutil
import subprocess
import sys
import tempfile

STEPS = 900
KINDS = [("ext4 with 1 KiB blocks", ["mkfs.ext4", "-q", "-F", "-b", "1024", "-O", "^has_journal"]),
         ("ext4 with 2 KiB blocks", ["mkfs.ext4", "-q", "-F", "-b", "2048", "-O", "^has_journal"]),
         ("ext4 with 4 KiB blocks", ["mkfs.ext4", "-q", "-F", "-b", "4096", "-O", "^has_journal"]),
         ("ext4 with a journal", ["mkfs.ext4", "-q", "-F"]),
         ("tmpfs", None)]


def run(*command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


class Mount:
    """A small file system, or nothing if that is not allowed."""

    def __init__(self, base, make, size_mb):
        self.path = base / "mount"
        self.path.mkdir()
        self.image = base / "image"
        if make is None:
            self.ok = run("mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "none", self.path)
        else:
            with open(self.image, "wb") as image:
                image.truncate(size_mb << 20)
            self.ok = (shutil.which(make[0]) is not None and run(*make, self.image)
                       and run("mount", "-o", "loop", self.image, self.path))

    def close(self):
        if self.ok:
            run("umount", self.path)


def fill_up(path, leave):
    """Takes all room but `leave` bytes."""
    status = os.statvfs(path)
    size = max(0, status.f_bavail * status.f_frsize - leave)
    with open(path / "filler", "wb") as filler:
        try:
            for _ in range(size // 4096):
                filler.write(bytes(4096))
        except OSError:
            pass


def talk(tool, path, seed, more_room, **options):
    """Runs `fill`; its lines and how it ended."""
    process = subprocess.Popen([tool, "fill", path, str(seed), str(STEPS)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True, **options)
    lines = [process.stdout.readline().strip(), process.stdout.readline().strip()]
    if process.poll() is None:
        more_room(process.pid)
        rest, _ = process.communicate("go on\n", timeout=120)
        lines += rest.splitlines()
    return lines, process.wait()


def judge(lines, code):
    wanted = ["full", "reads", "resumed", "ok"]
    got = [line.split(" ", 1)[0] for line in lines]
    if code != 0 or got != wanted or "E_STORE_IO" not in lines[0]:
        return f"bad, ended with {code}: {' | '.join(lines)}"
    return "ok"


def on_mount(tool, name, make, round_number):
    base = pathlib.Path(tempfile.mkdtemp(prefix="pactdb-disk-"))
    mount = Mount(base, make, 24)
    try:
        if not mount.ok:
            return None
        fill_up(mount.path, (900 + 370 * round_number) << 10)
        lines, code = talk(tool, mount.path / "a", round_number,
                           lambda _: (mount.path / "filler").unlink())
        return judge(lines, code)
    finally:
        mount.close()
        shutil.rmtree(base, ignore_errors=True)


def limit_file_size(size):
    def apply():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    return apply


def with_limit(tool, round_number, lift):
    base = pathlib.Path(tempfile.mkdtemp(prefix="pactdb-disk-"))

    def more_room(pid):
        if lift:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    try:
        lines, code = talk(tool, base / "a", round_number, more_room,
                           preexec_fn=limit_file_size((700 + 130 * round_number) << 10))
        return judge(lines, code)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def tell(name, answers):
    """How many are bad."""
    bad = [a for a in answers if a != "ok"]
    print(f"disk: {name}: {len(answers)} rounds, {len(bad)} bad")
    for line in bad[:5]:
        print(f"  {line}")
    return len(bad)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--few", action="store_true", help="only the file system with 2 KiB blocks, and tmpfs")
    args = parser.parse_args()
    failures = 0
    for name, make in KINDS[1::3] if args.few else KINDS:
        answers = [on_mount(args.tool, name, make, i) for i in range(1, args.rounds + 1)]
        if all(a is None for a in answers):
            print(f"skipped: disk: {name}: it may not be mounted here")
            continue
        failures += tell(name, [a or "bad, it was not mounted, and in another round it was" for a in answers])
    failures += tell("file size limit", [with_limit(args.tool, i, True) for i in range(1, args.rounds + 1)])
    control = with_limit(args.tool, 1, False)
    print(f"control, the limit stays: {control[:100]}")
    return 1 if failures or control == "ok" else 0


if __name__ == "__main__":
    sys.exit(main())
