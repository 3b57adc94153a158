"""Instructions counted by callgrind: figures that do not depend on how busy the machine is."""
import glob
import os
import re
import subprocess
import tempfile


def run(tool, lines):
    """Runs the tool on the lines; ({name of a client request: instructions}, the finished process)."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "cost")
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, tool],
                              input="".join(line + "\n" for line in lines).encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        costs = {}
        for path in glob.glob(out + ".*"):
            with open(path, encoding="utf-8", errors="replace") as dump:
                text = dump.read()
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
            cost = re.search(r"^summary: (\d+)$", text, re.M)
            if name and cost:
                costs[name.group(1)] = int(cost.group(1))
        return costs, done
