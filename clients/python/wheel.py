"""Write a wheel that holds the client and the program for Linux. It needs the standard library alone.

usage: python3 wheel.py PROGRAM VERSION amd64|arm64 SECONDS FOLDER

The program becomes the command pipeline of the environment. SECONDS is the time of all files, so that the same content
gives the same bytes. The name of the wheel is printed.
"""

import base64
import hashlib
import os
import re
import sys
import time
import zipfile

MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
GLIBC = "2_34"  # the oldest one that the program runs with
METADATA = """Metadata-Version: 2.1
Name: glmbatch
Version: {version}
Summary: Fit data frames with the program pipeline of glmbatch, and read its ledgers
Requires-Python: >=3.9
Classifier: Operating System :: POSIX :: Linux
Provides-Extra: frames
Requires-Dist: pandas; extra == 'frames'
"""
WHEEL = """Wheel-Version: 1.0
Generator: glmbatch
Root-Is-Purelib: false
Tag: {tag}
"""


def normal(version):
    """Return a version of the program as Python writes versions: 0.5.0+v0.4.0-3-gabc is 0.5.0+v0.4.0.3.gabc."""
    public, _, local = version.lstrip("v").partition("+")
    local = re.sub(r"[^a-z0-9]+", ".", local.lower()).strip(".")
    return public + ("+" + local if local else "")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(program, version, machine, seconds, folder):
    """Write the wheel to a folder and return its name."""
    version, here = normal(version), os.path.dirname(os.path.abspath(__file__))
    tag = "py3-none-manylinux_%s_%s" % (GLIBC, MACHINES[machine])
    info = "glmbatch-%s.dist-info/" % version
    files = [("glmbatch.py", read(os.path.join(here, "glmbatch.py")), 0o644),
             ("glmbatch-%s.data/scripts/pipeline" % version, read(program), 0o755),
             (info + "LICENSE", read(os.path.join(here, "..", "..", "LICENSE")), 0o644),
             (info + "METADATA", METADATA.format(version=version).encode(), 0o644),
             (info + "WHEEL", WHEEL.format(tag=tag).encode(), 0o644)]
    record = ""
    for name, content, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (name, digest, len(content))
    files.append((info + "RECORD", (record + info + "RECORD,,\n").encode(), 0o644))
    wheel = "glmbatch-%s-%s.whl" % (version, tag)
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as out:
        for name, content, mode in files:
            entry = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            out.writestr(entry, content)
    return wheel


if __name__ == "__main__":
    if len(sys.argv) != 6 or sys.argv[3] not in MACHINES:
        sys.exit(__doc__.strip())
    print(write(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]))
