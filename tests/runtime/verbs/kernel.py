"""Debian's kernel and a first file system for the test machines, made once and kept.

The machines take their user space from the host, so that the first file system holds only busybox, the modules that reach the
host's files, and those of the software RDMA device."""
import functools
import gzip
import hashlib
import lzma
import os
import shutil
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = ["virtio_pci", "9pnet_virtio", "9p", "virtio_net", "crc32_generic", "crc32c_generic", "crc32-pclmul", "ib_uverbs",
           "rdma_rxe", "rdma_ucm", "dummy", "sch_netem"]


class Unavailable(Exception):
    """The machines cannot run here; the text says why."""


def cache_folder():
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tutti", "rig")


def kernel_package():
    """The name of the package that Debian's newest kernel for this architecture is in."""
    text = run(["apt-cache", "depends", "linux-image-amd64"])
    names = [line.split()[-1] for line in text.splitlines() if line.strip().startswith("Depends: linux-image-")]
    if not names:
        raise Unavailable("apt knows no package linux-image-amd64")
    return names[0]


def run(command, **options):
    try:
        return subprocess.run(command, check=True, text=True, capture_output=True, **options).stdout
    except FileNotFoundError:
        raise Unavailable(f"{command[0]} is not installed") from None
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip() or error.stdout.strip()).splitlines()[-1:]
        raise Unavailable(f"{' '.join(command[:2])} failed: {' '.join(last)}") from None


@functools.cache  # apt takes a second to say
def make():
    """Paths of the kernel and of the first file system. Throws Unavailable."""
    if os.uname().machine != "x86_64":
        raise Unavailable("only written for x86-64")
    package = kernel_package()
    with open(os.path.join(HERE, "guest_init.sh"), "rb") as file:
        recipe = hashlib.sha256(file.read() + " ".join(MODULES).encode() + b"unpacked").hexdigest()[:12]
    folder = os.path.join(cache_folder(), f"{package}-{recipe}")
    paths = os.path.join(folder, "vmlinux"), os.path.join(folder, "first.cpio.gz")
    if not all(os.path.exists(path) for path in paths):
        os.makedirs(cache_folder(), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache_folder()) as work:
            build(package, work)
            made = os.path.join(work, "made")
            try:
                os.rename(made, folder)
            except OSError:  # another run was quicker
                if not all(os.path.exists(path) for path in paths):
                    raise
    return paths


def build(package, work):
    made, tree = os.path.join(work, "made"), os.path.join(work, "tree")
    os.mkdir(made)
    run(["apt-get", "-qq", "download", package], cwd=work)
    archives = [name for name in os.listdir(work) if name.endswith(".deb")]
    if len(archives) != 1:
        raise Unavailable(f"apt-get download {package} left {len(archives)} files")
    run(["dpkg-deb", "-x", os.path.join(work, archives[0]), tree])
    release = os.listdir(os.path.join(tree, "lib/modules"))[0]
    with open(os.path.join(tree, "boot", f"vmlinuz-{release}"), "rb") as packed, open(os.path.join(made, "vmlinux"), "wb") as file:
        file.write(unpacked(packed.read()))
    run(["depmod", "-b", tree, release])

    root = os.path.join(work, "root")
    for name in ("bin", "modules", "proc", "sys", "dev"):
        os.makedirs(os.path.join(root, name))
    busybox = shutil.which("busybox")
    if not busybox:
        raise Unavailable("busybox is not installed")
    shutil.copy(busybox, os.path.join(root, "bin/busybox"))
    shutil.copy(os.path.join(HERE, "guest_init.sh"), os.path.join(root, "init"))
    os.chmod(os.path.join(root, "init"), 0o755)
    with open(os.path.join(root, "modules/order"), "w") as order:
        for path in in_order(os.path.join(tree, "lib/modules", release)):
            shutil.copy(path, os.path.join(root, "modules"))
            order.write(os.path.basename(path) + "\n")
    names = subprocess.run(["find", "."], cwd=root, check=True, capture_output=True).stdout
    archive = subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=root, input=names, check=True,
                             capture_output=True).stdout
    with gzip.open(os.path.join(made, "first.cpio.gz"), "wb", compresslevel=1) as file:
        file.write(archive)


def unpacked(image):
    """The kernel in an image as boot loaders take it. To unpack itself, emulated, takes it as long as all else until it is up; QEMU
    starts what is unpacked, too, by its PVH entry."""
    # Documentation/x86/boot.rst: setup_sects, then, in what follows the setup, where the payload lies and how long it is.
    sectors, = struct.unpack_from("<B", image, 0x1F1)
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (sectors + 1) * 512 + offset
    try:
        # The last four bytes are the unpacked length, which LZMADecompressor leaves alone.
        return lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(image[start:start + length])
    except lzma.LZMAError as error:
        raise Unavailable(f"the kernel is not packed by xz, as Debian's are: {error}") from None


def in_order(folder):
    """The modules, each after those it needs."""
    needs = {}
    with open(os.path.join(folder, "modules.dep")) as file:
        for line in file:
            module, _, others = line.partition(":")
            needs[module] = others.split()
    by_name = {os.path.basename(module)[:-len(".ko")]: module for module in needs}
    order = []

    def add(module):
        for other in needs[module]:
            add(other)
        path = os.path.join(folder, module)
        if path not in order:
            order.append(path)

    for name in MODULES:
        if name in by_name:  # the others are built into this kernel
            add(by_name[name])
    return order
