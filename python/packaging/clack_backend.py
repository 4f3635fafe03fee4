"""Builds the wheel of `pip install .`: CMake compiles, this puts the files together (PEP 517, 660).

It needs nothing but Python itself, CMake, Ninja and the Debian packages that `./do python` installs.
The build folder is build/, or what CLACK_BUILD names.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CLACK_BUILD", ROOT / "build"))
DEPENDENCIES = ["numpy"]  # the others are asked for where they are used; Debian's h5py has no
# entry that pip would find


def _version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(clack VERSION ([\d.]+)", text)[1]


def _compile():
    configure = ["cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja",
                 "-DCMAKE_BUILD_TYPE=Release", "-DCLACK_SANITIZE=OFF", "-DCLACK_PYTHON=ON"]
    interpreter = os.path.realpath(sys.executable)
    if interpreter != os.path.realpath("/usr/bin/python3"):
        configure.append(f"-DPython_EXECUTABLE={interpreter}")
    subprocess.run(configure, check=True)
    subprocess.run(["cmake", "--build", str(BUILD), "--target", "clack_package"], check=True)


def _tag():
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{version}-{version}-{platform}"


def _metadata():
    lines = ["Metadata-Version: 2.1", "Name: clack", f"Version: {_version()}",
             "Summary: Nonsmooth mechanics: contact, impact and Coulomb friction, exactly",
             "License: Apache-2.0", "Requires-Python: >=3.11"]
    lines += [f"Requires-Dist: {name}" for name in DEPENDENCIES]
    return "\n".join(lines) + "\n"


class _Wheel:
    def __init__(self, folder):
        self.name = f"clack-{_version()}-{_tag()}.whl"
        self.info = f"clack-{_version()}.dist-info"
        self.file = zipfile.ZipFile(Path(folder) / self.name, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, path, data):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{path},sha256={digest},{len(data)}")
        entry = zipfile.ZipInfo(path)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
        self.file.writestr(entry, data)

    def finish(self):
        wheel = ("Wheel-Version: 1.0\nGenerator: clack\nRoot-Is-Purelib: false\n"
                 f"Tag: {_tag()}\n")
        self.add(f"{self.info}/METADATA", _metadata().encode())
        self.add(f"{self.info}/WHEEL", wheel.encode())
        self.record.append(f"{self.info}/RECORD,,")
        self.file.writestr(f"{self.info}/RECORD", "\n".join(self.record) + "\n")
        self.file.close()
        return self.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _compile()
    wheel = _Wheel(wheel_directory)
    for path in sorted((BUILD / "python" / "clack").iterdir()):
        if path.suffix in (".py", ".pyi", ".so", ".typed") or path.name == "py.typed":
            wheel.add(f"clack/{path.name}", path.read_bytes())
    return wheel.finish()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _compile()
    wheel = _Wheel(wheel_directory)
    wheel.add("clack.pth", f"{BUILD / 'python'}\n".encode())
    return wheel.finish()


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("take the repository itself")
